#include <charconv>
#include <cstring>

#include "csir_text.h"
#include "csir_text_names.h"
#include "verifier.h"

namespace gyre::shader {
namespace {

struct Word {
  std::string_view text;
  int column = 1;
};

// Thrown inside a line, caught at its end: the reader goes on with the next line.
struct BadLine {};

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

class Reader {
 public:
  Reader(std::string_view text, Diagnostics* out) : text_(text), out_(out) {}

  std::optional<Shader> read() {
    const int before = out_->count();
    for (std::size_t begin = 0; begin <= text_.size() && !out_->full();) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      ++line_;
      try {
        split(text_.substr(begin, end - begin));
        if (!words_.empty()) line();
      } catch (const BadLine&) {
      }
      begin = end + 1;
    }
    if (!header_ && out_->count() == before) out_->error({1, 1}, "the text begins with \"csir 1 vertex\" or \"csir 1 fragment\"");
    if (out_->count() != before || !verify(shader_, out_, VerifyRules::kHardened, places_)) return std::nullopt;
    return std::move(shader_);
  }

 private:
  [[noreturn]] void fail(const Word& word, std::string message) {
    out_->error({line_, word.column}, std::move(message));
    throw BadLine{};
  }

  void split(std::string_view line) {
    line = line.substr(0, line.find(';'));
    words_.clear();
    next_ = 0;
    for (std::size_t i = 0; i < line.size();) {
      if (blank(line[i])) {
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < line.size() && !blank(line[end])) ++end;
      words_.push_back({line.substr(i, end - i), static_cast<int>(i) + 1});
      i = end;
    }
    end_column_ = static_cast<int>(line.size()) + 1;
  }

  bool more() const { return next_ < words_.size(); }
  Word word(const char* what) {
    if (!more()) fail({{}, end_column_}, std::string("expected ") + what);
    return words_[next_++];
  }
  void expect(const char* text) {
    const Word found = word(text);
    if (found.text != text) fail(found, std::string("expected \"") + text + "\", found \"" + quoted(found.text) + "\"");
  }
  void end_of_line() {
    if (more()) fail(words_[next_], "\"" + quoted(words_[next_].text) + "\" is too much here");
  }

  int integer(const Word& at, std::string_view text, int high) {
    int value = -1;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || end.ec != std::errc() || end.ptr != text.data() + text.size() || value < 0 || value > high)
      fail(at, "\"" + quoted(text) + "\": a number from 0 to " + std::to_string(high) + " stands here");
    return value;
  }
  int integer(int high) {
    const Word at = word("a number");
    return integer(at, at.text, high);
  }

  std::int16_t temp(const Word& at, std::string_view text) {
    if (text.empty() || text[0] != '%') fail(at, "\"" + quoted(text) + "\": a temporary is %0 to %95");
    return static_cast<std::int16_t>(integer(at, text.substr(1), kMaxTemps - 1));
  }
  std::int16_t temp() {
    const Word at = word("a temporary");
    return temp(at, at.text);
  }
  int lane(const Word& at, char c) {
    const char* found = c == 0 ? nullptr : std::strchr(kLaneNames, c);
    if (found == nullptr) fail(at, "a lane is x, y, z or w");
    return static_cast<int>(found - kLaneNames);
  }
  // "%3.y"
  std::int16_t temp_and_lane(const Word& at, int* which) {
    const std::size_t dot = at.text.find('.');
    if (dot == std::string_view::npos || dot + 2 != at.text.size()) fail(at, "expected a temporary and a lane, %3.y");
    *which = lane(at, at.text[dot + 1]);
    return temp(at, at.text.substr(0, dot));
  }

  void line() {
    const Word first = words_[next_++];
    if (!header_) return header(first);
    if (first.text == "temps") {
      if (have_temps_) fail(first, "temps stands twice");
      shader_.temps = integer(kMaxTemps);
      have_temps_ = true;
    } else if (first.text == "imm") {
      while (more()) immediate();
    } else if (const int kind = interface_kind(first.text); kind != 0) {
      interface(first, static_cast<InterfaceKind>(kind));
    } else {
      instruction(first);
    }
    end_of_line();
  }

