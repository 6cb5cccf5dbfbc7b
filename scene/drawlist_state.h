// Fixed-function state of a draw-list JSON draw -> draw record.
#pragma once

#include "json_node.h"
#include "package_builder.h"

namespace gyre::scene {

// cull, frontFace, depth, stencil, blend, logicOp, colorMask of `draw`.
void read_drawlist_state(const JsonNode& draw, gyre_pkg_draw& out);

}  // namespace gyre::scene
