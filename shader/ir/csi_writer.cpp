#include "csi_binary.h"

namespace gyre::shader {
namespace {

void put16(std::vector<std::uint8_t>* out, std::int16_t value) {
  const auto bits = static_cast<std::uint16_t>(value);
  out->push_back(static_cast<std::uint8_t>(bits & 255));
  out->push_back(static_cast<std::uint8_t>(bits >> 8));
}

void put32(std::vector<std::uint8_t>* out, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out->push_back(static_cast<std::uint8_t>(value >> shift & 255));
}

void set32(std::vector<std::uint8_t>* out, std::size_t at, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) (*out)[at + i] = static_cast<std::uint8_t>(value >> (8 * i) & 255);
}

void put_body(std::vector<std::uint8_t>* out, const Shader& shader) {
  for (const Instruction& ins : shader.code) {
    for (const std::uint8_t byte : {ins.op, ins.ty, ins.ncomp, ins.pad}) out->push_back(byte);
    for (const std::int16_t half : {ins.dst, ins.a, ins.b, ins.c, ins.aux, ins.aux2}) put16(out, half);
  }
  for (const float value : shader.immediates) put32(out, float_bits(value));
}

std::uint32_t count_of(const Shader& shader, InterfaceKind kind) {
  std::uint32_t count = 0;
  for (const InterfaceEntry& entry : shader.interface) count += entry.kind == kind;
  return count;
}

void put_counts(std::vector<std::uint8_t>* out, const Shader& shader, std::uint32_t version) {
  put32(out, kCsiMagic);
  put32(out, version);
  put32(out, static_cast<std::uint32_t>(shader.stage));
  put32(out, static_cast<std::uint32_t>(shader.code.size()));
  put32(out, static_cast<std::uint32_t>(shader.immediates.size()));
  put32(out, static_cast<std::uint32_t>(shader.temps));
}

}  // namespace

std::uint32_t csi_crc(const std::uint8_t* bytes, std::size_t size, std::size_t hole) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (std::size_t i = 0; i < size; ++i) {
    crc ^= i >= hole && i < hole + 4 ? 0u : bytes[i];
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0u);
  }
  return ~crc;
}

std::vector<std::uint8_t> write_csi_v1(const Shader& shader) {
  std::vector<std::uint8_t> out;
  put_counts(&out, shader, 1);
  put32(&out, 0);
  put32(&out, 0);
  put_body(&out, shader);
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < shader.code.size() * kCsiRecordBytes; ++i) sum += out[kCsiV1HeaderBytes + i];
  set32(&out, 24, sum);
  return out;
}

std::vector<std::uint8_t> write_csi_v2(const Shader& shader) {
  std::vector<std::uint8_t> out;
  put_counts(&out, shader, 2);
  for (const InterfaceKind kind : {InterfaceKind::kAttribute, InterfaceKind::kVarying, InterfaceKind::kUniform, InterfaceKind::kSampler})
    put32(&out, count_of(shader, kind));
  put32(&out, (shader.stores_position() ? kCsiWritesPosition : 0) | (shader.stores_color() ? kCsiHasColor : 0));
  put32(&out, 0);
  put_body(&out, shader);
  for (const InterfaceEntry& entry : shader.interface) {
    for (std::size_t i = 0; i < kMaxNameBytes + 1; ++i)
      out.push_back(static_cast<std::uint8_t>(i < entry.name.size() ? entry.name[i] : 0));
    out.push_back(static_cast<std::uint8_t>(entry.type));
    out.push_back(static_cast<std::uint8_t>(entry.slot));
    out.push_back(static_cast<std::uint8_t>(entry.kind));
    out.push_back(0);
    put32(&out, 0);
  }
  set32(&out, 44, csi_crc(out.data(), out.size(), 44));
  return out;
}

}  // namespace gyre::shader
