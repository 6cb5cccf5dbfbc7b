#include "pixel_pack.h"
#include "raster.h"

namespace gyre::shader {

std::vector<int> varying_slots_read(const Program& program) {
  bool read[kMaxVaryings] = {};
  for (const Instruction& ins : program.fragment().code) {
    if (static_cast<Op>(ins.op) != Op::kLoadVar) continue;
    const std::int16_t mapped = program.varying_map()[static_cast<std::size_t>(ins.aux)];
    read[mapped >= 0 ? mapped : ins.aux] = true;
  }
  std::vector<int> slots;
  for (int slot = 0; slot < kMaxVaryings; ++slot)
    if (read[slot]) slots.push_back(slot);
  return slots;
}

namespace {

struct Drawing {
  const Surface& surface;
  const RasterRules& rules;
  const FragmentSource& source;
  const std::vector<int> slots;
  std::uint64_t shaded = 0;

  void pixel(const Triangle& t, int x, int y) {
    const float px = static_cast<float>(x) + 0.5f, py = static_cast<float>(y) + 0.5f;
    float b[3];
    if (!covers(t, rules.top_left, t.edges[0].at(px, py), t.edges[1].at(px, py), t.edges[2].at(px, py), b)) return;
    const float iw = sample_iw(t, b);
    if (iw == 0.0f) return;
    const float z = sample_z(t, rules.window_depth, b, iw);
    const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(surface.width) + static_cast<std::size_t>(x);
    if (rules.depth_test && z >= surface.depth[at]) return;
    float varyings[32] = {};
    for (const int slot : slots)
      for (int k = 4 * slot; k < 4 * slot + 4; ++k)
        varyings[k] = interpolate(b[0], b[1], b[2], t.varyings[0][k], t.varyings[1][k], t.varyings[2][k], t.iw, iw);
    const float fragcoord[4] = {px, py, z, 1.0f / iw};
    float color[4];
    bool discard;
    ++shaded;
    soft_fs(*source.program, varyings, fragcoord, source.texture, color, &discard, source.math);
    if (discard) return;
    surface.color[at] = pack_pixel(color, rules.clamp_color);
    if (rules.depth_write) surface.depth[at] = z;
  }
};

}  // namespace

std::uint64_t raster_interpreted(const Surface& surface, const TriangleList& list, const FragmentSource& source) {
  Drawing drawing{surface, list.rules(), source, varying_slots_read(*source.program)};
  for (const Triangle& t : list.triangles())
    for (int y = t.box.y0; y <= t.box.y1; ++y)
      for (int x = t.box.x0; x <= t.box.x1; ++x) drawing.pixel(t, x, y);
  return drawing.shaded;
}

}  // namespace gyre::shader
