#include "drawlist_state.h"

namespace gyre::scene {
namespace {

std::uint32_t compare(const JsonNode& node) {
  return node.one_of({{"never", GYRE_CMP_NEVER},
                      {"less", GYRE_CMP_LESS},
                      {"equal", GYRE_CMP_EQUAL},
                      {"lequal", GYRE_CMP_LEQUAL},
                      {"greater", GYRE_CMP_GREATER},
                      {"notequal", GYRE_CMP_NOTEQUAL},
                      {"gequal", GYRE_CMP_GEQUAL},
                      {"always", GYRE_CMP_ALWAYS}});
}

std::uint32_t stencil_op(const JsonNode& node) {
  return node.one_of({{"keep", GYRE_STENCIL_KEEP},
                      {"zero", GYRE_STENCIL_ZERO},
                      {"replace", GYRE_STENCIL_REPLACE},
                      {"incr_clamp", GYRE_STENCIL_INCR},
                      {"decr_clamp", GYRE_STENCIL_DECR},
                      {"invert", GYRE_STENCIL_INVERT},
                      {"incr_wrap", GYRE_STENCIL_INCR_WRAP},
                      {"decr_wrap", GYRE_STENCIL_DECR_WRAP}});
}

std::uint32_t factor(const JsonNode& node) {
  return node.one_of({{"zero", GYRE_FACTOR_ZERO},
                      {"one", GYRE_FACTOR_ONE},
                      {"src_color", GYRE_FACTOR_SRC_RGB},
                      {"one_minus_src_color", GYRE_FACTOR_ONE_MINUS_SRC_RGB},
                      {"dst_color", GYRE_FACTOR_DST_RGB},
                      {"one_minus_dst_color", GYRE_FACTOR_ONE_MINUS_DST_RGB},
                      {"src_alpha", GYRE_FACTOR_SRC_A},
                      {"one_minus_src_alpha", GYRE_FACTOR_ONE_MINUS_SRC_A},
                      {"dst_alpha", GYRE_FACTOR_DST_A},
                      {"one_minus_dst_alpha", GYRE_FACTOR_ONE_MINUS_DST_A},
                      {"const_color", GYRE_FACTOR_CONST_RGB},
                      {"one_minus_const_color", GYRE_FACTOR_ONE_MINUS_CONST_RGB},
                      {"const_alpha", GYRE_FACTOR_CONST_A},
                      {"one_minus_const_alpha", GYRE_FACTOR_ONE_MINUS_CONST_A},
                      {"src_alpha_saturate", GYRE_FACTOR_ALPHA_SAT}});
}

std::uint32_t blend_op(const JsonNode& node) {
  return node.one_of({{"add", GYRE_BLEND_ADD},
                      {"sub", GYRE_BLEND_SUB},
                      {"revsub", GYRE_BLEND_REV_SUB},
                      {"min", GYRE_BLEND_MIN},
                      {"max", GYRE_BLEND_MAX}});
}

std::uint32_t logic_op(const JsonNode& node) {
  return node.one_of({{"clear", GYRE_LOGIC_CLEAR},
                      {"and", GYRE_LOGIC_AND},
                      {"and_reverse", GYRE_LOGIC_AND_REVERSE},
                      {"copy", GYRE_LOGIC_COPY},
                      {"and_inverted", GYRE_LOGIC_AND_INVERTED},
                      {"noop", GYRE_LOGIC_NOOP},
                      {"xor", GYRE_LOGIC_XOR},
                      {"or", GYRE_LOGIC_OR},
                      {"nor", GYRE_LOGIC_NOR},
                      {"equiv", GYRE_LOGIC_EQUIV},
                      {"invert", GYRE_LOGIC_INVERT},
                      {"or_reverse", GYRE_LOGIC_OR_REVERSE},
                      {"copy_inverted", GYRE_LOGIC_COPY_INVERTED},
                      {"or_inverted", GYRE_LOGIC_OR_INVERTED},
                      {"nand", GYRE_LOGIC_NAND},
                      {"set", GYRE_LOGIC_SET}});
}

// Value of an optional key.
template <class Read>
void maybe(const JsonNode& node, const char* key, std::uint32_t& out, Read read) {
  if (const auto found = node.find(key)) out = read(*found);
}

struct StencilFace {
  std::uint32_t func = GYRE_CMP_ALWAYS, ref = 0, mask = 0xFF, writemask = 0xFF;
  std::uint32_t fail = GYRE_STENCIL_KEEP, zfail = GYRE_STENCIL_KEEP, zpass = GYRE_STENCIL_KEEP;
};

StencilFace stencil_face(const JsonNode& node) {
  node.only({"func", "ref", "compareMask", "writeMask", "fail", "zfail", "zpass"});
  const auto byte = [](const JsonNode& value) { return value.integer(255); };
  StencilFace face;
  maybe(node, "func", face.func, compare);
  maybe(node, "ref", face.ref, byte);
  maybe(node, "compareMask", face.mask, byte);
  maybe(node, "writeMask", face.writemask, byte);
  maybe(node, "fail", face.fail, stencil_op);
  maybe(node, "zfail", face.zfail, stencil_op);
  maybe(node, "zpass", face.zpass, stencil_op);
  return face;
}

void read_stencil(const JsonNode& node, bool front_is_clockwise, gyre_pkg_draw& out) {
  node.only({"front", "back"});
  StencilFace front = stencil_face(node.get("front"));
  StencilFace back = stencil_face(node.get("back"));
  // The registers follow the facing word, which calls clockwise triangles (det > 0, y down) the front.
  if (!front_is_clockwise) std::swap(front, back);
  out.stencil_func = pack16(back.func, front.func);
  out.stencil_ref = pack16(back.ref, front.ref);
  out.stencil_mask = pack16(back.mask, front.mask);
  out.stencil_writemask = pack16(back.writemask, front.writemask);
  out.stencil_fail = pack16(back.fail, front.fail);
  out.stencil_zfail = pack16(back.zfail, front.zfail);
  out.stencil_zpass = pack16(back.zpass, front.zpass);
}

void read_blend(const JsonNode& node, gyre_pkg_draw& out) {
  node.only({"srcRGB", "dstRGB", "opRGB", "srcA", "dstA", "opA", "constant"});
  std::uint32_t src_rgb = GYRE_FACTOR_ONE, dst_rgb = GYRE_FACTOR_ZERO, op_rgb = GYRE_BLEND_ADD;
  std::uint32_t src_a = GYRE_FACTOR_ONE, dst_a = GYRE_FACTOR_ZERO, op_a = GYRE_BLEND_ADD;
  maybe(node, "srcRGB", src_rgb, factor);
  maybe(node, "dstRGB", dst_rgb, factor);
  maybe(node, "opRGB", op_rgb, blend_op);
  maybe(node, "srcA", src_a, factor);
  maybe(node, "dstA", dst_a, factor);
  maybe(node, "opA", op_a, blend_op);
  float constant[4] = {0, 0, 0, 0};
  if (const auto found = node.find("constant")) found->reals(constant);
  out.blend_mode = pack16(op_a, op_rgb);
  out.blend_func = pack_blend_func(src_rgb, dst_rgb, src_a, dst_a);
  out.blend_const = pack_color(constant);
}

std::uint32_t color_mask(const JsonNode& node) {
  std::uint32_t mask = 0;
  for (char c : node.text()) {
    const std::size_t bit = std::string_view("bgra").find(c);
    if (bit == std::string_view::npos) node.fail(quote_text(node.text()) + " is not a subset of \"rgba\"");
    mask |= 1u << bit;
  }
  return mask;
}

}  // namespace

void read_drawlist_state(const JsonNode& draw, gyre_pkg_draw& out) {
  bool front_is_clockwise = false;
  if (const auto node = draw.find("frontFace")) front_is_clockwise = node->one_of({{"ccw", 0}, {"cw", 1}}) != 0;
  if (const auto node = draw.find("cull")) {
    const std::uint32_t front = front_is_clockwise ? GYRE_CULL_FRONT : GYRE_CULL_BACK;
    const std::uint32_t back = front_is_clockwise ? GYRE_CULL_BACK : GYRE_CULL_FRONT;
    out.cull_mode = node->one_of({{"none", GYRE_CULL_NONE}, {"front", front}, {"back", back}});
  }
  if (const auto node = draw.find("depth")) {
    node->only({"test", "func", "write"});
    bool test = true, write = true;
    std::uint32_t func = GYRE_CMP_LESS;
    if (const auto value = node->find("test")) test = value->flag();
    if (const auto value = node->find("write")) write = value->flag();
    maybe(*node, "func", func, compare);
    if (test) {
      out.depth_func = func;
      out.depth_writemask = write ? 1 : 0;
    }
  }
  if (const auto node = draw.find("stencil")) read_stencil(*node, front_is_clockwise, out);
  if (const auto node = draw.find("blend")) read_blend(*node, out);
  if (const auto node = draw.find("logicOp")) {
    out.logic_op = logic_op(*node);
    out.blend_mode = pack16(GYRE_BLEND_LOGICOP, GYRE_BLEND_LOGICOP);
  }
  maybe(draw, "colorMask", out.color_writemask, color_mask);
}

}  // namespace gyre::scene
