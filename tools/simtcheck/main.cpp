// simtcheck [--source-root DIR] [--allow-pred] FILE.elf...: proves that device programs keep the divergence rules of
// simt_c.md §5. Exit code 0 = they do, 1 = findings listed, 2 = a file cannot be used.
#include <cstdio>
#include <cstring>

#include "checker.h"
#include "elf_image.h"
#include "source_lines.h"

namespace {

using namespace gyre;

// "/* uniform: why */" or "// uniform: why", with a reason.
bool has_waiver(const std::string& line) {
  static const char kMark[] = "uniform:";
  for (const char* open : {"/*", "//"}) {
    const size_t comment = line.find(open);
    if (comment == std::string::npos) continue;
    const size_t mark = line.find(kMark, comment);
    if (mark == std::string::npos) continue;
    const size_t why = line.find_first_not_of(" \t", mark + sizeof kMark - 1);
    if (why != std::string::npos && line.compare(why, 2, "*/") != 0) return true;
  }
  return false;
}

bool check(const std::string& path, const std::string& source_root, bool allow_pred) {
  const tools::ElfImage image = tools::read_elf(path);
  tools::SourceLines lines(path, source_root);
  simtcheck::Checker checker(
      image, [&](uint32_t address) { return has_waiver(lines.text(lines.find(address))); }, allow_pred);
  const simtcheck::Report report = checker.run();
  for (const auto& finding : report.findings) {
    const auto place = lines.find(finding.address);
    std::printf("%s:%d: in %s at 0x%08x: rule %d: %s\n", place.file.empty() ? "?" : place.file.c_str(), place.line,
                finding.function.c_str(), finding.address, finding.rule, finding.text.c_str());
  }
  if (!report.findings.empty()) {
    std::printf(
        "simtcheck: %s: %zu finding%s; a uniform branch the checker cannot prove takes simt_any() or a"
        " /* uniform: why */ comment on its line\n",
        path.c_str(), report.findings.size(), report.findings.size() == 1 ? "" : "s");
    return false;
  }
  std::printf("simtcheck: %zu functions, %zu splits, %zu branches, %zu waived: ok\n", report.functions, report.splits,
              report.branches, report.waived);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::string source_root = ".";
  bool allow_pred = false, good = true, any = false;
  try {
    for (int i = 1; i < argc; ++i) {
      if (std::strcmp(argv[i], "--source-root") == 0 && i + 1 < argc) {
        source_root = argv[++i];
      } else if (std::strcmp(argv[i], "--allow-pred") == 0) {
        allow_pred = true;
      } else if (argv[i][0] == '-') {
        throw tools::ToolError(std::string("unknown option ") + argv[i]);
      } else {
        any = true;
        good = check(argv[i], source_root, allow_pred) && good;
      }
    }
    if (!any) throw tools::ToolError("usage: simtcheck [--source-root DIR] [--allow-pred] FILE.elf...");
  } catch (const tools::ToolError& error) {
    std::fprintf(stderr, "simtcheck: %s\n", error.what());
    return 2;
  }
  return good ? 0 : 1;
}
