// The decoder against words made by another assembler, and the whole compressed space.
#include "decode.h"

#include <boost/test/unit_test.hpp>

using namespace gyre::riscv;

namespace {

struct Line {
  const char* text;
  Op op;
  std::uint32_t word;
  int rd, rs1, rs2, rs3;  // -1: the field means nothing here
  std::int32_t imm;
};

const Line kLines[] = {
    {"lui x5, 0xFEDCB", Op::kLui, 0xFEDCB2B7, 5, 0, 0, 0, -19091456},
    {"auipc x31, 1", Op::kAuipc, 0x00001F97, 31, 0, 0, 0, 4096},
    {"jal x1, -1048576", Op::kJal, 0x800000EF, 1, 0, 0, 0, -1048576},
    {"jalr x3, -7(x9)", Op::kJalr, 0xFF9481E7, 3, 9, -1, 0, -7},
    {"beq x7, x8, -4096", Op::kBeq, 0x80838063, -1, 7, 8, 0, -4096},
    {"bne x7, x8, 4094", Op::kBne, 0x7E839FE3, -1, 7, 8, 0, 4094},
    {"blt x1, x2, 8", Op::kBlt, 0x0020C463, -1, 1, 2, 0, 8},
    {"bge x1, x2, 8", Op::kBge, 0x0020D463, -1, 1, 2, 0, 8},
    {"bltu x1, x2, -2", Op::kBltu, 0xFE20EFE3, -1, 1, 2, 0, -2},
    {"bgeu x1, x2, 2048", Op::kBgeu, 0x0020F0E3, -1, 1, 2, 0, 2048},
    {"lb x4, -2048(x6)", Op::kLb, 0x80030203, 4, 6, -1, 0, -2048},
    {"lh x4, 2047(x6)", Op::kLh, 0x7FF31203, 4, 6, -1, 0, 2047},
    {"lw x4, 1(x6)", Op::kLw, 0x00132203, 4, 6, -1, 0, 1},
    {"ld x4, 1(x6)", Op::kLd, 0x00133203, 4, 6, -1, 0, 1},
    {"lbu x4, 1(x6)", Op::kLbu, 0x00134203, 4, 6, -1, 0, 1},
    {"lhu x4, 1(x6)", Op::kLhu, 0x00135203, 4, 6, -1, 0, 1},
    {"lwu x4, 1(x6)", Op::kLwu, 0x00136203, 4, 6, -1, 0, 1},
    {"sb x9, -2048(x6)", Op::kSb, 0x80930023, -1, 6, 9, 0, -2048},
    {"sh x9, 2047(x6)", Op::kSh, 0x7E931FA3, -1, 6, 9, 0, 2047},
    {"sw x9, 33(x6)", Op::kSw, 0x029320A3, -1, 6, 9, 0, 33},
    {"sd x9, -33(x6)", Op::kSd, 0xFC933FA3, -1, 6, 9, 0, -33},
    {"addi x1, x2, -1", Op::kAddi, 0xFFF10093, 1, 2, -1, 0, -1},
    {"slti x1, x2, 5", Op::kSlti, 0x00512093, 1, 2, -1, 0, 5},
    {"sltiu x1, x2, -5", Op::kSltiu, 0xFFB13093, 1, 2, -1, 0, -5},
    {"xori x1, x2, 5", Op::kXori, 0x00514093, 1, 2, -1, 0, 5},
    {"ori x1, x2, 5", Op::kOri, 0x00516093, 1, 2, -1, 0, 5},
    {"andi x1, x2, 5", Op::kAndi, 0x00517093, 1, 2, -1, 0, 5},
    {"slli x1, x2, 63", Op::kSlli, 0x03F11093, 1, 2, -1, 0, 63},
    {"srli x1, x2, 33", Op::kSrli, 0x02115093, 1, 2, -1, 0, 33},
    {"srai x1, x2, 63", Op::kSrai, 0x43F15093, 1, 2, -1, 0, 63},
    {"add x1, x2, x3", Op::kAdd, 0x003100B3, 1, 2, 3, 0, 0},
    {"sub x1, x2, x3", Op::kSub, 0x403100B3, 1, 2, 3, 0, 0},
    {"sll x1, x2, x3", Op::kSll, 0x003110B3, 1, 2, 3, 0, 0},
    {"slt x1, x2, x3", Op::kSlt, 0x003120B3, 1, 2, 3, 0, 0},
    {"sltu x1, x2, x3", Op::kSltu, 0x003130B3, 1, 2, 3, 0, 0},
    {"xor x1, x2, x3", Op::kXor, 0x003140B3, 1, 2, 3, 0, 0},
    {"srl x1, x2, x3", Op::kSrl, 0x003150B3, 1, 2, 3, 0, 0},
    {"sra x1, x2, x3", Op::kSra, 0x403150B3, 1, 2, 3, 0, 0},
    {"or x1, x2, x3", Op::kOr, 0x003160B3, 1, 2, 3, 0, 0},
    {"and x1, x2, x3", Op::kAnd, 0x003170B3, 1, 2, 3, 0, 0},
    {"addiw x1, x2, -9", Op::kAddiw, 0xFF71009B, 1, 2, -1, 0, -9},
    {"slliw x1, x2, 31", Op::kSlliw, 0x01F1109B, 1, 2, -1, 0, 31},
    {"srliw x1, x2, 31", Op::kSrliw, 0x01F1509B, 1, 2, -1, 0, 31},
    {"sraiw x1, x2, 31", Op::kSraiw, 0x41F1509B, 1, 2, -1, 0, 31},
    {"addw x1, x2, x3", Op::kAddw, 0x003100BB, 1, 2, 3, 0, 0},
    {"subw x1, x2, x3", Op::kSubw, 0x403100BB, 1, 2, 3, 0, 0},
    {"sllw x1, x2, x3", Op::kSllw, 0x003110BB, 1, 2, 3, 0, 0},
    {"srlw x1, x2, x3", Op::kSrlw, 0x003150BB, 1, 2, 3, 0, 0},
    {"sraw x1, x2, x3", Op::kSraw, 0x403150BB, 1, 2, 3, 0, 0},
    {"fence", Op::kFence, 0x0FF0000F, -1, -1, -1, 0, 0},
    {"fence.i", Op::kFenceI, 0x0000100F, -1, -1, -1, 0, 0},
    {"ecall", Op::kEcall, 0x00000073, -1, -1, -1, 0, 0},
    {"ebreak", Op::kEbreak, 0x00100073, -1, -1, -1, 0, 0},
    {"sret", Op::kSret, 0x10200073, -1, -1, -1, 0, 0},
    {"mret", Op::kMret, 0x30200073, -1, -1, -1, 0, 0},
    {"wfi", Op::kWfi, 0x10500073, -1, -1, -1, 0, 0},
    {"sfence.vma x1, x2", Op::kSfenceVma, 0x12208073, 0, 1, 2, 0, 0},
    {"csrrw x1, 0x340, x2", Op::kCsrrw, 0x340110F3, 1, 2, -1, 0, 832},
    {"csrrs x1, 0xCC4, x2", Op::kCsrrs, 0xCC4120F3, 1, 2, -1, 0, 3268},
    {"csrrc x1, 0x340, x2", Op::kCsrrc, 0x340130F3, 1, 2, -1, 0, 832},
    {"csrrwi x1, 0x340, 31", Op::kCsrrwi, 0x340FD0F3, 1, 31, -1, 0, 832},
    {"csrrsi x1, 0x340, 7", Op::kCsrrsi, 0x3403E0F3, 1, 7, -1, 0, 832},
    {"csrrci x1, 0x340, 7", Op::kCsrrci, 0x3403F0F3, 1, 7, -1, 0, 832},
    {"mul x1, x2, x3", Op::kMul, 0x023100B3, 1, 2, 3, 0, 0},
    {"mulh x1, x2, x3", Op::kMulh, 0x023110B3, 1, 2, 3, 0, 0},
    {"mulhsu x1, x2, x3", Op::kMulhsu, 0x023120B3, 1, 2, 3, 0, 0},
    {"mulhu x1, x2, x3", Op::kMulhu, 0x023130B3, 1, 2, 3, 0, 0},
    {"div x1, x2, x3", Op::kDiv, 0x023140B3, 1, 2, 3, 0, 0},
    {"divu x1, x2, x3", Op::kDivu, 0x023150B3, 1, 2, 3, 0, 0},
    {"rem x1, x2, x3", Op::kRem, 0x023160B3, 1, 2, 3, 0, 0},
    {"remu x1, x2, x3", Op::kRemu, 0x023170B3, 1, 2, 3, 0, 0},
    {"mulw x1, x2, x3", Op::kMulw, 0x023100BB, 1, 2, 3, 0, 0},
    {"divw x1, x2, x3", Op::kDivw, 0x023140BB, 1, 2, 3, 0, 0},
    {"divuw x1, x2, x3", Op::kDivuw, 0x023150BB, 1, 2, 3, 0, 0},
    {"remw x1, x2, x3", Op::kRemw, 0x023160BB, 1, 2, 3, 0, 0},
    {"remuw x1, x2, x3", Op::kRemuw, 0x023170BB, 1, 2, 3, 0, 0},
    {"lr.w.aq x1, (x2)", Op::kLrW, 0x140120AF, 1, 2, 0, 0, 0},
    {"sc.w.rl x1, x3, (x2)", Op::kScW, 0x1A3120AF, 1, 2, 3, 0, 0},
    {"amoswap.w.aqrl x1, x3, (x2)", Op::kAmoswapW, 0x0E3120AF, 1, 2, 3, 0, 0},
    {"amoadd.w x1, x3, (x2)", Op::kAmoaddW, 0x003120AF, 1, 2, 3, 0, 0},
    {"amoxor.w x1, x3, (x2)", Op::kAmoxorW, 0x203120AF, 1, 2, 3, 0, 0},
    {"amoand.w x1, x3, (x2)", Op::kAmoandW, 0x603120AF, 1, 2, 3, 0, 0},
    {"amoor.w x1, x3, (x2)", Op::kAmoorW, 0x403120AF, 1, 2, 3, 0, 0},
    {"amomin.w x1, x3, (x2)", Op::kAmominW, 0x803120AF, 1, 2, 3, 0, 0},
    {"amomax.w x1, x3, (x2)", Op::kAmomaxW, 0xA03120AF, 1, 2, 3, 0, 0},
    {"amominu.w x1, x3, (x2)", Op::kAmominuW, 0xC03120AF, 1, 2, 3, 0, 0},
    {"amomaxu.w x1, x3, (x2)", Op::kAmomaxuW, 0xE03120AF, 1, 2, 3, 0, 0},
    {"lr.d x1, (x2)", Op::kLrD, 0x100130AF, 1, 2, 0, 0, 0},
    {"sc.d x1, x3, (x2)", Op::kScD, 0x183130AF, 1, 2, 3, 0, 0},
    {"amoswap.d x1, x3, (x2)", Op::kAmoswapD, 0x083130AF, 1, 2, 3, 0, 0},
    {"amomaxu.d x1, x3, (x2)", Op::kAmomaxuD, 0xE03130AF, 1, 2, 3, 0, 0},
    {"flw f1, -4(x2)", Op::kFlw, 0xFFC12087, 1, 2, -1, 0, -4},
    {"fsw f3, -4(x2)", Op::kFsw, 0xFE312E27, -1, 2, 3, 0, -4},
    {"fld f1, -4(x2)", Op::kFld, 0xFFC13087, 1, 2, -1, 0, -4},
    {"fsd f3, -4(x2)", Op::kFsd, 0xFE313E27, -1, 2, 3, 0, -4},
    {"fmadd.s f1, f2, f3, f4, rne", Op::kFmaddS, 0x203100C3, 1, 2, 3, 4, 0},
    {"fmsub.s f1, f2, f3, f4", Op::kFmsubS, 0x203170C7, 1, 2, 3, 4, 0},
    {"fnmsub.s f1, f2, f3, f4", Op::kFnmsubS, 0x203170CB, 1, 2, 3, 4, 0},
    {"fnmadd.s f1, f2, f3, f4", Op::kFnmaddS, 0x203170CF, 1, 2, 3, 4, 0},
    {"fmadd.d f1, f2, f3, f4", Op::kFmaddD, 0x223170C3, 1, 2, 3, 4, 0},
    {"fmsub.d f1, f2, f3, f4", Op::kFmsubD, 0x223170C7, 1, 2, 3, 4, 0},
    {"fnmsub.d f1, f2, f3, f4", Op::kFnmsubD, 0x223170CB, 1, 2, 3, 4, 0},
    {"fnmadd.d f1, f2, f3, f4", Op::kFnmaddD, 0x223170CF, 1, 2, 3, 4, 0},
    {"fadd.s f1, f2, f3", Op::kFaddS, 0x003170D3, 1, 2, 3, 0, 0},
    {"fsub.s f1, f2, f3", Op::kFsubS, 0x083170D3, 1, 2, 3, 0, 0},
    {"fmul.s f1, f2, f3", Op::kFmulS, 0x103170D3, 1, 2, 3, 0, 0},
    {"fdiv.s f1, f2, f3", Op::kFdivS, 0x183170D3, 1, 2, 3, 0, 0},
    {"fsgnj.s f1, f2, f3", Op::kFsgnjS, 0x203100D3, 1, 2, 3, 0, 0},
    {"fsgnjn.s f1, f2, f3", Op::kFsgnjnS, 0x203110D3, 1, 2, 3, 0, 0},
    {"fsgnjx.s f1, f2, f3", Op::kFsgnjxS, 0x203120D3, 1, 2, 3, 0, 0},
    {"fmin.s f1, f2, f3", Op::kFminS, 0x283100D3, 1, 2, 3, 0, 0},
    {"fmax.s f1, f2, f3", Op::kFmaxS, 0x283110D3, 1, 2, 3, 0, 0},
    {"feq.s x1, f2, f3", Op::kFeqS, 0xA03120D3, 1, 2, 3, 0, 0},
    {"flt.s x1, f2, f3", Op::kFltS, 0xA03110D3, 1, 2, 3, 0, 0},
    {"fle.s x1, f2, f3", Op::kFleS, 0xA03100D3, 1, 2, 3, 0, 0},
    {"fsqrt.s f1, f2", Op::kFsqrtS, 0x580170D3, 1, 2, -1, 0, 0},
    {"fclass.s x1, f2", Op::kFclassS, 0xE00110D3, 1, 2, -1, 0, 0},
    {"fcvt.w.s x1, f2, rtz", Op::kFcvtWS, 0xC00110D3, 1, 2, -1, 0, 0},
    {"fcvt.s.w f1, x2", Op::kFcvtSW, 0xD00170D3, 1, 2, -1, 0, 0},
    {"fcvt.wu.s x1, f2, rtz", Op::kFcvtWuS, 0xC01110D3, 1, 2, -1, 0, 0},
    {"fcvt.s.wu f1, x2", Op::kFcvtSWu, 0xD01170D3, 1, 2, -1, 0, 0},
    {"fcvt.l.s x1, f2, rtz", Op::kFcvtLS, 0xC02110D3, 1, 2, -1, 0, 0},
    {"fcvt.s.l f1, x2", Op::kFcvtSL, 0xD02170D3, 1, 2, -1, 0, 0},
    {"fcvt.lu.s x1, f2, rtz", Op::kFcvtLuS, 0xC03110D3, 1, 2, -1, 0, 0},
    {"fcvt.s.lu f1, x2", Op::kFcvtSLu, 0xD03170D3, 1, 2, -1, 0, 0},
    {"fadd.d f1, f2, f3", Op::kFaddD, 0x023170D3, 1, 2, 3, 0, 0},
    {"fsub.d f1, f2, f3", Op::kFsubD, 0x0A3170D3, 1, 2, 3, 0, 0},
    {"fmul.d f1, f2, f3", Op::kFmulD, 0x123170D3, 1, 2, 3, 0, 0},
    {"fdiv.d f1, f2, f3", Op::kFdivD, 0x1A3170D3, 1, 2, 3, 0, 0},
    {"fsgnj.d f1, f2, f3", Op::kFsgnjD, 0x223100D3, 1, 2, 3, 0, 0},
    {"fsgnjn.d f1, f2, f3", Op::kFsgnjnD, 0x223110D3, 1, 2, 3, 0, 0},
    {"fsgnjx.d f1, f2, f3", Op::kFsgnjxD, 0x223120D3, 1, 2, 3, 0, 0},
    {"fmin.d f1, f2, f3", Op::kFminD, 0x2A3100D3, 1, 2, 3, 0, 0},
    {"fmax.d f1, f2, f3", Op::kFmaxD, 0x2A3110D3, 1, 2, 3, 0, 0},
    {"feq.d x1, f2, f3", Op::kFeqD, 0xA23120D3, 1, 2, 3, 0, 0},
    {"flt.d x1, f2, f3", Op::kFltD, 0xA23110D3, 1, 2, 3, 0, 0},
    {"fle.d x1, f2, f3", Op::kFleD, 0xA23100D3, 1, 2, 3, 0, 0},
    {"fsqrt.d f1, f2", Op::kFsqrtD, 0x5A0170D3, 1, 2, -1, 0, 0},
    {"fclass.d x1, f2", Op::kFclassD, 0xE20110D3, 1, 2, -1, 0, 0},
    {"fcvt.w.d x1, f2, rtz", Op::kFcvtWD, 0xC20110D3, 1, 2, -1, 0, 0},
    {"fcvt.d.w f1, x2", Op::kFcvtDW, 0xD20100D3, 1, 2, -1, 0, 0},
    {"fcvt.wu.d x1, f2, rtz", Op::kFcvtWuD, 0xC21110D3, 1, 2, -1, 0, 0},
    {"fcvt.d.wu f1, x2", Op::kFcvtDWu, 0xD21100D3, 1, 2, -1, 0, 0},
    {"fcvt.l.d x1, f2, rtz", Op::kFcvtLD, 0xC22110D3, 1, 2, -1, 0, 0},
    {"fcvt.d.l f1, x2", Op::kFcvtDL, 0xD22170D3, 1, 2, -1, 0, 0},
    {"fcvt.lu.d x1, f2, rtz", Op::kFcvtLuD, 0xC23110D3, 1, 2, -1, 0, 0},
    {"fcvt.d.lu f1, x2", Op::kFcvtDLu, 0xD23170D3, 1, 2, -1, 0, 0},
    {"fmv.x.w x1, f2", Op::kFmvXW, 0xE00100D3, 1, 2, -1, 0, 0},
    {"fmv.w.x f1, x2", Op::kFmvWX, 0xF00100D3, 1, 2, -1, 0, 0},
    {"fmv.x.d x1, f2", Op::kFmvXD, 0xE20100D3, 1, 2, -1, 0, 0},
    {"fmv.d.x f1, x2", Op::kFmvDX, 0xF20100D3, 1, 2, -1, 0, 0},
    {"fcvt.s.d f1, f2", Op::kFcvtSD, 0x401170D3, 1, 2, -1, 0, 0},
    {"fcvt.d.s f1, f2", Op::kFcvtDS, 0x420100D3, 1, 2, -1, 0, 0},
};

constexpr Isa kAll{64, true, true, true, true, true, true, false};

std::uint32_t custom(std::uint32_t opcode, unsigned funct3, unsigned funct7, unsigned rd, unsigned rs1, unsigned rs2) {
  return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(riscv_decode)

BOOST_AUTO_TEST_CASE(every_operation_and_its_fields) {
  for (const Line& l : kLines) {
    const Decoded d = decode(l.word, kAll);
    BOOST_TEST_CONTEXT(l.text) {
      BOOST_TEST((d.op == l.op));
      BOOST_TEST(d.length == 4);
      BOOST_TEST(d.word == l.word);
      // U and J formats have no source fields; the decoder's rs1 and rs2 are the raw bits there.
      const bool no_sources = l.op == Op::kLui || l.op == Op::kAuipc || l.op == Op::kJal;
      if (l.rd >= 0) BOOST_TEST(d.rd == l.rd);
      if (l.rs1 >= 0 && !no_sources) BOOST_TEST(d.rs1 == l.rs1);
      if (l.rs2 >= 0 && !no_sources) BOOST_TEST(d.rs2 == l.rs2);
      BOOST_TEST(d.rs3 == l.rs3);
      BOOST_TEST(d.imm == l.imm);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_the_hart_does_not_have_is_illegal) {
  for (const Line& l : kLines) {
    const bool wide = l.op == Op::kLd || l.op == Op::kLwu || l.op == Op::kSd ||
                      (l.op >= Op::kAddiw && l.op <= Op::kSraw) || (l.op >= Op::kMulw && l.op <= Op::kRemuw) ||
                      ((l.op == Op::kSlli || l.op == Op::kSrli || l.op == Op::kSrai));
    const bool atomic = l.op >= Op::kLrW && l.op <= Op::kAmomaxuD;
    const bool dbl = l.op >= Op::kFld && l.op <= Op::kFcvtDS;
    const bool long_fp = l.op == Op::kFcvtLS || l.op == Op::kFcvtLuS || l.op == Op::kFcvtSL || l.op == Op::kFcvtSLu;
    const Op expect = wide || atomic || dbl || long_fp ? Op::kIllegal : l.op;
    BOOST_TEST_CONTEXT(l.text) BOOST_TEST((decode(l.word, kSimtIsa).op == expect));
  }
  BOOST_TEST((decode(0x0E205033, Isa{32, true, false, true, false, false, false, false}).op == Op::kIllegal));
  BOOST_TEST((decode(0x0E205033, kSimtIsa).op == Op::kCzeroEqz));
  BOOST_TEST((decode(0x0E207033, kSimtIsa).op == Op::kCzeroNez));
  BOOST_TEST((decode(0x00000013, kSimtIsa).op == Op::kAddi));
  BOOST_TEST((decode(0x00010001, kSimtIsa).op == Op::kIllegal));            // compressed
  BOOST_TEST((decode(0x00005053 | 5 << 12, kSimtIsa).op == Op::kIllegal));  // reserved rounding mode
}

// isa.md §4
BOOST_AUTO_TEST_CASE(custom_opcodes) {
  const Op control[8] = {Op::kTmc, Op::kWspawn, Op::kSplit, Op::kJoin, Op::kBar, Op::kPred, Op::kBarWait, Op::kWsync};
  const Op lanes[8] = {Op::kVoteAll, Op::kVoteAny,  Op::kVoteUni,  Op::kVoteBallot,
                       Op::kShflUp,  Op::kShflDown, Op::kShflBfly, Op::kShflIdx};
  for (unsigned f3 = 0; f3 < 8; ++f3) {
    BOOST_TEST((decode(custom(0x0B, f3, 0, 0, 5, 6), kSimtIsa).op == control[f3]));
    BOOST_TEST((decode(custom(0x0B, f3, 1, 4, 5, 6), kSimtIsa).op == lanes[f3]));
    for (unsigned f7 = 2; f7 < 128; ++f7)
      BOOST_TEST((decode(custom(0x0B, f3, f7, 4, 5, 6), kSimtIsa).op == Op::kIllegal));
    for (unsigned f2 = 0; f2 < 4; ++f2) {
      const Decoded d = decode(custom(0x2B, f3, 7 << 2 | f2, 4, 5, 6), kSimtIsa);
      const Op expect = f3 == 0 ? Op::kWgather : f3 == 3 ? Op::kOmExport : f3 == 5 && f2 < 2 ? Op::kTex : Op::kIllegal;
      BOOST_TEST((d.op == expect));
      if (expect != Op::kIllegal) {
        BOOST_TEST(d.rs3 == 7);
        BOOST_TEST(d.imm == static_cast<std::int32_t>(f2));
      }
    }
    BOOST_TEST((decode(custom(0x0B, f3, 0, 0, 5, 6), kAll).op == Op::kIllegal));
  }
  Isa packing = kSimtIsa;
  packing.pack = true;
  for (unsigned f3 = 0; f3 < 8; ++f3) {
    const Op expect = f3 == 1 ? Op::kPacklb : f3 == 2 ? Op::kPacklh : Op::kIllegal;
    BOOST_TEST((decode(custom(0x0B, f3, 4, 4, 5, 6), packing).op == expect));
    BOOST_TEST((decode(custom(0x0B, f3, 5, 4, 5, 6), packing).op == Op::kIllegal));
  }
  BOOST_TEST((decode(custom(0x0B, 6, 0, 9, 5, 6), kSimtIsa).op == Op::kBarArrive));
  BOOST_TEST(decode(custom(0x0B, 2, 0, 9, 5, 0), kSimtIsa).imm == 0);
  BOOST_TEST(decode(custom(0x0B, 2, 0, 9, 5, 1), kSimtIsa).imm == 1);
  BOOST_TEST(decode(custom(0x0B, 5, 0, 0, 5, 1), kSimtIsa).imm == 0);
  BOOST_TEST(decode(custom(0x0B, 5, 0, 1, 5, 1), kSimtIsa).imm == 1);
}

// The checksums are of expansions that were compared, all 49,152 a width, with another disassembler.
BOOST_AUTO_TEST_CASE(compressed_space) {
  auto checksum = [](unsigned xlen) {
    std::uint64_t hash = 0xCBF29CE484222325u;
    for (unsigned h = 0; h < 65536; ++h) {
      if ((h & 3) == 3) continue;
      const std::uint32_t w = expand_compressed(static_cast<std::uint16_t>(h), xlen, true, true);
      for (unsigned i = 0; i < 32; i += 8) hash = (hash ^ (w >> i & 255)) * 0x100000001B3u;
    }
    return hash;
  };
  BOOST_TEST(checksum(32) == 0xAA81A0B22087841Bu);
  BOOST_TEST(checksum(64) == 0xC21543E88A619C33u);
  const Decoded d = decode(0xFFFF157D, kHostIsa);  // c.addi a0, -1 below other code
  BOOST_TEST((d.op == Op::kAddi));
  BOOST_TEST(d.length == 2);
  BOOST_TEST(d.word == 0x157Du);
  BOOST_TEST(d.imm == -1);
  BOOST_TEST(d.rd == 10);
  BOOST_TEST(expand_compressed(0x4085, 64, true, true) == 0x00100093u);  // c.li ra, 1
  BOOST_TEST(expand_compressed(0x9002, 64, true, true) == 0x00100073u);  // c.ebreak
  BOOST_TEST(expand_compressed(0x8082, 64, true, true) == 0x00008067u);  // c.jr ra
  BOOST_TEST(expand_compressed(0x6105, 64, true, true) == 0x02010113u);  // c.addi16sp 32
  BOOST_TEST(expand_compressed(0x0000, 64, true, true) == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
