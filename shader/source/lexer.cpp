#include "lexer.h"

#include <charconv>
#include <string>

#include "csir.h"

namespace gyre::shader {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

constexpr std::string_view kPairs[] = {"==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-=", "*=", "/="};
constexpr std::string_view kSingles = "+-*/%<>=!&|^~?:;,.(){}[]";

class Lexer {
 public:
  Lexer(std::string_view source, Diagnostics* out) : source_(source), out_(out) {}

  std::vector<Token> run() {
    while (at_ < source_.size() && !out_->full()) {
      const char c = source_[at_];
      if (is_blank(c)) advance(1);
      else if (starts("//")) advance(std::min(source_.find('\n', at_), source_.size()) - at_);
      else if (starts("/*")) comment();
      else if (c == '#') directive();
      else if (is_letter(c)) name();
      else if (is_digit(c) || (c == '.' && at_ + 1 < source_.size() && is_digit(source_[at_ + 1]))) number();
      else symbol();
      if (tokens_.size() > kMaxTokens) {
        out_->error(tokens_.back().place, "more than 768 tokens");
        break;
      }
    }
    tokens_.push_back({TokenKind::kEnd, {}, place_, 0});
    return std::move(tokens_);
  }

 private:
  bool starts(std::string_view text) const { return source_.substr(at_, text.size()) == text; }

  void advance(std::size_t count) {
    for (const char c : source_.substr(at_, count)) {
      if (c == '\n') {
        ++place_.line;
        place_.column = 1;
        line_is_blank_ = true;
      } else {
        ++place_.column;
        line_is_blank_ &= is_blank(c);
      }
    }
    at_ = std::min(at_ + count, source_.size());
  }

  void push(TokenKind kind, std::size_t length, float value = 0) {
    tokens_.push_back({kind, source_.substr(at_, length), place_, value});
    advance(length);
  }

  void comment() {
    const std::size_t end = source_.find("*/", at_ + 2);
    if (end == std::string_view::npos) out_->error(place_, "comment without end");
    const bool blank = line_is_blank_;
    advance(std::min(end, source_.size() - 2) + 2 - at_);
    line_is_blank_ = blank;
  }

  void directive() {
    const Place place = place_;
    std::string_view line = source_.substr(at_ + 1, std::min(source_.find('\n', at_), source_.size()) - at_ - 1);
    const bool first = line_is_blank_;
    advance(line.size() + 1);
    if (!first) return out_->error(place, "a directive stands at the start of a line");
    const auto word = [&line] {
      while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
      std::size_t length = 0;
      while (length < line.size() && !is_blank(line[length])) ++length;
      const std::string_view found = line.substr(0, length);
      line.remove_prefix(length);
      return found;
    };
    const std::string_view directive = word();
    if (directive != "version") return out_->error(place, "#" + quoted(directive) + " is not supported, only #version");
    if (!tokens_.empty()) return out_->error(place, "#version stands before everything else");
    const std::string_view digits = word();
    int version = 0;
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), version);
    if (end.ec != std::errc() || end.ptr != digits.data() + digits.size() || version < 110 || version > 330)
      return out_->error(place, "#version " + quoted(digits) + ": a version from 110 to 330 stands here");
    const std::string_view profile = word();
    if (!(profile.empty() || profile == "core") || !word().empty()) out_->error(place, "only \"core\" may follow the version");
  }

  void name() {
    std::size_t length = 1;
    while (at_ + length < source_.size() && (is_letter(source_[at_ + length]) || is_digit(source_[at_ + length]))) ++length;
    if (length > kMaxNameBytes) out_->error(place_, "a name has at most 39 characters");
    push(TokenKind::kName, length);
  }

  void number() {
    const std::string_view rest = source_.substr(at_);
    std::size_t length = 0;
    const auto digits = [&] {
      while (length < rest.size() && is_digit(rest[length])) ++length;
    };
    digits();
    bool floating = false;
    if (length < rest.size() && rest[length] == '.') {
      floating = true;
      ++length;
      digits();
    }
    if (length < rest.size() && (rest[length] == 'e' || rest[length] == 'E')) {
      std::size_t sign = length + 1;
      if (sign < rest.size() && (rest[sign] == '+' || rest[sign] == '-')) ++sign;
      if (sign < rest.size() && is_digit(rest[sign])) {
        floating = true;
        length = sign;
        digits();
      }
    }
    float value = 0;
    const char *const begin = rest.data(), *const end = begin + length;
    const auto parsed = std::from_chars(begin, end, value);
    std::size_t total = length;
    if (floating && total < rest.size() && (rest[total] == 'f' || rest[total] == 'F')) ++total;
    while (total < rest.size() && (is_letter(rest[total]) || is_digit(rest[total]))) {
      out_->error(place_, "\"" + quoted(rest.substr(0, total + 1)) + "\" is not a number; only decimal numbers are known");
      break;
    }
    if (parsed.ec != std::errc()) out_->error(place_, "the number does not fit a float");
    if (!floating) {
      int whole = 0;
      if (std::from_chars(begin, end, whole).ec != std::errc()) out_->error(place_, "the number does not fit an int");
      if (length > 1 && rest[0] == '0') out_->error(place_, "a decimal number does not begin with 0");
    }
    push(floating ? TokenKind::kFloat : TokenKind::kInt, total, value);
  }

  void symbol() {
    for (const std::string_view pair : kPairs)
      if (starts(pair)) return push(TokenKind::kSymbol, 2);
    if (kSingles.find(source_[at_]) != std::string_view::npos) return push(TokenKind::kSymbol, 1);
    out_->error(place_, "\"" + quoted(source_.substr(at_, 1)) + "\" is not part of the language");
    advance(1);
  }

  std::string_view source_;
  Diagnostics* out_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  Place place_{1, 1};
  bool line_is_blank_ = true;
};

}  // namespace

std::vector<Token> tokenize(std::string_view source, Diagnostics* out) {
  if (source.empty()) out->error({1, 1}, "the source is empty");
  if (source.size() > kMaxSourceBytes) {
    out->error({1, 1}, "the source has " + std::to_string(source.size()) + " bytes, it may have 4095");
    source = source.substr(0, 0);
  }
  return Lexer(source, out).run();
}

}  // namespace gyre::shader