  void header(const Word& first) {
    if (first.text != "csir") fail(first, "the text begins with \"csir 1 vertex\" or \"csir 1 fragment\"");
    expect("1");
    const Word stage = word("vertex or fragment");
    if (stage.text == "fragment") shader_.stage = Stage::kFragment;
    else if (stage.text != "vertex") fail(stage, "stage \"" + quoted(stage.text) + "\" is not vertex or fragment");
    end_of_line();
    header_ = true;
  }

  void immediate() {
    const Word at = word("a number");
    if (shader_.immediates.size() == kMaxImmediates) fail(at, "more than 160 immediates");
    const char *begin = at.text.data(), *const end = begin + at.text.size();
    float value = 0;
    std::from_chars_result result{};
    if (at.text.size() > 2 && at.text.substr(0, 2) == "0x") {
      std::uint32_t bits = 0;
      result = std::from_chars(begin + 2, end, bits, 16);
      value = float_from_bits(bits);
    } else {
      result = std::from_chars(begin, end, value);
    }
    if (result.ec != std::errc() || result.ptr != end)
      fail(at, "\"" + quoted(at.text) + "\" is not a float: write decimal, or 0x and the bits");
    shader_.immediates.push_back(value);
  }

  static int interface_kind(std::string_view text) {
    for (int kind = 1; kind <= 4; ++kind)
      if (text == kInterfaceWords[kind]) return kind;
    return 0;
  }

  void interface(const Word& first, InterfaceKind kind) {
    if (shader_.interface.size() == kMaxAttributes + kMaxVaryings + kMaxUniformSlots + kMaxSamplers)
      fail(first, "too many interface entries");
    InterfaceEntry entry;
    entry.kind = kind;
    const Word name = word("a name");
    entry.name = std::string(name.text);
    if (!is_name(entry.name)) fail(name, "\"" + quoted(name.text) + "\" is not a name of at most 39 characters");
    const Word type = word("a type");
    if (!type_from_name(std::string(type.text), &entry.type)) fail(type, "\"" + quoted(type.text) + "\" is not a type");
    entry.slot = integer(kMaxUniformSlots - 1);
    shader_.interface.push_back(entry);
  }

  void instruction(const Word& first) {
    if (shader_.code.size() == kMaxInstructions) fail(first, "more than 384 instructions");
    Instruction ins;
    Word op = first;
    int dst_lane = -1;
    const bool assigns = first.text[0] == '%';
    if (assigns) {
      ins.dst = first.text.find('.') == std::string_view::npos ? temp(first, first.text) : temp_and_lane(first, &dst_lane);
      expect("=");
      op = word("an operation");
    }
    mnemonic(op, &ins);
    const OpInfo& info = op_info(static_cast<Op>(ins.op));
    if (info.dst != assigns) fail(op, std::string(info.name) + (info.dst ? " needs a destination, %d =" : " has no destination"));
    if ((info.aux == Aux::kLanes) != (dst_lane >= 0)) fail(first, "only lane writes one lane: %d.x = lane %a.y");
    operands(&ins, info, dst_lane);
    shader_.code.push_back(ins);
    places_.push_back({line_, first.column});
  }

