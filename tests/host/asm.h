// A very small assembler: enough RV64 to write test programs in the test.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace gyre::test {

enum Reg : unsigned { zero, ra, sp, gp, tp, t0, t1, t2, s0, s1, a0, a1, a2, a3, a4, a5, a6, a7, s2, s3, s4, s5, s6, s7,
                      s8, s9, s10, s11, t3, t4, t5, t6 };

namespace enc {
using W = std::uint32_t;
constexpr W r(W op, W f3, W f7, W rd, W rs1, W rs2) { return f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op; }
constexpr W i(W op, W f3, W rd, W rs1, std::int32_t imm) { return static_cast<W>(imm) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op; }
constexpr W s(W f3, W rs1, W rs2, std::int32_t imm) {
  const W u = static_cast<W>(imm);
  return (u >> 5 & 0x7F) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (u & 31) << 7 | 0x23;
}
constexpr W b(W f3, W rs1, W rs2, std::int32_t imm) {
  const W u = static_cast<W>(imm);
  return (u >> 12 & 1) << 31 | (u >> 5 & 0x3F) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (u >> 1 & 15) << 8 |
         (u >> 11 & 1) << 7 | 0x63;
}
constexpr W j(W rd, std::int32_t imm) {
  const W u = static_cast<W>(imm);
  return (u >> 20 & 1) << 31 | (u >> 1 & 0x3FF) << 21 | (u >> 11 & 1) << 20 | (u >> 12 & 0xFF) << 12 | rd << 7 | 0x6F;
}
}  // namespace enc

// Words at `base`; labels may be used before they stand.
class Asm {
 public:
  explicit Asm(std::uint64_t base = 0x80000000) : base_(base) {}

  std::uint64_t here() const { return base_ + code_.size(); }
  void label(const std::string& name) { labels_[name] = here(); }
  void word(std::uint32_t w) { put(w, 4); }
  void half(std::uint16_t h) { put(h, 2); }
  void dword(std::uint64_t d) { put(d, 8); }
  void align(unsigned bytes) { while (code_.size() % bytes != 0) code_.push_back(0); }

  void addi(unsigned rd, unsigned rs1, std::int32_t imm) { word(enc::i(0x13, 0, rd, rs1, imm)); }
  void op(unsigned f3, unsigned f7, unsigned rd, unsigned rs1, unsigned rs2) { word(enc::r(0x33, f3, f7, rd, rs1, rs2)); }
  void add(unsigned rd, unsigned rs1, unsigned rs2) { op(0, 0, rd, rs1, rs2); }
  void load(unsigned f3, unsigned rd, unsigned rs1, std::int32_t imm) { word(enc::i(0x03, f3, rd, rs1, imm)); }
  void store(unsigned f3, unsigned rs2, unsigned rs1, std::int32_t imm) { word(enc::s(f3, rs1, rs2, imm)); }
  void lw(unsigned rd, unsigned rs1, std::int32_t imm = 0) { load(2, rd, rs1, imm); }
  void ld(unsigned rd, unsigned rs1, std::int32_t imm = 0) { load(3, rd, rs1, imm); }
  void lbu(unsigned rd, unsigned rs1, std::int32_t imm = 0) { load(4, rd, rs1, imm); }
  void sb(unsigned rs2, unsigned rs1, std::int32_t imm = 0) { store(0, rs2, rs1, imm); }
  void sw(unsigned rs2, unsigned rs1, std::int32_t imm = 0) { store(2, rs2, rs1, imm); }
  void sd(unsigned rs2, unsigned rs1, std::int32_t imm = 0) { store(3, rs2, rs1, imm); }
  void branch(unsigned f3, unsigned rs1, unsigned rs2, const std::string& to) { fix(to, false); word(enc::b(f3, rs1, rs2, 0)); }
  void beq(unsigned rs1, unsigned rs2, const std::string& to) { branch(0, rs1, rs2, to); }
  void bne(unsigned rs1, unsigned rs2, const std::string& to) { branch(1, rs1, rs2, to); }
  void bltu(unsigned rs1, unsigned rs2, const std::string& to) { branch(6, rs1, rs2, to); }
  void jal(unsigned rd, const std::string& to) { fix(to, true); word(enc::j(rd, 0)); }
  void j(const std::string& to) { jal(zero, to); }
  void jalr(unsigned rd, unsigned rs1, std::int32_t imm = 0) { word(enc::i(0x67, 0, rd, rs1, imm)); }
  void csr(unsigned f3, unsigned rd, unsigned number, unsigned rs1) { word(enc::i(0x73, f3, rd, rs1, static_cast<std::int32_t>(number))); }
  void csrr(unsigned rd, unsigned number) { csr(2, rd, number, zero); }
  void csrw(unsigned number, unsigned rs1) { csr(1, zero, number, rs1); }
  void csrsi(unsigned number, unsigned imm) { csr(6, zero, number, imm); }
  void csrs(unsigned number, unsigned rs1) { csr(2, zero, number, rs1); }
  void ecall() { word(0x73); }
  void ebreak() { word(0x00100073); }
  void mret() { word(0x30200073); }
  void wfi() { word(0x10500073); }
  void fence_i() { word(0x0000100F); }
  void amo(unsigned f5, bool wide, unsigned rd, unsigned rs1, unsigned rs2) { word(enc::r(0x2F, wide ? 3 : 2, f5 << 2, rd, rs1, rs2)); }

