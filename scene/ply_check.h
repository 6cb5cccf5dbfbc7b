// A look at PLY files before the importer gets them: it never ends on some files that are cut short.
#pragma once

#include <string>
#include <string_view>

namespace gyre::scene {

// UserError with `name` unless the header is whole and the data holds every element it promises.
void check_ply(std::string_view content, const std::string& name);

}  // namespace gyre::scene
