#include "renderer.h"

#include <algorithm>

#include "draw_state.h"
#include "error.h"
#include "pixel_ops.h"
#include "primitive_walk.h"
#include "quad_shader.h"
#include "stages.h"

namespace gyre::reference {

namespace {

gyre_setup_vertex expand_vertex(const scene::PackageVertex& in) {
  gyre_setup_vertex out{};
  for (int i = 0; i < 4; ++i) out.pos[i] = in.position[i];
  for (int i = 0; i < 4; ++i) out.color[i] = in.color[i];
  for (int i = 0; i < 2; ++i) out.texcoord[i] = in.texcoord[i];
  return out;
}

struct Pass {
  const scene::PackageView& package;
  const Options& options;
  Frame& frame;
};

template <class Shader>
void draw_primitive(const Pass& pass, const DrawState& state, const Shader& shader, const raster::Scissor& window,
                    const gyre_prim& prim, const gyre_bbox& box) {
  Frame& frame = pass.frame;
  Stats& stats = frame.stats;
  raster::for_each_quad_in_box(
      prim.edges, box, pass.options.bin_log, pass.options.block_log, window, [&](const raster::Quad& quad) {
        std::uint32_t color[4];
        shader.shade(prim, quad, color);
        ++stats.quads;
        for (unsigned s = 0; s < 4; ++s) {
          if ((quad.mask >> s & 1) == 0) continue;
          const std::uint32_t x = 2u * quad.x + (s & 1), y = 2u * quad.y + (s >> 1);
          const std::size_t at = std::size_t{y} * frame.width + x;
          const om::Fragment fragment = {0, prim.facing, gyre_fragment_depth(&prim.depth, x, y), color[s]};
          ++stats.fragments;
          stats.texels += Shader::kTextured;
          stats.passed += om::apply_fragment(state.om, fragment, &frame.depth_stencil[at], &frame.color[at]);
        }
      });
}

template <class Shader>
void draw_with(const Pass& pass, std::size_t index) {
  const gyre_pkg_draw& draw = pass.package.draws()[index];
  DrawState state = make_draw_state(pass.package, index);
  state.front_end.bin_log = pass.options.bin_log;
  state.front_end.subpixel_bits = pass.options.subpixel_bits;
  const gyre_pipe_arg arg = make_pipe_arg(state.front_end, draw.num_vertices / 3, {});
  gyre_setup_config config;
  gyre_setup_configure(&config, &arg);
  const Shader shader(state);
  raster::Scissor window = raster::Scissor::from_registers(draw.scissor_x, draw.scissor_y);
  window.x_max = std::min(window.x_max, pass.frame.width);
  window.y_max = std::min(window.y_max, pass.frame.height);

  const scene::PackageVertex* vertices = pass.package.vertices(index);
  std::uint32_t room = gyre_max_prims(draw.num_vertices / 3);  // the rest gets no pid and is not drawn
  for (std::uint32_t v = 0; v + 3 <= draw.num_vertices && room != 0; v += 3) {
    const gyre_setup_vertex tri[3] = {expand_vertex(vertices[v]), expand_vertex(vertices[v + 1]),
                                      expand_vertex(vertices[v + 2])};
    gyre_prim prims[GYRE_SETUP_MAX_SUB];
    gyre_bbox boxes[GYRE_SETUP_MAX_SUB];
    const std::uint32_t count = gyre_setup_emit(&config, tri, room, prims, boxes, nullptr);
    room -= count;
    pass.frame.stats.primitives += count;
    for (std::uint32_t k = 0; k < count; ++k) draw_primitive(pass, state, shader, window, prims[k], boxes[k]);
  }
  pass.frame.stats.triangles += draw.num_vertices / 3;
}

template <unsigned kShader, unsigned kColorRule>
void draw_with_lod(const Pass& pass, std::size_t index) {
  if (pass.package.draws()[index].lod_rule == GYRE_LOD_FINE) {
    draw_with<QuadShader<kShader, kColorRule, GYRE_LOD_FINE>>(pass, index);
  } else {
    draw_with<QuadShader<kShader, kColorRule, GYRE_LOD_FIXED>>(pass, index);
  }
}

template <unsigned kColorRule>
void draw_with_color(const Pass& pass, std::size_t index) {
  switch (pass.package.draws()[index].shader) {
    case GYRE_SHADER_FLAT:
      return draw_with<QuadShader<GYRE_SHADER_FLAT, kColorRule, GYRE_LOD_FIXED>>(pass, index);
    case GYRE_SHADER_TEXTURE:
      return draw_with_lod<GYRE_SHADER_TEXTURE, kColorRule>(pass, index);
    case GYRE_SHADER_MODULATE:
      return draw_with_lod<GYRE_SHADER_MODULATE, kColorRule>(pass, index);
    default:
      return draw_with<QuadShader<GYRE_SHADER_COLOR, kColorRule, GYRE_LOD_FIXED>>(pass, index);
  }
}

}  // namespace

Frame render(const scene::PackageView& package, const Options& options) {
  if (options.subpixel_bits != 0 && (options.subpixel_bits < 4 || options.subpixel_bits > 8)) {
    user_error("reference renderer: subpixel_bits is {}, it may be 0 or 4..8", options.subpixel_bits);
  }
  if (options.bin_log < 1 || options.bin_log > 15) {
    user_error("reference renderer: bin_log is {}, it may be 1..15", options.bin_log);
  }
  if (options.block_log < 1 || options.block_log > options.bin_log) {
    user_error("reference renderer: block_log is {}, it may be 1..{}", options.block_log, options.bin_log);
  }
  Frame frame;
  frame.width = package.width();
  frame.height = package.height();
  const std::size_t pixels = std::size_t{frame.width} * frame.height;
  frame.color.assign(pixels, package.header().clear_color);
  frame.depth_stencil.assign(pixels, package.header().clear_depth);
  const Pass pass{package, options, frame};
  for (std::size_t i = 0; i < package.draws().size(); ++i) {
    if (package.draws()[i].color_rule == GYRE_COLOR_TRUNCATE) {
      draw_with_color<GYRE_COLOR_TRUNCATE>(pass, i);
    } else {
      draw_with_color<GYRE_COLOR_ROUND>(pass, i);
    }
  }
  return frame;
}

}  // namespace gyre::reference
