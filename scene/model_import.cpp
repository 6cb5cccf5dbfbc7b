#include <assimp/GltfMaterial.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <assimp/DefaultLogger.hpp>
#include <assimp/Importer.hpp>
#include <cmath>
#include <filesystem>
#include <map>

#include "error.h"
#include "files.h"
#include "model.h"
#include "package.h"
#include "png_image.h"

namespace gyre::scene {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxTriangles = 4'000'000;

struct Material {
  float color[4] = {0.8f, 0.8f, 0.8f, 1.0f};
  int picture = -1;
  std::uint32_t wrap_u = GYRE_TEX_WRAP_REPEAT, wrap_v = GYRE_TEX_WRAP_REPEAT;
};

std::uint32_t wrap_of(const aiMaterial& material, aiTextureType type, bool second) {
  int mode = aiTextureMapMode_Wrap;
  const aiReturn found = second ? material.Get(AI_MATKEY_MAPPINGMODE_V(type, 0), mode)
                                : material.Get(AI_MATKEY_MAPPINGMODE_U(type, 0), mode);
  if (found != AI_SUCCESS) return GYRE_TEX_WRAP_REPEAT;
  if (mode == aiTextureMapMode_Mirror) return GYRE_TEX_WRAP_MIRROR;
  if (mode == aiTextureMapMode_Clamp || mode == aiTextureMapMode_Decal) return GYRE_TEX_WRAP_CLAMP;
  return GYRE_TEX_WRAP_REPEAT;
}

// %20 and the like, as URIs in glTF and Collada have them.
std::string percent_decoded(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && std::isxdigit(static_cast<unsigned char>(text[i + 1])) &&
        std::isxdigit(static_cast<unsigned char>(text[i + 2]))) {
      out += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      out += text[i] == '\\' ? '/' : text[i];
    }
  }
  return out;
}

// Pictures of one model, each read once.
class Pictures {
 public:
  Pictures(const aiScene& scene, fs::path folder, std::vector<Image>& out)
      : scene_(scene), folder_(std::move(folder)), out_(out) {}

  // Index of the picture, -1 when it cannot be had.
  int find(const std::string& name) {
    const auto known = known_.find(name);
    if (known != known_.end()) return known->second;
    int index = -1;
    try {
      out_.push_back(read(name));
      index = static_cast<int>(out_.size()) - 1;
    } catch (const UserError&) {
      // Another picture format or a missing file: the model is still worth drawing in its plain colours.
    }
    known_.emplace(name, index);
    return index;
  }

 private:
  Image read(const std::string& name) const {
    if (const aiTexture* texture = scene_.GetEmbeddedTexture(name.c_str())) return embedded(*texture);
    std::string path = percent_decoded(name);
    if (path.rfind("file://", 0) == 0) path = path.substr(7);
    const fs::path beside = folder_ / path;
    std::error_code none;
    return read_png((fs::is_regular_file(beside, none) ? beside : folder_ / fs::path(path).filename()).string());
  }
  static Image embedded(const aiTexture& texture) {
    if (texture.mHeight == 0)
      return decode_png({reinterpret_cast<const char*>(texture.pcData), texture.mWidth}, "embedded picture");
    Image image{texture.mWidth, texture.mHeight, {}};
    const std::size_t texels = std::size_t{texture.mWidth} * texture.mHeight;
    if (texels > (std::size_t{1} << 28)) user_error("embedded picture: too large");
    for (std::size_t i = 0; i < texels; ++i) {
      const aiTexel& t = texture.pcData[i];
      image.rgba.insert(image.rgba.end(), {t.r, t.g, t.b, t.a});
    }
    return image;
  }

  const aiScene& scene_;
  fs::path folder_;
  std::vector<Image>& out_;
  std::map<std::string, int> known_;
};

Material read_material(const aiMaterial& from, Pictures& pictures) {
  Material out;
  aiColor4D color;
  if (from.Get(AI_MATKEY_BASE_COLOR, color) == AI_SUCCESS || from.Get(AI_MATKEY_COLOR_DIFFUSE, color) == AI_SUCCESS) {
    out.color[0] = color.r;
    out.color[1] = color.g;
    out.color[2] = color.b;
  }
  for (aiTextureType type : {aiTextureType_BASE_COLOR, aiTextureType_DIFFUSE}) {
    aiString name;
    if (from.GetTextureCount(type) == 0 || from.GetTexture(type, 0, &name) != AI_SUCCESS) continue;
    out.picture = pictures.find(name.C_Str());
    out.wrap_u = wrap_of(from, type, false);
    out.wrap_v = wrap_of(from, type, true);
    if (out.picture >= 0) break;
  }
  return out;
}

float finite_or(float value, float fallback) { return std::isfinite(value) ? value : fallback; }

