#include <cstring>

#include "csi_binary.h"
#include "verifier.h"

namespace gyre::shader {
namespace {

std::uint32_t get32(const std::uint8_t* p) {
  return p[0] | static_cast<std::uint32_t>(p[1]) << 8 | static_cast<std::uint32_t>(p[2]) << 16 |
         static_cast<std::uint32_t>(p[3]) << 24;
}
std::int16_t get16(const std::uint8_t* p) { return static_cast<std::int16_t>(p[0] | p[1] << 8); }

struct Header {
  std::uint32_t version, stage, instructions, immediates, temps;
  std::uint32_t entries[4] = {0, 0, 0, 0};
};

class Reader {
 public:
  Reader(const std::uint8_t* bytes, std::size_t size, Diagnostics* out) : bytes_(bytes), size_(size), out_(out) {}

  std::optional<Shader> read() {
    if (size_ < kCsiV1HeaderBytes) return fail("shorter than a CSI header (32 bytes)");
    if (get32(bytes_) != kCsiMagic) return fail("does not begin with the CSI magic");
    Header header{word(1), word(2), word(3), word(4), word(5), {}};
    if (header.version != 1 && header.version != 2) return fail("CSI version " + std::to_string(header.version) + ", 1 and 2 are known");
    if (header.version == 2 && size_ < kCsiV2HeaderBytes) return fail("shorter than a CSI v2 header (48 bytes)");
    if (header.stage > 1) return fail("stage " + std::to_string(header.stage) + " is not supported");
    // Counts are limited before anything is computed from them.
    if (header.instructions > kMaxInstructions) return fail(std::to_string(header.instructions) + " instructions, there may be 384");
    if (header.immediates > kMaxImmediates) return fail(std::to_string(header.immediates) + " immediates, there may be 160");
    if (header.temps > kMaxTemps) return fail(std::to_string(header.temps) + " temporaries, there may be 96");
    if (header.version == 2) {
      static constexpr std::uint32_t kLimits[] = {kMaxAttributes, kMaxVaryings, kMaxUniformSlots, kMaxSamplers};
      for (int i = 0; i < 4; ++i) {
        header.entries[i] = word(6 + i);
        if (header.entries[i] > kLimits[i]) return fail("too many interface entries");
      }
    }
    return body(header);
  }

 private:
  std::uint32_t word(std::size_t index) const { return get32(bytes_ + 4 * index); }
  std::nullopt_t fail(const std::string& message) {
    out_->error({}, message);
    return std::nullopt;
  }

  std::optional<Shader> body(const Header& header) {
    const std::size_t head = header.version == 1 ? kCsiV1HeaderBytes : kCsiV2HeaderBytes;
    const std::size_t records = header.instructions * kCsiRecordBytes, floats = header.immediates * 4;
    const std::size_t entries = header.entries[0] + header.entries[1] + header.entries[2] + header.entries[3];
    const std::size_t total = head + records + floats + entries * kCsiEntryBytes;
    if (size_ != total) return fail(std::to_string(size_) + " bytes, the header announces " + std::to_string(total));
    if (header.version == 1) {
      std::uint32_t sum = 0;
      for (std::size_t i = 0; i < records; ++i) sum += bytes_[head + i];
      if (sum != word(6)) return fail("the checksum is wrong");
    } else if (csi_crc(bytes_, size_, 44) != word(11)) {
      return fail("the CRC is wrong");
    }
    Shader shader;
    shader.stage = static_cast<Stage>(header.stage);
    shader.temps = static_cast<int>(header.temps);
    const std::uint8_t* p = bytes_ + head;
    for (std::uint32_t i = 0; i < header.instructions; ++i, p += kCsiRecordBytes) {
      Instruction ins;
      ins.op = p[0];
      ins.ty = p[1];
      ins.ncomp = p[2];
      ins.pad = p[3];
      std::int16_t* const fields[] = {&ins.dst, &ins.a, &ins.b, &ins.c, &ins.aux, &ins.aux2};
      for (int k = 0; k < 6; ++k) *fields[k] = get16(p + 4 + 2 * k);
      shader.code.push_back(ins);
    }
    for (std::uint32_t i = 0; i < header.immediates; ++i, p += 4) shader.immediates.push_back(float_from_bits(get32(p)));
    for (int kind = 1; kind <= 4; ++kind)
      for (std::uint32_t i = 0; i < header.entries[kind - 1]; ++i, p += kCsiEntryBytes)
        if (!entry(p, kind, &shader)) return std::nullopt;
    if (!verify(shader, out_)) return std::nullopt;
    if (header.version == 2 && word(10) != ((shader.stores_position() ? kCsiWritesPosition : 0) | (shader.stores_color() ? kCsiHasColor : 0)))
      return fail("the flags do not fit the code");
    return shader;
  }

  bool entry(const std::uint8_t* p, int kind, Shader* shader) {
    const void* const zero = std::memchr(p, 0, kMaxNameBytes + 1);
    if (zero == nullptr) return fail("an interface name has no end"), false;
    if (p[42] != kind || p[43] != 0 || get32(p + 44) != 0) return fail("interface entries are not in order"), false;
    InterfaceEntry out;
    out.name.assign(reinterpret_cast<const char*>(p), static_cast<const std::uint8_t*>(zero) - p);
    out.type = static_cast<Type>(p[40]);
    out.slot = p[41];
    out.kind = static_cast<InterfaceKind>(kind);
    shader->interface.push_back(out);
    return true;
  }

  const std::uint8_t* bytes_;
  std::size_t size_;
  Diagnostics* out_;
};

}  // namespace

std::optional<Shader> read_csi(const std::uint8_t* bytes, std::size_t size, Diagnostics* diagnostics) {
  return Reader(bytes, size, diagnostics).read();
}

}  // namespace gyre::shader
