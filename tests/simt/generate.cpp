// generate SEED COUNT FILE: random structured programs in device C (simt_c.md §5, the third net). Each is a kernel
// that reads 8 words per lane, runs nested per-lane and uniform control flow over them, and writes 12 words back. The host
// twins of simt.h make the same file a plain program per lane, which is what the lanes must agree with.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>

namespace {

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  std::string program(unsigned number) {
    text_.clear();
    counters_ = 0;
    const std::string name = "random_" + std::to_string(number);
    line("SIMT_KERNEL void " + name + "(const random_arg* arg);");
    line("SIMT_KERNEL void " + name + "(const random_arg* arg) {");
    indent_ = 1;
    line("const uint32_t i = simt_global_x(), n = arg->uniform;");
    line("SIMT_IF(i < arg->count)");
    line("const uint32_t* in = (const uint32_t*)(uintptr_t)arg->in + 8 * i;");
    line("uint32_t* out = (uint32_t*)(uintptr_t)arg->out + 12 * i;");
    for (int k = 0; k < 8; ++k) line("uint32_t u" + std::to_string(k) + " = in[" + std::to_string(k) + "];");
    for (int k = 0; k < 4; ++k) line("float f" + std::to_string(k) + " = to_float(u" + std::to_string(k) + ");");
    block(3, 3 + below(4));
    for (int k = 0; k < 8; ++k) line("out[" + std::to_string(k) + "] = u" + std::to_string(k) + ";");
    for (int k = 0; k < 4; ++k) line("out[" + std::to_string(8 + k) + "] = simt_f32_bits(f" + std::to_string(k) + ");");
    line("SIMT_END");
    indent_ = 0;
    line("}");
    line("");
    return text_;
  }

 private:
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  void line(const std::string& text) { text_ += std::string(2 * indent_, ' ') + text + "\n"; }
  std::string u() { return "u" + std::to_string(below(8)); }
  std::string f() { return "f" + std::to_string(below(4)); }

  std::string integer() {
    switch (below(9)) {
      case 0:
        return u() + " + " + u();
      case 1:
        return u() + " * " + std::to_string(2 * below(500) + 1) + "u";
      case 2:
        return u() + " ^ " + u();
      case 3:
        return "(" + u() + " >> " + std::to_string(below(31) + 1) + ") + " + u();
      case 4:
        return u() + " - n";
      case 5:
        return "simt_sel(" + condition() + ", " + u() + ", " + u() + ")";
      case 6:
        return "(uint32_t)gyre_f32_to_i32_sat(" + f() + ") + " + u();
      case 7:
        return "twist(" + u() + ", n)";
      default:
        return u() + " / ((" + u() + " & 15) + 1)";
    }
  }
  // Results stay small, so that there are no infinities and no NaN, whose bits the two machines choose differently.
  std::string real() {
    switch (below(5)) {
      case 0:
        return "limit(" + f() + " * " + f() + ")";
      case 1:
        return "limit(" + f() + " + to_float(" + u() + "))";
      case 2:
        return "limit(" + f() + " - " + f() + " * 0.75f)";
      case 3:
        return "simt_sqrtf(simt_fabsf(" + f() + "))";
      default:
        return "simt_self(" + condition() + ", " + f() + ", " + f() + ")";
    }
  }
  std::string condition() {
    switch (below(5)) {
      case 0:
        return "(" + u() + " & " + std::to_string(1u << below(6)) + ")";
      case 1:
        return "(" + u() + " < " + u() + ")";
      case 2:
        return "(" + f() + " > " + f() + ")";
      case 3:
        return "((" + u() + " % 3) == 1)";
      default:
        return "((" + u() + " < " + u() + ") | (" + f() + " <= 1.0f))";
    }
  }

  void block(unsigned depth, unsigned statements) {
    for (unsigned k = 0; k < statements; ++k) statement(depth);
  }
  void inner(unsigned depth) {
    ++indent_;
    block(depth - 1, 1 + below(3));
    --indent_;
  }
  void statement(unsigned depth) {
    const unsigned kind = depth == 0 ? below(4) : below(11);
    if (kind < 3) return line(u() + " = " + integer() + ";");
    if (kind == 3) return line(f() + " = " + real() + ";");
    if (kind < 6) {
      line("SIMT_IF(" + condition() + ")");
      inner(depth);
      return line("SIMT_END");
    }
    if (kind < 8) {
      line("SIMT_IF(" + condition() + ")");
      inner(depth);
      line("SIMT_ELSE");
      inner(depth);
      return line("SIMT_END_ELSE");
    }
    const std::string k = "k" + std::to_string(counters_++);
    if (kind == 8) {  // trip count per lane
      line("uint32_t " + k + " = " + u() + " & 3;");
      line("SIMT_WHILE(" + k + " != 0)");
      line("  --" + k + ";");
      inner(depth);
      return line("SIMT_END_WHILE");
    }
    if (kind == 9) {  // fixed or uniform trip count
      const std::string bound = below(2) != 0 ? std::to_string(below(3) + 2) : "(n & 3)";
      line("for (uint32_t " + k + " = 0; " + k + " < " + bound + "; ++" + k + ") {");
      inner(depth);
      return line("}");
    }
    line("const uint32_t " + k + " = " + condition() + " != 0;");
    line("if (simt_any(" + k + ")) {");
    line("  SIMT_IF(" + k + ")");
    ++indent_;
    inner(depth);
    --indent_;
    line("  SIMT_END");
    line("}");
  }

  std::mt19937 random_;
  std::string text_;
  unsigned indent_ = 0, counters_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: generate SEED COUNT FILE\n");
    return 2;
  }
  const auto seed = static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10));
  const auto count = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
  std::ofstream out(argv[3]);
  out << "/* Generated: seed " << seed << ". */\n#include \"random_programs.h\"\n\n";
  Generator generator(seed);
  for (unsigned number = 0; number < count; ++number) out << generator.program(number);
  out << "#ifndef __riscv\ntypedef void (*random_program)(const random_arg*);\nrandom_program random_table[] = {";
  for (unsigned number = 0; number < count; ++number)
    out << (number % 8 == 0 ? "\n  " : " ") << "random_" << number << ",";
  out << "\n};\n#endif\n";
  return out.flush() ? 0 : 2;
}