Corner corner_of(const aiMesh& mesh, unsigned index, const Material& material) {
  Corner out{};
  const aiVector3D& position = mesh.mVertices[index];
  out.position[0] = position.x;
  out.position[1] = position.y;
  out.position[2] = position.z;
  if (mesh.HasNormals()) {
    const aiVector3D& normal = mesh.mNormals[index];
    const float length = normal.Length();
    if (std::isfinite(length) && length > 0) {
      out.normal[0] = normal.x / length;
      out.normal[1] = normal.y / length;
      out.normal[2] = normal.z / length;
    }
  }
  if (mesh.HasTextureCoords(0)) {
    out.uv[0] = finite_or(mesh.mTextureCoords[0][index].x, 0);
    out.uv[1] = finite_or(1.0f - mesh.mTextureCoords[0][index].y, 0);
  }
  const aiColor4D vertex = mesh.HasVertexColors(0) ? mesh.mColors[0][index] : aiColor4D(1, 1, 1, 1);
  const float factors[4] = {vertex.r, vertex.g, vertex.b, 1.0f};
  for (unsigned k = 0; k < 4; ++k) out.color[k] = std::clamp(finite_or(material.color[k] * factors[k], 1), 0.0f, 1.0f);
  return out;
}

bool is_usable(const Corner* corners) {
  for (unsigned c = 0; c < 3; ++c)
    for (float value : corners[c].position)
      if (!std::isfinite(value) || std::abs(value) > 1e15f) return false;
  return true;
}

void append_mesh(const aiMesh& mesh, const Material& material, const std::string& path, std::size_t& triangles,
                 std::vector<Corner>& out) {
  for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
    const aiFace& face = mesh.mFaces[f];
    if (face.mNumIndices != 3) continue;
    Corner corners[3];
    bool inside = true;
    for (unsigned c = 0; c < 3; ++c) {
      inside = inside && face.mIndices[c] < mesh.mNumVertices;
      if (inside) corners[c] = corner_of(mesh, face.mIndices[c], material);
    }
    if (!inside) user_error("{}: a face names a vertex that is not there", path);
    if (!is_usable(corners)) continue;
    if (++triangles > kMaxTriangles) user_error("{}: more than {} triangles", path, kMaxTriangles);
    out.insert(out.end(), corners, corners + 3);
  }
}

std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7E) c = ' ';
  return text.substr(0, 200);
}

}  // namespace

Model import_model(const std::string& path) {
  Assimp::Importer importer;
  importer.SetPropertyInteger(AI_CONFIG_PP_SBP_REMOVE, aiPrimitiveType_POINT | aiPrimitiveType_LINE);
  importer.SetPropertyFloat(AI_CONFIG_PP_GSN_MAX_SMOOTHING_ANGLE, 60.0f);
  const aiScene* scene = nullptr;
  try {
    scene = importer.ReadFile(path, aiProcess_Triangulate | aiProcess_SortByPType | aiProcess_PreTransformVertices |
                                        aiProcess_GenSmoothNormals | aiProcess_GenUVCoords |
                                        aiProcess_TransformUVCoords | aiProcess_FindInvalidData);
  } catch (const std::exception& error) {
    user_error("{}: not a readable model: {}", path, one_line(error.what()));
  }
  if (!scene || !scene->HasMeshes())
    user_error("{}: not a readable model: {}", path,
               scene ? "it has no triangles" : one_line(importer.GetErrorString()));

  Model model;
  Pictures pictures(*scene, fs::path(path).parent_path(), model.pictures);
  std::size_t triangles = 0;
  std::map<std::tuple<int, std::uint32_t, std::uint32_t>, std::size_t> parts;
  for (unsigned m = 0; m < scene->mNumMeshes; ++m) {
    const aiMesh& mesh = *scene->mMeshes[m];
    if (!mesh.HasPositions() || !mesh.HasFaces()) continue;
    Material material;
    if (mesh.mMaterialIndex < scene->mNumMaterials)
      material = read_material(*scene->mMaterials[mesh.mMaterialIndex], pictures);
    if (!mesh.HasTextureCoords(0)) material.picture = -1;
    const auto key = std::make_tuple(material.picture, material.wrap_u, material.wrap_v);
    const auto [at, added] = parts.emplace(key, model.parts.size());
    if (added) {
      model.parts.emplace_back();
      model.parts.back().picture = material.picture;
      model.parts.back().wrap_u = material.wrap_u;
      model.parts.back().wrap_v = material.wrap_v;
    }
    append_mesh(mesh, material, path, triangles, model.parts[at->second].corners);
  }
  if (triangles == 0) user_error("{}: the model has no usable triangles", path);
  return model;
}

}  // namespace gyre::scene
