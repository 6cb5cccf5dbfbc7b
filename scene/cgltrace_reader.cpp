#include "cgltrace_reader.h"

#include <iterator>
#include <unordered_map>

#include "cgltrace_texture.h"
#include "error.h"
#include "files.h"
#include "image.h"
#include "package_builder.h"
#include "xml_cursor.h"

namespace gyre::scene {
namespace {

constexpr const char* kRoot = "boost_serialization";
constexpr const char* kClosing = "</boost_serialization>";

// Trace numbers -> device codes (cgltrace.md §7).
constexpr std::uint32_t kCompare[] = {GYRE_CMP_NEVER,   GYRE_CMP_LESS,     GYRE_CMP_EQUAL,  GYRE_CMP_LEQUAL,
                                      GYRE_CMP_GREATER, GYRE_CMP_NOTEQUAL, GYRE_CMP_GEQUAL, GYRE_CMP_ALWAYS};
constexpr std::uint32_t kStencilOp[] = {GYRE_STENCIL_KEEP, GYRE_STENCIL_REPLACE, GYRE_STENCIL_INCR,
                                        GYRE_STENCIL_DECR, GYRE_STENCIL_ZERO,    GYRE_STENCIL_INVERT};
constexpr std::uint32_t kFactor[] = {GYRE_FACTOR_ZERO,     GYRE_FACTOR_ONE,
                                     GYRE_FACTOR_SRC_RGB,  GYRE_FACTOR_ONE_MINUS_SRC_RGB,
                                     GYRE_FACTOR_SRC_A,    GYRE_FACTOR_ONE_MINUS_SRC_A,
                                     GYRE_FACTOR_DST_A,    GYRE_FACTOR_ONE_MINUS_DST_A,
                                     GYRE_FACTOR_DST_RGB,  GYRE_FACTOR_ONE_MINUS_DST_RGB,
                                     GYRE_FACTOR_ALPHA_SAT};
constexpr std::uint32_t kWrap[] = {GYRE_TEX_WRAP_REPEAT, GYRE_TEX_WRAP_CLAMP};
constexpr std::uint32_t kEnvModulate = 3, kEnvModes = 5;
constexpr std::uint32_t kFilterNearest = 1, kFilters = 7;

template <std::size_t N>
std::uint32_t translated(XmlCursor& at, const char* name, const std::uint32_t (&table)[N]) {
  return table[at.number(name, N - 1)];
}

void read_reals(XmlCursor at, std::initializer_list<const char*> names, float* out) {
  for (const char* name : names) *out++ = at.real(name);
  at.end();
}

struct States {
  gyre_pkg_draw draw;  // texture index still open
  bool textured = false;
};

States read_states(XmlCursor at, std::uint32_t width, std::uint32_t height) {
  States out;
  gyre_pkg_draw& d = out.draw = plain_draw(width, height);
  const bool colored = at.flag("color_enabled");
  at.number("color_format", kTraceFormats - 1);
  d.color_writemask = at.number("color_writemask") & 0xF;

  const bool depth_test = at.flag("depth_test");
  const bool depth_write = at.flag("depth_writemask");
  at.number("depth_format", kTraceFormats - 1);
  const std::uint32_t depth_func = translated(at, "depth_func", kCompare);
  if (depth_test) {
    d.depth_func = depth_func;
    d.depth_writemask = depth_write ? 1 : 0;
  }

  const bool stencil_test = at.flag("stencil_test");
  const auto both = [](std::uint32_t value) { return pack16(value, value); };
  gyre_pkg_draw s = d;
  s.stencil_func = both(translated(at, "stencil_func", kCompare));
  s.stencil_zpass = both(translated(at, "stencil_zpass", kStencilOp));
  s.stencil_zfail = both(translated(at, "stencil_zfail", kStencilOp));
  s.stencil_fail = both(translated(at, "stencil_fail", kStencilOp));
  s.stencil_ref = both(at.number("stencil_ref", 255));
  s.stencil_mask = both(at.number("stencil_mask", 255));
  s.stencil_writemask = both(at.number("stencil_writemask", 255));
  if (stencil_test) d = s;

  out.textured = at.flag("texture_enabled");
  float env_color[4];
  read_reals(at.enter("texture_envcolor"), {"r", "g", "b", "a"}, env_color);
  const std::uint32_t env_mode = at.number("texture_envmode", kEnvModes - 1);
  at.number("texture_minfilter", kFilters - 1);
  const std::uint32_t mag = at.number("texture_magfilter", kFilters - 1);
  const std::uint32_t wrap = translated(at, "texture_addressU", kWrap);
  at.number("texture_addressV", std::size(kWrap) - 1);
  d.tex_filter = d.tex_filter_min = mag == kFilterNearest ? 0 : GYRE_TEX_FILTER_BILINEAR;
  d.tex_wrap = pack16(wrap, wrap);
  if (out.textured)
    d.shader = env_mode == kEnvModulate && colored ? GYRE_SHADER_MODULATE : GYRE_SHADER_TEXTURE;
  else
    d.shader = colored ? GYRE_SHADER_COLOR : GYRE_SHADER_FLAT;

  const bool blend = at.flag("blend_enabled");
  const std::uint32_t src = translated(at, "blend_src", kFactor);
  const std::uint32_t dst = translated(at, "blend_dst", kFactor);
  if (blend) d.blend_func = pack_blend_func(src, dst, src, dst);
  at.end();
  return out;
}

using VertexMap = std::unordered_map<std::uint32_t, PackageVertex>;  // looked up only, never walked

VertexMap read_vertices(XmlCursor at) {
  VertexMap out;
  const std::uint32_t count = at.collection();
  out.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    XmlCursor item = at.enter("item");
    const std::uint32_t id = item.number("first");
    XmlCursor second = item.enter("second");
    item.end();
    PackageVertex vertex{};
    read_reals(second.enter("pos"), {"x", "y", "z", "w"}, vertex.position);
    read_reals(second.enter("color"), {"r", "g", "b", "a"}, vertex.color);
    read_reals(second.enter("texcoord"), {"u", "v"}, vertex.texcoord);
    second.end();
    if (!out.emplace(id, vertex).second) item.fail(fmt::format("vertex {} is given twice", id));
  }
  return out;
}

std::vector<PackageVertex> read_primitives(XmlCursor at, const VertexMap& vertices) {
  std::vector<PackageVertex> out;
  const std::uint32_t count = at.collection();
  out.reserve(std::size_t{3} * count);
  for (std::uint32_t i = 0; i < count; ++i) {
    XmlCursor item = at.enter("item");
    for (const char* corner : {"i0", "i1", "i2"}) {
      const std::uint32_t id = item.number(corner);
      const auto vertex = vertices.find(id);
      if (vertex == vertices.end()) item.fail(fmt::format("{} names vertex {}, which is not there", corner, id));
      out.push_back(vertex->second);
    }
    item.end();
  }
  return out;
}

void read_viewport(XmlCursor at, gyre_pkg_draw& draw) {
  for (const char* side : {"left", "right", "top", "bottom"}) at.signed_number(side);
  draw.vp_minz = at.real("near");
  draw.vp_maxz = at.real("far");
  at.end();
  // Two zeros would mean "default 0..1" to the front end; the smallest normal number keeps the depth at 0.
  if (draw.vp_minz == 0.0f && draw.vp_maxz == 0.0f) draw.vp_maxz = 1.17549435e-38f;
}

struct TraceTexture {
  std::uint32_t format = 0, width = 0, height = 0;
  std::vector<std::uint8_t> pixels;
  std::uint32_t index = GYRE_PKG_NONE;  // in the package, once a draw uses it
};

TraceTexture read_texture(XmlCursor at) {
  TraceTexture out;
  out.format = at.number("format", kTraceFormats - 1);
  out.width = at.number("width", 32768);
  out.height = at.number("height", 32768);
  const std::uint32_t size = at.number("size");
  const pugi::xml_node pixels = at.element("pixels");
  at.end();
  const unsigned bytes = trace_texel_bytes(out.format);
  if (bytes == 0)
    at.fail(fmt::format("textures of format {} ({}) are not supported", out.format, trace_format_name(out.format)));
  if (!is_power_of_two(out.width) || !is_power_of_two(out.height))
    at.fail(fmt::format("a texture of {}x{} cannot be sampled, the texture unit takes powers of two", out.width,
                        out.height));
  if (std::uint64_t{out.width} * out.height * bytes != size)
    at.fail(fmt::format("{}x{} texels of {} are {} bytes, size says {}", out.width, out.height,
                        trace_format_name(out.format), std::uint64_t{out.width} * out.height * bytes, size));
  auto data = decode_base64(pixels.child_value());
  if (!data) at.fail("pixels is not base64 text");
  // The writer pads its last group with up to three bytes.
  if (data->size() < size || data->size() > std::size_t{size} + 3)
    at.fail(fmt::format("pixels decodes to {} bytes, size says {}", data->size(), size));
  data->resize(size);
  out.pixels = std::move(*data);
  return out;
}

std::unordered_map<std::uint32_t, TraceTexture> read_textures(XmlCursor at) {
  std::unordered_map<std::uint32_t, TraceTexture> out;
  const std::uint32_t count = at.collection();
  for (std::uint32_t i = 0; i < count; ++i) {
    XmlCursor item = at.enter("item");
    const std::uint32_t id = item.number("first");
    TraceTexture texture = read_texture(item.enter("second"));
    item.end();
    if (!out.emplace(id, std::move(texture)).second) item.fail(fmt::format("texture {} is given twice", id));
  }
  return out;
}

}  // namespace

