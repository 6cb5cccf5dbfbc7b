#include "drawlist_reader.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "drawlist_state.h"
#include "image.h"
#include "json_node.h"
#include "package_builder.h"
#include "png_image.h"

namespace gyre::scene {
namespace {

using nlohmann::json;

constexpr std::uint32_t kMaxSide = 4096;
constexpr std::uint32_t kMipNone = 0, kMipNearest = 1, kMipLinear = 2;
constexpr std::uint32_t kTriangles = 0, kStrip = 1, kFan = 2;

void check_power_of_two(const JsonNode& node, const Image& image) {
  if (!is_power_of_two(image.width) || !is_power_of_two(image.height))
    node.fail(fmt::format("a texture of {}x{} cannot be sampled, the texture unit takes powers of two", image.width,
                          image.height));
}

Image decode_level(const JsonNode& node, std::uint32_t width, std::uint32_t height) {
  auto data = decode_base64(node.text());
  if (!data) node.fail("not base64 text");
  const std::uint64_t want = std::uint64_t{4} * width * height;
  if (data->size() != want) node.fail(fmt::format("{} bytes, {}x{} texels are {}", data->size(), width, height, want));
  return {width, height, std::move(*data)};
}

Image first_level(const JsonNode& node, const std::filesystem::path& folder) {
  Image image;
  if (const auto png = node.find("png")) {
    if (node.has("data") || node.has("width") || node.has("height"))
      node.fail("give either png, or width, height and data");
    try {
      image = read_png((folder / png->text()).string());
    } catch (const UserError& error) {
      png->fail(error.what());
    }
    if (std::max(image.width, image.height) > kMaxSide) png->fail(fmt::format("a side is above {}", kMaxSide));
  } else {
    const std::uint32_t width = node.get("width").integer(kMaxSide);
    const std::uint32_t height = node.get("height").integer(kMaxSide);
    if (width == 0 || height == 0) node.fail("a texture of no texels");
    image = decode_level(node.get("data"), width, height);
  }
  check_power_of_two(node, image);
  return image;
}

std::vector<Image> read_levels(const JsonNode& node, const std::filesystem::path& folder, std::uint32_t mip) {
  std::vector<Image> levels{first_level(node, folder)};
  if (mip == kMipNone) return levels;
  const auto given = node.find("mips");
  const std::size_t count = given ? given->size() : 0;
  while (levels.back().width > 1 || levels.back().height > 1) {
    const Image& last = levels.back();
    if (!given) {
      levels.push_back(halve(last));
      continue;
    }
    const std::size_t i = levels.size() - 1;
    if (i >= count) break;
    const std::uint32_t width = std::max(1u, last.width / 2), height = std::max(1u, last.height / 2);
    levels.push_back(decode_level(given->at(i), width, height));
  }
  if (given && count != levels.size() - 1)
    given->fail(fmt::format("{} levels are too many, the chain has {}", count, levels.size() - 1));
  return levels;
}

std::uint32_t wrap_mode(const JsonNode& node) {
  return node.one_of({{"repeat", GYRE_TEX_WRAP_REPEAT},
                      {"clamp", GYRE_TEX_WRAP_CLAMP},
                      {"mirror", GYRE_TEX_WRAP_MIRROR},
                      {"border", GYRE_TEX_WRAP_BORDER}});
}

void read_texture(const JsonNode& node, const std::filesystem::path& folder, bool used, PackageBuilder& builder,
                  gyre_pkg_draw& out) {
  node.only({"width", "height", "data", "png", "mips", "filter", "mag", "min", "mip", "wrapU", "wrapV", "borderColor",
             "lod"});
  const auto filter = [](const JsonNode& value) {
    return value.one_of({{"nearest", 0}, {"linear", GYRE_TEX_FILTER_BILINEAR}});
  };
  std::uint32_t mag = 0, min = 0, mip = kMipNone;
  if (const auto value = node.find("filter")) mag = min = filter(*value);
  if (const auto value = node.find("mag")) mag = filter(*value);
  if (const auto value = node.find("min")) min = filter(*value);
  if (const auto value = node.find("mip"))
    mip = value->one_of({{"none", kMipNone}, {"nearest", kMipNearest}, {"linear", kMipLinear}});
  std::uint32_t wrap_u = GYRE_TEX_WRAP_REPEAT, wrap_v = GYRE_TEX_WRAP_REPEAT;
  if (const auto value = node.find("wrapU")) wrap_u = wrap_mode(*value);
  if (const auto value = node.find("wrapV")) wrap_v = wrap_mode(*value);
  float border[4] = {0, 0, 0, 0};
  if (const auto value = node.find("borderColor")) {
    value->reals(border);
    for (float c : border)
      if (c < 0 || c > 1) value->fail("components must lie in 0..1");
  }
  out.lod_rule = GYRE_LOD_FINE;
  if (const auto value = node.find("lod")) {
    if (value->is_number()) {
      out.lod_rule = GYRE_LOD_FIXED;
      out.lod_value = value->real();
    } else {
      // One rule in the shaders: the per-quad and the driver's own level are drawn with it as well.
      out.lod_rule = value->one_of({{"fine", GYRE_LOD_FINE}, {"coarse", GYRE_LOD_FINE}, {"driver", GYRE_LOD_FINE}});
    }
  }
  out.tex_filter = mag;
  out.tex_filter_min = min | (mip == kMipLinear ? GYRE_TEX_FILTER_MIP_LINEAR : 0u);
  out.tex_wrap = pack16(wrap_v, wrap_u);
  out.tex_border = pack_color(border);

  const std::vector<Image> levels = read_levels(node, folder, mip);
  if (!used) return;
  std::vector<std::vector<std::uint8_t>> data;
  for (const Image& level : levels) data.push_back(to_argb_bytes(level));
  out.texture =
      builder.add_texture(GYRE_TEX_FORMAT_A8R8G8B8, log2_of(levels[0].width), log2_of(levels[0].height), data);
  out.tex_levels = static_cast<std::uint32_t>(levels.size());
}

std::vector<PackageVertex> read_vertices(const JsonNode& node) {
  std::vector<PackageVertex> out(node.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const JsonNode at = node.at(i);
    at.only({"pos", "color", "uv"});
    PackageVertex& vertex = out[i];
    vertex = {{}, {0, 0, 0, 0}, {1, 1, 1, 1}};
    at.get("pos").reals(vertex.position);
    if (const auto value = at.find("color")) value->reals(vertex.color);
    if (const auto value = at.find("uv")) {
      float uv[2];
      value->reals(uv);
      vertex.texcoord[0] = uv[0];
      vertex.texcoord[1] = uv[1];
    }
  }
  return out;
}

// The triangle list that a topology over `order` means; incomplete triangles at its end are dropped.
std::vector<std::uint32_t> to_triangles(const std::vector<std::uint32_t>& order, std::uint32_t topology) {
  std::vector<std::uint32_t> out;
  if (topology == kTriangles) {
    out.assign(order.begin(), order.end() - static_cast<std::ptrdiff_t>(order.size() % 3));
    return out;
  }
  for (std::size_t i = 0; i + 2 < order.size(); ++i) {
    if (topology == kFan) {
      out.insert(out.end(), {order[i + 1], order[i + 2], order[0]});
    } else {
      const std::size_t odd = i & 1;  // every second triangle of a strip is turned round
      out.insert(out.end(), {order[i], order[i + 1 + odd], order[i + 2 - odd]});
    }
  }
  return out;
}

std::vector<PackageVertex> read_triangles(const JsonNode& draw) {
  const std::vector<PackageVertex> vertices = read_vertices(draw.get("vertices"));
  std::uint32_t topology = kTriangles;
  if (const auto node = draw.find("topology"))
    topology = node->one_of({{"triangles", kTriangles}, {"strip", kStrip}, {"fan", kFan}});
  std::vector<std::uint32_t> order;
  if (const auto node = draw.find("indices")) {
    order.resize(node->size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (vertices.empty()) node->fail("there are no vertices to name");
      order[i] = node->at(i).integer(static_cast<std::uint32_t>(vertices.size() - 1));
    }
  } else {
    for (std::uint32_t i = 0; i < vertices.size(); ++i) order.push_back(i);
  }
  std::vector<PackageVertex> out;
  for (std::uint32_t index : to_triangles(order, topology)) out.push_back(vertices[index]);
  return out;
}

// The picture's own size, for scissors of a stretched picture.
struct Size {
  std::uint32_t width, height;
};

void read_scissor(const JsonNode& node, Size file, gyre_pkg_draw& out) {
  if (node.size() != 4) node.fail("[x, y, width, height] is expected");
  std::uint32_t v[4];
  for (unsigned i = 0; i < 4; ++i) v[i] = node.at(i).integer(kMaxSide);
  const auto interval = [](std::uint32_t first, std::uint32_t length, std::uint32_t from, std::uint32_t to) {
    const auto scaled = [&](std::uint32_t edge) {
      return static_cast<std::uint32_t>((std::uint64_t{std::min(edge, from)} * to + from / 2) / from);
    };
    return pack16(scaled(first + length), scaled(first));
  };
  out.scissor_x = interval(v[0], v[2], file.width, out.scissor_x >> 16);
  out.scissor_y = interval(v[1], v[3], file.height, out.scissor_y >> 16);
}

void read_draw(const JsonNode& draw, const std::filesystem::path& folder, Size file, PackageBuilder& builder) {
  draw.only({"comment", "topology", "vertices", "indices", "mode", "flatColor", "scissor", "cull", "frontFace", "depth",
             "stencil", "blend", "logicOp", "colorMask", "texture"});
  gyre_pkg_draw out = plain_draw(builder.width(), builder.height());
  out.color_rule = GYRE_COLOR_ROUND;
  out.vp_halfz = 1;
  if (const auto node = draw.find("mode"))
    out.shader = node->one_of({{"color", GYRE_SHADER_COLOR},
                               {"flat", GYRE_SHADER_FLAT},
                               {"texture", GYRE_SHADER_TEXTURE},
                               {"modulate", GYRE_SHADER_MODULATE}});
  if (const auto node = draw.find("flatColor")) node->reals(out.flat_color);
  const bool textured = out.shader == GYRE_SHADER_TEXTURE || out.shader == GYRE_SHADER_MODULATE;
  if (textured && !draw.has("texture")) draw.fail("this mode needs a texture");
  const std::vector<PackageVertex> triangles = read_triangles(draw);
  if (const auto node = draw.find("texture")) read_texture(*node, folder, textured, builder, out);
  if (const auto node = draw.find("scissor")) read_scissor(*node, file, out);
  read_drawlist_state(draw, out);
  builder.add_draw(out, triangles);
}

void read_clear(const JsonNode& node, PackageBuilder& builder) {
  node.only({"color", "depth", "stencil"});
  float color[4] = {0, 0, 0, 0};
  float depth = 1.0f;
  std::uint32_t stencil = 0;
  if (const auto value = node.find("color")) value->reals(color);
  if (const auto value = node.find("depth")) {
    depth = value->real();
    if (depth < 0 || depth > 1) value->fail("must lie in 0..1");
  }
  if (const auto value = node.find("stencil")) stencil = value->integer(255);
  builder.set_clear(pack_color(color), static_cast<std::uint32_t>(std::nearbyint(double{depth} * 0xFFFFFF)), stencil);
}

// Line and column of a byte position.
std::string place(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n');
  return fmt::format("{}:{}", line, before.size() - (start == std::string_view::npos ? 0 : start + 1));
}

json parse(std::string_view text, const std::string& name) {
  try {
    return json::parse(text.begin(), text.end());
  } catch (const json::parse_error& error) {
    std::string what = error.what();  // "[json.exception...] parse error at line L, column C: what"
    const std::size_t colon = what.find(": ");
    if (colon != std::string::npos) what = what.substr(colon + 2);
    for (char& c : what)
      if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7E) c = '?';
    user_error("{}:{}: not well-formed JSON: {}", name, place(text, error.byte), what);
  } catch (const json::exception& error) {
    user_error("{}: not usable JSON: {}", name, quote_text(error.what(), 120));
  }
}

}  // namespace

