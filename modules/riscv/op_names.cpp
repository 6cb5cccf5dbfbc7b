// Mnemonics, operands and register names.
#include "csr.h"
#include "disassembler.h"

namespace gyre::riscv {
namespace {

// In the order of Op.
// clang-format off
constexpr Syntax kSyntax[] = {
    {"invalid", ""}, {"lui", "d,u"}, {"auipc", "d,u"}, {"jal", "d,b"}, {"jalr", "d,j(s)"}, {"beq", "s,t,b"},
    {"bne", "s,t,b"}, {"blt", "s,t,b"}, {"bge", "s,t,b"}, {"bltu", "s,t,b"}, {"bgeu", "s,t,b"}, {"lb", "d,j(s)"},
    {"lh", "d,j(s)"}, {"lw", "d,j(s)"}, {"lbu", "d,j(s)"}, {"lhu", "d,j(s)"}, {"lwu", "d,j(s)"}, {"ld", "d,j(s)"},
    {"sb", "t,j(s)"}, {"sh", "t,j(s)"}, {"sw", "t,j(s)"}, {"sd", "t,j(s)"}, {"addi", "d,s,j"}, {"slti", "d,s,j"},
    {"sltiu", "d,s,j"}, {"xori", "d,s,j"}, {"ori", "d,s,j"}, {"andi", "d,s,j"}, {"slli", "d,s,h"}, {"srli", "d,s,h"},
    {"srai", "d,s,h"}, {"add", "d,s,t"}, {"sub", "d,s,t"}, {"sll", "d,s,t"}, {"slt", "d,s,t"}, {"sltu", "d,s,t"},
    {"xor", "d,s,t"}, {"srl", "d,s,t"}, {"sra", "d,s,t"}, {"or", "d,s,t"}, {"and", "d,s,t"}, {"addiw", "d,s,j"},
    {"slliw", "d,s,h"}, {"srliw", "d,s,h"}, {"sraiw", "d,s,h"}, {"addw", "d,s,t"}, {"subw", "d,s,t"},
    {"sllw", "d,s,t"}, {"srlw", "d,s,t"}, {"sraw", "d,s,t"}, {"fence", "f"}, {"fence.i", ""}, {"ecall", ""},
    {"ebreak", ""}, {"uret", ""}, {"sret", ""}, {"mret", ""}, {"wfi", ""}, {"sfence.vma", "s,t"}, {"csrrw", "d,c,s"},
    {"csrrs", "d,c,s"}, {"csrrc", "d,c,s"}, {"csrrwi", "d,c,z"}, {"csrrsi", "d,c,z"}, {"csrrci", "d,c,z"},
    {"mul", "d,s,t"}, {"mulh", "d,s,t"}, {"mulhsu", "d,s,t"}, {"mulhu", "d,s,t"}, {"div", "d,s,t"}, {"divu", "d,s,t"},
    {"rem", "d,s,t"}, {"remu", "d,s,t"}, {"mulw", "d,s,t"}, {"divw", "d,s,t"}, {"divuw", "d,s,t"}, {"remw", "d,s,t"},
    {"remuw", "d,s,t"}, {"lr.w", "d,(s)"}, {"sc.w", "d,t,(s)"}, {"amoswap.w", "d,t,(s)"}, {"amoadd.w", "d,t,(s)"},
    {"amoxor.w", "d,t,(s)"}, {"amoand.w", "d,t,(s)"}, {"amoor.w", "d,t,(s)"}, {"amomin.w", "d,t,(s)"},
    {"amomax.w", "d,t,(s)"}, {"amominu.w", "d,t,(s)"}, {"amomaxu.w", "d,t,(s)"}, {"lr.d", "d,(s)"},
    {"sc.d", "d,t,(s)"}, {"amoswap.d", "d,t,(s)"}, {"amoadd.d", "d,t,(s)"}, {"amoxor.d", "d,t,(s)"},
    {"amoand.d", "d,t,(s)"}, {"amoor.d", "d,t,(s)"}, {"amomin.d", "d,t,(s)"}, {"amomax.d", "d,t,(s)"},
    {"amominu.d", "d,t,(s)"}, {"amomaxu.d", "d,t,(s)"}, {"czero.eqz", "d,s,t"}, {"czero.nez", "d,s,t"},
    {"flw", "D,j(s)"}, {"fsw", "T,j(s)"}, {"fmadd.s", "D,S,T,Rm"}, {"fmsub.s", "D,S,T,Rm"}, {"fnmsub.s", "D,S,T,Rm"},
    {"fnmadd.s", "D,S,T,Rm"}, {"fadd.s", "D,S,Tm"}, {"fsub.s", "D,S,Tm"}, {"fmul.s", "D,S,Tm"}, {"fdiv.s", "D,S,Tm"},
    {"fsqrt.s", "D,Sm"}, {"fsgnj.s", "D,S,T"}, {"fsgnjn.s", "D,S,T"}, {"fsgnjx.s", "D,S,T"}, {"fmin.s", "D,S,T"},
    {"fmax.s", "D,S,T"}, {"fcvt.w.s", "d,Sm"}, {"fcvt.wu.s", "d,Sm"}, {"fcvt.l.s", "d,Sm"}, {"fcvt.lu.s", "d,Sm"},
    {"fmv.x.w", "d,S"}, {"feq.s", "d,S,T"}, {"flt.s", "d,S,T"}, {"fle.s", "d,S,T"}, {"fclass.s", "d,S"},
    {"fcvt.s.w", "D,sm"}, {"fcvt.s.wu", "D,sm"}, {"fcvt.s.l", "D,sm"}, {"fcvt.s.lu", "D,sm"}, {"fmv.w.x", "D,s"},
    {"fld", "D,j(s)"}, {"fsd", "T,j(s)"}, {"fmadd.d", "D,S,T,Rm"}, {"fmsub.d", "D,S,T,Rm"}, {"fnmsub.d", "D,S,T,Rm"},
    {"fnmadd.d", "D,S,T,Rm"}, {"fadd.d", "D,S,Tm"}, {"fsub.d", "D,S,Tm"}, {"fmul.d", "D,S,Tm"}, {"fdiv.d", "D,S,Tm"},
    {"fsqrt.d", "D,Sm"}, {"fsgnj.d", "D,S,T"}, {"fsgnjn.d", "D,S,T"}, {"fsgnjx.d", "D,S,T"}, {"fmin.d", "D,S,T"},
    {"fmax.d", "D,S,T"}, {"fcvt.w.d", "d,Sm"}, {"fcvt.wu.d", "d,Sm"}, {"fcvt.l.d", "d,Sm"}, {"fcvt.lu.d", "d,Sm"},
    {"fmv.x.d", "d,S"}, {"feq.d", "d,S,T"}, {"flt.d", "d,S,T"}, {"fle.d", "d,S,T"}, {"fclass.d", "d,S"},
    {"fcvt.d.w", "D,s"}, {"fcvt.d.wu", "D,s"}, {"fcvt.d.l", "D,sm"}, {"fcvt.d.lu", "D,sm"}, {"fmv.d.x", "D,s"},
    {"fcvt.s.d", "D,Sm"}, {"fcvt.d.s", "D,S"}, {"vx_tmc", "s"}, {"vx_wspawn", "s,t"}, {"vx_split", "d,s"},
    {"vx_join", "s"}, {"vx_bar", "s,t"}, {"vx_bar_arrive", "d,s,t"}, {"vx_bar_wait", "s,t"}, {"vx_pred", "s,t"},
    {"vx_wsync", ""}, {"vx_vote_all", "d,s"}, {"vx_vote_any", "d,s"}, {"vx_vote_uni", "d,s"},
    {"vx_vote_ballot", "d,s"}, {"vx_shfl_up", "d,s,t"}, {"vx_shfl_down", "d,s,t"}, {"vx_shfl_bfly", "d,s,t"},
    {"vx_shfl_idx", "d,s,t"}, {"vx_wgather", "d,s,t,r,q"}, {"vx_om_export", "s,t,r,q"}, {"vx_tex", "d,s,t,r,q"},
    {"vx_packlb_f", "D,s,t"}, {"vx_packlh_f", "D,s,t"},
};
// clang-format on
static_assert(sizeof kSyntax / sizeof *kSyntax == kOpCount);

constexpr const char* kRegisters[32] = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
                                        "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                        "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
constexpr const char* kFloatRegisters[32] = {
    "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0",  "fa1",  "fa2", "fa3", "fa4",  "fa5",
    "fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};

struct CsrName {
  unsigned number;
  const char* name;
};

// clang-format off
constexpr CsrName kStandard[] = {
    {0x001, "fflags"}, {0x002, "frm"}, {0x003, "fcsr"}, {0xC00, "cycle"}, {0xC01, "time"}, {0xC02, "instret"},
    {0xC80, "cycleh"}, {0xC81, "timeh"}, {0xC82, "instreth"}, {0x100, "sstatus"}, {0x104, "sie"}, {0x105, "stvec"},
    {0x106, "scounteren"}, {0x10A, "senvcfg"}, {0x140, "sscratch"}, {0x141, "sepc"}, {0x142, "scause"},
    {0x143, "stval"}, {0x144, "sip"}, {0x180, "satp"}, {0xF11, "mvendorid"}, {0xF12, "marchid"}, {0xF13, "mimpid"},
    {0xF14, "mhartid"}, {0x300, "mstatus"}, {0x301, "misa"}, {0x302, "medeleg"}, {0x303, "mideleg"}, {0x304, "mie"},
    {0x305, "mtvec"}, {0x306, "mcounteren"}, {0x30A, "menvcfg"}, {0x310, "mstatush"}, {0x31A, "menvcfgh"},
    {0x320, "mcountinhibit"}, {0x340, "mscratch"}, {0x341, "mepc"}, {0x342, "mcause"}, {0x343, "mtval"},
    {0x344, "mip"}, {0xB00, "mcycle"}, {0xB02, "minstret"}, {0xB80, "mcycleh"}, {0xB82, "minstreth"},
};
constexpr CsrName kSimt[] = {
    {GYRE_CSR_THREAD_ID, "thread_id"}, {GYRE_CSR_WARP_ID, "warp_id"}, {GYRE_CSR_CORE_ID, "core_id"},
    {GYRE_CSR_ACTIVE_WARPS, "active_warps"}, {GYRE_CSR_ACTIVE_THREADS, "active_threads"},
    {GYRE_CSR_CTA_ID, "cta_id"}, {GYRE_CSR_CTA_RANK, "cta_rank"}, {GYRE_CSR_CTA_SIZE, "cta_size"},
    {GYRE_CSR_CTA_THREAD_ID_X, "cta_thread_id_x"}, {GYRE_CSR_CTA_THREAD_ID_Y, "cta_thread_id_y"},
    {GYRE_CSR_CTA_THREAD_ID_Z, "cta_thread_id_z"}, {GYRE_CSR_CTA_BLOCK_ID_X, "cta_block_id_x"},
    {GYRE_CSR_CTA_BLOCK_ID_Y, "cta_block_id_y"}, {GYRE_CSR_CTA_BLOCK_ID_Z, "cta_block_id_z"},
    {GYRE_CSR_CTA_BLOCK_DIM_X, "cta_block_dim_x"}, {GYRE_CSR_CTA_BLOCK_DIM_Y, "cta_block_dim_y"},
    {GYRE_CSR_CTA_BLOCK_DIM_Z, "cta_block_dim_z"}, {GYRE_CSR_CTA_GRID_DIM_X, "cta_grid_dim_x"},
    {GYRE_CSR_CTA_GRID_DIM_Y, "cta_grid_dim_y"}, {GYRE_CSR_CTA_GRID_DIM_Z, "cta_grid_dim_z"},
    {GYRE_CSR_CTA_LMEM_ADDR, "cta_lmem_addr"}, {GYRE_CSR_CTA_CLUSTER_SIZE, "cta_cluster_size"},
    {GYRE_CSR_CTA_ENTRY, "cta_entry"}, {GYRE_CSR_FRAG_POS, "frag_pos"}, {GYRE_CSR_FRAG_PID, "frag_pid"},
    {GYRE_CSR_NUM_THREADS, "num_threads"}, {GYRE_CSR_NUM_WARPS, "num_warps"}, {GYRE_CSR_NUM_CORES, "num_cores"},
    {GYRE_CSR_LOCAL_MEM_BASE, "local_mem_base"}, {GYRE_CSR_NUM_BARRIERS, "num_barriers"},
};
// clang-format on

// Registers that come in numbered rows.
struct CsrRow {
  unsigned begin, end;
  unsigned first;  // number in the name of `begin`
  const char *name, *suffix;
};
constexpr CsrRow kRowsOfCsrs[] = {
    {0xB03, 0xB20, 3, "mhpmcounter", ""}, {0xB83, 0xBA0, 3, "mhpmcounter", "h"}, {0xC03, 0xC20, 3, "hpmcounter", ""},
    {0xC83, 0xCA0, 3, "hpmcounter", "h"}, {0x323, 0x340, 3, "mhpmevent", ""},    {0x3A0, 0x3B0, 0, "pmpcfg", ""},
    {0x3B0, 0x3F0, 0, "pmpaddr", ""},
};

}  // namespace

const Syntax& syntax_of(Op op) { return kSyntax[static_cast<unsigned>(op)]; }
const char* register_name(unsigned index) { return kRegisters[index & 31]; }
const char* float_register_name(unsigned index) { return kFloatRegisters[index & 31]; }

std::string csr_name(unsigned number, bool simt) {
  for (const CsrName& csr : kStandard)
    if (csr.number == number) return csr.name;
  for (const CsrRow& row : kRowsOfCsrs)
    if (number >= row.begin && number < row.end)
      return row.name + std::to_string(number - row.begin + row.first) + row.suffix;
  if (simt)
    for (const CsrName& csr : kSimt)
      if (csr.number == number) return csr.name;
  return {};
}

}  // namespace gyre::riscv
