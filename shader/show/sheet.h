// Contact sheets: pictures of one size side by side, each with its name below.
#pragma once

#include "show.h"

namespace gyre::shader {

struct SheetEntry {
  std::string name;  // letters, digits, - and _ are drawn; everything else is a gap
  ShowResult picture;
};

// Pictures in rows of `columns` (>= 1), in the order given; all must have the size of the first. At least one.
ShowResult contact_sheet(const std::vector<SheetEntry>& entries, int columns);

// Stems of the shader pairs NAME.vert and NAME.frag in a folder, with the folder in front, sorted. Empty when there are
// none or the folder cannot be read.
std::vector<std::string> shader_pairs(const std::string& folder);

}  // namespace gyre::shader