std::vector<std::uint8_t> read_drawlist(std::string_view text, const std::string& name, std::uint32_t width,
                                        std::uint32_t height) {
  const json document = parse(text, name);
  const JsonNode scene(document, name);
  scene.only({"name", "family", "comment", "meta", "width", "height", "depthFormat", "guardBand", "clear", "draws"});
  const Size file{scene.get("width").integer(kMaxSide), scene.get("height").integer(kMaxSide)};
  if (file.width == 0 || file.height == 0) scene.fail("width and height must be at least 1");
  // Both formats are drawn with 24 bits of depth; the guard band concerns the oracle's own clipping.
  if (const auto node = scene.find("depthFormat")) node->one_of({{"d24s8", 0}, {"d32s8", 1}});
  if (const auto node = scene.find("guardBand")) node->flag();

  PackageBuilder builder(width != 0 ? width : file.width, height != 0 ? height : file.height);
  builder.set_clear(0, 0xFFFFFF, 0);
  if (const auto node = scene.find("clear")) read_clear(*node, builder);
  const JsonNode draws = scene.get("draws");
  const std::filesystem::path folder = std::filesystem::path(name).parent_path();
  for (std::size_t i = 0, count = draws.size(); i < count; ++i) read_draw(draws.at(i), folder, file, builder);
  return builder.build();
}

}  // namespace gyre::scene
