// A model as plain triangles: what the importer hands to camera and light.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "image.h"

namespace gyre::scene {

struct Corner {
  float position[3];
  float normal[3];  // unit length
  float uv[2];      // v = 0 is the top row of the picture
  float color[4];   // material times vertex colour
};

// Triangles that share a picture and its wrap modes.
struct ModelPart {
  int picture = -1;                      // index into Model::pictures, -1: none
  std::uint32_t wrap_u = 0, wrap_v = 0;  // GYRE_TEX_WRAP_*
  std::vector<Corner> corners;           // triangle list
};

struct Model {
  std::vector<ModelPart> parts;
  std::vector<Image> pictures;
};

// Reads a model file through Assimp: node transforms baked, polygons cut into triangles, normals made where they are
// missing. Pictures that cannot be read are left out: the part keeps its colour. UserError on a malformed file.
Model import_model(const std::string& path);

}  // namespace gyre::scene