  void operands(Instruction* ins, const OpInfo& info, int dst_lane) {
    switch (info.aux) {
      case Aux::kLanes: {
        int from = 0;
        ins->a = temp_and_lane(word("a temporary and a lane"), &from);
        ins->aux = static_cast<std::int16_t>(dst_lane);
        ins->aux2 = static_cast<std::int16_t>(from);
        return;
      }
      case Aux::kImmediate: {
        const Word at = word("@ and the first immediate");
        if (at.text[0] != '@') fail(at, "expected @ and the first immediate");
        ins->aux = static_cast<std::int16_t>(integer(at, at.text.substr(1), kMaxImmediates - 1));
        break;
      }
      case Aux::kUniform:
        ins->aux = static_cast<std::int16_t>(integer(kMaxUniformSlots - 1));
        expect("count");
        ins->aux2 = static_cast<std::int16_t>(integer(kMaxUniformSlots));
        break;
      case Aux::kSampler: ins->aux = static_cast<std::int16_t>(integer(kMaxSamplers - 1)); break;
      case Aux::kAttribute: ins->aux = static_cast<std::int16_t>(integer(kMaxAttributes - 1)); break;
      case Aux::kVarying: ins->aux = static_cast<std::int16_t>(integer(kMaxVaryings - 1)); break;
      default: break;
    }
    if (info.a) ins->a = temp();
    if (info.b) ins->b = temp();
    if (info.aux == Aux::kPattern) {
      const Word at = word("a pattern of x, y, z and w");
      if (at.text.size() != ins->ncomp) fail(at, "the pattern has as many letters as the operation lanes");
      int pattern = 0;
      for (std::size_t k = 0; k < at.text.size(); ++k) pattern |= lane(at, at.text[k]) << (2 * k);
      ins->aux = static_cast<std::int16_t>(pattern);
    }
  }

  // name, name4, name.N, name.lt, each with :TYPE
  void mnemonic(const Word& at, Instruction* ins) {
    std::string_view text = at.text, type, suffix;
    if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
      type = text.substr(colon + 1);
      text = text.substr(0, colon);
    }
    if (const std::size_t dot = text.find('.'); dot != std::string_view::npos) {
      suffix = text.substr(dot + 1);
      text = text.substr(0, dot);
    }
    int width = 0;
    if (!text.empty() && (text.back() == '3' || text.back() == '4')) {
      width = text.back() - '0';
      text.remove_suffix(1);
    }
    const int op = find_op(text, width);
    if (op < 0) fail(at, "\"" + quoted(at.text) + "\" is not an operation");
    ins->op = static_cast<std::uint8_t>(op);
    const OpInfo& info = op_info(static_cast<Op>(op));
    if (info.aux == Aux::kWidth) ins->aux = static_cast<std::int16_t>(width);
    if (info.aux == Aux::kCompare) {
      for (int k = kLess; k <= kNotEqual; ++k)
        if (suffix == kCompareNames[k]) ins->aux = static_cast<std::int16_t>(k);
      if (ins->aux == 0) fail(at, "cmp is followed by .lt .gt .le .ge .eq or .ne");
    } else if (info.lanes) {
      if (suffix.size() != 1 || suffix[0] < '1' || suffix[0] > '4') fail(at, std::string(info.name) + " is followed by .1 to .4");
      ins->ncomp = static_cast<std::uint8_t>(suffix[0] - '0');
    } else if (text.size() + (width != 0) != at.text.substr(0, at.text.find(':')).size()) {
      fail(at, std::string(info.name) + " has no suffix");
    }
    Type result = default_type(*ins);
    if (at.text.find(':') != std::string_view::npos && !type_from_name(std::string(type), &result))
      fail(at, "\"" + quoted(type) + "\" is not a type");
    ins->ty = static_cast<std::uint8_t>(result);
  }

  static int find_op(std::string_view name, int width) {
    for (int op = 0; op < kOpCount; ++op) {
      const OpInfo& info = op_info(static_cast<Op>(op));
      if (name == info.name && (info.aux == Aux::kWidth) == (width != 0)) return op;
    }
    return -1;
  }

  std::string_view text_;
  Diagnostics* out_;
  Shader shader_;
  std::vector<Place> places_;
  std::vector<Word> words_;
  std::size_t next_ = 0;
  int line_ = 0, end_column_ = 1;
  bool header_ = false, have_temps_ = false;
};

}  // namespace

std::optional<Shader> read_text(std::string_view text, Diagnostics* diagnostics) {
  return Reader(text, diagnostics).read();
}

}  // namespace gyre::shader
