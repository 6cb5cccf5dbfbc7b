// Where the test files are, and mutation of good files.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "error.h"
#include "gyre_paths.h"

namespace gyre::test {

namespace fs = std::filesystem;

inline fs::path source_dir() { return GYRE_SOURCE_DIR; }
// Material that is not part of the repository: it may be absent. GYRE_SHARED_DIR names another place for it.
inline fs::path shared_dir() {
  const char* other = std::getenv("GYRE_SHARED_DIR");
  return other ? fs::path(other) : source_dir().parent_path() / "shared";
}

inline std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  BOOST_REQUIRE_MESSAGE(in, "cannot open " << path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Files of a folder with this extension, in the order of their names.
inline std::vector<fs::path> files_in(const fs::path& folder, const std::string& extension = "") {
  std::vector<fs::path> out;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (entry.is_regular_file() && (extension.empty() || entry.path().extension() == extension))
      out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

// A case that could not run is printed and counted, never silent.
inline void skipped(const std::string& what, unsigned& count) {
  ++count;
  std::cout << "SKIPPED: " << what << " (" << count << " skipped in this program)\n";
}

// One damaged copy of `text`: bytes changed, removed, doubled, words swapped for nasty ones, or the end cut off.
inline std::string mutate(std::string text, std::mt19937& random) {
  static const std::vector<std::string> kNasty{
      "-1", "99999999999999999999", "1e999", "nan", "", "{", "[", "\"", "<a>", "</", "\0\1", ":", "\xFF", "- -", "&",
      "0"};
  const auto pick = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  for (unsigned k = 0, n = 1 + random() % 3; k < n && !text.empty(); ++k) {
    const std::size_t at = pick(text.size());
    switch (random() % 6) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, 1 + pick(20));
        break;
      case 2:
        text.insert(at, text.substr(pick(text.size()), 1 + pick(30)));
        break;
      case 3:
        text.replace(at, 1 + pick(4), kNasty[pick(kNasty.size())]);
        break;
      case 4:
        text[at] = static_cast<char>(text[at] ^ (1 << random() % 8));
        break;
      default:
        if (random() % 4 == 0) text.resize(at);
    }
  }
  return text;
}

// A UserError of one line that names the file.
inline bool names_file_in_one_line(const UserError& error, const std::string& file) {
  const std::string text = error.what();
  return text.find(file) != std::string::npos && text.find('\n') == std::string::npos && text.size() < 1000;
}

// Calls `body` and says whether it threw a UserError; any other exception fails the test.
template <class Body>
bool refuses(Body body) {
  try {
    body();
    return false;
  } catch (const UserError&) {
    return true;
  }
}

}  // namespace gyre::test