std::vector<std::uint8_t> read_cgltrace(std::string_view text, const std::string& name, std::uint32_t width,
                                        std::uint32_t height) {
  PackageBuilder builder(width, height);
  builder.set_flags(GYRE_PKG_BOTTOM_UP);

  // The writer may leave bytes behind the closing tag.
  const std::size_t closing = text.rfind(kClosing);
  if (closing == std::string_view::npos)
    user_error("{}: not a whole trace: its closing tag {} is missing", name, kClosing);
  const XmlSource source{name, text.substr(0, closing + std::string_view(kClosing).size())};
  pugi::xml_document document;
  const pugi::xml_parse_result parsed =
      document.load_buffer(source.text.data(), source.text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!parsed) user_error("{}:{}: not well-formed XML: {}", name, source.line_of(parsed.offset), parsed.description());

  XmlCursor top(source, document);
  XmlCursor root = top.enter(kRoot);
  top.end();
  XmlCursor trace = root.enter("cgltrace");
  root.end();
  if (const unsigned version = trace.parent().attribute("version").as_uint(1); version != 1)
    trace.fail(fmt::format("trace version {}, this program reads version 1", version));
  XmlCursor draws = trace.enter("drawcalls");
  auto textures = read_textures(trace.enter("textures"));
  trace.end();

  const std::uint32_t count = draws.collection();
  for (std::uint32_t i = 0; i < count; ++i) {
    XmlCursor item = draws.enter("item");
    States states = read_states(item.enter("states"), width, height);
    const std::uint32_t texture_id = item.number("texture_id");
    const VertexMap vertices = read_vertices(item.enter("vertices"));
    const auto triangles = read_primitives(item.enter("primitives"), vertices);
    read_viewport(item.enter("viewport"), states.draw);
    item.end();
    if (states.textured) {
      const auto found = textures.find(texture_id);
      if (found == textures.end())
        item.fail(fmt::format("texture_id names texture {}, which is not there", texture_id));
      TraceTexture& texture = found->second;
      if (texture.index == GYRE_PKG_NONE) {
        const std::uint32_t format = to_unit_format(texture.format, texture.pixels);
        texture.index = builder.add_texture(format, log2_of(texture.width), log2_of(texture.height), {texture.pixels});
      }
      states.draw.texture = texture.index;
    }
    builder.add_draw(states.draw, triangles);
  }
  return builder.build();
}

}  // namespace gyre::scene
