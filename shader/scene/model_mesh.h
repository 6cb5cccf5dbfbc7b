// Model files as the vertices of a Gfx3D scene.
#pragma once

#include "gfx3d_scene.h"

namespace gyre::shader {

// All triangles of a model file (scene/model.h says which kinds), with material times vertex colour. `fit`: moved and
// scaled so that it lies in the middle of -1..1 and touches both ends of its longest side. UserError when the file is
// malformed; a crash or hang of the importer is one too.
std::vector<SceneVertex> model_mesh(const std::string& path, bool fit);

}  // namespace gyre::shader
