#include "scene.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>

#include "cgltrace_reader.h"
#include "drawlist_reader.h"
#include "error.h"
#include "files.h"
#include "model_reader.h"
#include "package_view.h"

namespace gyre::scene {
namespace {

std::string extension_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

}  // namespace

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::kPackage:
      return "draw package";
    case Kind::kTrace:
      return "trace";
    case Kind::kDrawList:
      return "draw list";
    case Kind::kModel:
      return "model";
  }
  return "?";
}

Kind detect(const std::string& path, std::string_view content) {
  const std::uint32_t magic = GYRE_PKG_MAGIC;
  if (content.size() >= sizeof magic && std::memcmp(content.data(), &magic, sizeof magic) == 0) return Kind::kPackage;
  const std::string extension = extension_of(path);
  if (extension == ".gpkg") return Kind::kPackage;
  if (extension == ".cgltrace") return Kind::kTrace;
  if (extension == ".json") return Kind::kDrawList;
  const std::string_view head = content.substr(0, 1024);
  if (head.find("<boost_serialization") != std::string_view::npos) return Kind::kTrace;
  if (extension == ".gltf") return Kind::kModel;
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && head[first] == '{') return Kind::kDrawList;
  return Kind::kModel;
}

std::vector<std::uint8_t> load(const std::string& path, std::uint32_t width, std::uint32_t height) {
  const std::string content = read_file(path);
  const Kind kind = detect(path, content);
  std::vector<std::uint8_t> bytes;
  switch (kind) {
    case Kind::kPackage: {
      bytes.assign(content.begin(), content.end());
      const PackageView view(bytes, path);
      if ((width != 0 && width != view.width()) || (height != 0 && height != view.height()))
        user_error("{}: the package is for {}x{} pixels and cannot be drawn at another size", path, view.width(),
                   view.height());
      return bytes;
    }
    case Kind::kTrace:
      bytes = read_cgltrace(content, path, width != 0 ? width : kTraceSide, height != 0 ? height : kTraceSide);
      break;
    case Kind::kDrawList:
      bytes = read_drawlist(content, path, width, height);
      break;
    case Kind::kModel:
      bytes = read_model(path, width != 0 ? width : kModelWidth, height != 0 ? height : kModelHeight);
      break;
  }
  PackageView(bytes, path);
  return bytes;
}

}  // namespace gyre::scene
