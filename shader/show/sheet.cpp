#include "sheet.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace gyre::shader {
namespace {

constexpr std::uint32_t kPaper = 0xFF202428, kInk = 0xFFE0E4E8;
constexpr int kGlyphWidth = 3, kGlyphHeight = 5;

// Five rows of three pixels, an octal digit each, the top row first.
constexpr std::uint16_t kLetters[] = {025755, 065656, 034443, 065556, 074647, 074644, 034553, 055755, 072227,
                                      011152, 055655, 044447, 057755, 065555, 025552, 065644, 025573, 065655,
                                      034216, 072222, 055557, 055552, 055775, 055255, 055222, 071247};
constexpr std::uint16_t kDigits[] = {075557, 026227, 061247, 061216, 055711, 074616, 034652, 071222, 025252, 025316};

std::uint16_t glyph(char c) {
  if (c >= 'a' && c <= 'z') return kLetters[c - 'a'];
  if (c >= 'A' && c <= 'Z') return kLetters[c - 'A'];
  if (c >= '0' && c <= '9') return kDigits[c - '0'];
  return c == '-' ? 000700 : c == '_' ? 000007 : 0;
}

struct Canvas {
  ShowResult* picture;

  void fill(int x, int y, int width, int height, std::uint32_t word) {
    for (int row = std::max(y, 0); row < std::min(y + height, picture->height); ++row)
      for (int column = std::max(x, 0); column < std::min(x + width, picture->width); ++column) at(column, row) = word;
  }
  // Cut at `room` pixels.
  void text(int x, int y, int scale, int room, const std::string& words) {
    const int advance = (kGlyphWidth + 1) * scale;
    for (const char c : words) {
      if (room < advance) return;
      const std::uint16_t rows = glyph(c);
      for (int i = 0; i < kGlyphWidth * kGlyphHeight; ++i)
        if ((rows >> (kGlyphWidth * kGlyphHeight - 1 - i) & 1) != 0)
          fill(x + i % kGlyphWidth * scale, y + i / kGlyphWidth * scale, scale, scale, kInk);
      x += advance;
      room -= advance;
    }
  }
  std::uint32_t& at(int x, int y) {
    return picture
        ->words[static_cast<std::size_t>(y) * static_cast<std::size_t>(picture->width) + static_cast<std::size_t>(x)];
  }
};

}  // namespace

ShowResult contact_sheet(const std::vector<SheetEntry>& entries, int columns) {
  const int count = static_cast<int>(entries.size());
  columns = std::min(columns, count);
  const int width = entries[0].picture.width, height = entries[0].picture.height;
  const int scale = std::max(1, width / 80), gap = 2 * scale, caption = (kGlyphHeight + 2) * scale;
  const int rows = (count + columns - 1) / columns;
  ShowResult sheet;
  sheet.ok = true;
  sheet.width = columns * (width + gap) + gap;
  sheet.height = rows * (height + caption + gap) + gap;
  sheet.words.assign(static_cast<std::size_t>(sheet.width) * static_cast<std::size_t>(sheet.height), kPaper);
  Canvas canvas{&sheet};
  for (int i = 0; i < count; ++i) {
    const SheetEntry& entry = entries[static_cast<std::size_t>(i)];
    const int x = gap + i % columns * (width + gap), y = gap + i / columns * (height + caption + gap);
    for (int row = 0; row < height; ++row)
      std::copy_n(entry.picture.words.begin() + static_cast<std::ptrdiff_t>(row) * width, width,
                  &canvas.at(x, y + row));
    canvas.text(x + scale, y + height + scale, scale, width - scale, entry.name);
    sheet.stats.triangles += entry.picture.stats.triangles;
    sheet.stats.fragments += entry.picture.stats.fragments;
  }
  return sheet;
}

std::vector<std::string> shader_pairs(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::filesystem::path path = at->path();
    if (path.extension() != ".frag") continue;
    path.replace_extension(".vert");
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) out.push_back(path.replace_extension().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace gyre::shader