  // Any 64-bit constant, by shifting in 11 bits at a time.
  void li(unsigned rd, std::uint64_t value) {
    if (static_cast<std::int64_t>(value) >= -2048 && static_cast<std::int64_t>(value) < 2048) {
      addi(rd, zero, static_cast<std::int32_t>(value));
      return;
    }
    addi(rd, zero, static_cast<std::int32_t>(value >> 55));
    for (int shift = 44; shift >= 0; shift -= 11) {
      word(enc::i(0x13, 1, rd, rd, 11));
      word(enc::i(0x13, 6, rd, rd, static_cast<std::int32_t>(value >> shift & 0x7FF)));
    }
  }
  // The address of a label that already stands or will; position-dependent.
  void la(unsigned rd, const std::string& name) {
    fixes_.push_back({code_.size(), name, Kind::kAddress});
    word(0x37 | rd << 7);
    word(enc::i(0x1B, 0, rd, rd, 0));
    word(enc::i(0x13, 1, rd, rd, 32));  // zero-extend
    word(enc::i(0x13, 5, rd, rd, 32));
  }
  // A semihosting call; operation in a0, argument in a1.
  void semihost() {
    while (here() % 16 != 0) addi(zero, zero, 0);
    word(0x01F01013);
    ebreak();
    word(0x40705013);
  }

  std::vector<std::uint8_t> bytes() {
    for (const Fix& fix : fixes_) {
      const auto target = labels_.find(fix.name);
      if (target == labels_.end()) throw std::runtime_error("no label " + fix.name);
      const auto offset = static_cast<std::int32_t>(target->second - (base_ + fix.at));
      if (fix.kind == Kind::kBranch) patch(fix.at, enc::b(0, 0, 0, offset));
      if (fix.kind == Kind::kJump) patch(fix.at, enc::j(0, offset));
      if (fix.kind == Kind::kAddress) {
        const auto address = static_cast<std::uint32_t>(target->second);
        patch(fix.at, (address + 0x800) & 0xFFFFF000u);
        patch(fix.at + 4, (address & 0xFFF) << 20);
      }
    }
    fixes_.clear();
    return code_;
  }

 private:
  enum class Kind { kBranch, kJump, kAddress };
  struct Fix {
    std::size_t at;
    std::string name;
    Kind kind;
  };
  void fix(const std::string& to, bool jump) { fixes_.push_back({code_.size(), to, jump ? Kind::kJump : Kind::kBranch}); }
  void put(std::uint64_t value, unsigned count) {
    for (unsigned n = 0; n < count; ++n) code_.push_back(static_cast<std::uint8_t>(value >> (8 * n)));
  }
  void patch(std::size_t at, std::uint32_t bits) {
    for (unsigned n = 0; n < 4; ++n) code_[at + n] = static_cast<std::uint8_t>(code_[at + n] | bits >> (8 * n));
  }

  std::uint64_t base_;
  std::vector<std::uint8_t> code_;
  std::map<std::string, std::uint64_t> labels_;
  std::vector<Fix> fixes_;
};

}  // namespace gyre::test
