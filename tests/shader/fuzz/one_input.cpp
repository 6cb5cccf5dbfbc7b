#include "one_input.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "batch_plan.h"
#include "compiler.h"
#include "csi_binary.h"
#include "csir_text.h"
#include "raster.h"
#include "soft_stage.h"

namespace gyre::test {
namespace {

using namespace shader;

// A broken promise must stop a fuzzer.
void require(bool holds) {
  if (!holds) std::abort();
}

bool same(float a, float b) { return float_bits(a) == float_bits(b) || (std::isnan(a) && std::isnan(b)); }

// Arrays of the exact sizes, on the heap, so that a sanitizer sees one step beyond.
void run(const Shader& shader) {
  std::vector<float> attributes(32), varyings(32), uniforms(128), fragcoord(4), position(4), stored(32), color(4);
  for (std::size_t i = 0; i < 128; ++i) uniforms[i] = static_cast<float>(static_cast<int>(i % 11) - 5) * 0.75f;
  for (std::size_t i = 0; i < 32; ++i) attributes[i] = varyings[i] = uniforms[i] * 3;
  const std::vector<std::uint32_t> texels(6, 0x80402010);
  const TextureView texture{texels.data(), 3, 2};
  const std::int16_t map[8] = {-1, 3, -1, 0, 7, -1, 2, 1};
  for (const Math math : {Math::kPrecise, Math::kCompat}) {
    ExecInputs in{attributes.data(), varyings.data(), map, uniforms.data(), fragcoord.data(), &texture, math};
    bool discard = false;
    require(exec_ir(shader, in, {position.data(), stored.data(), color.data(), &discard}) == 0);
    const auto spread = [](const std::vector<float>& values) {
      std::vector<float> rows(values.size() * kBatchRow);
      for (std::size_t r = 0; r < values.size(); ++r)
        std::fill_n(rows.begin() + static_cast<std::ptrdiff_t>(r * kBatchRow), kBatchLanes, values[r]);
      return rows;
    };
    const std::vector<float> a = spread(attributes), v = spread(varyings), f = spread(fragcoord);
    std::vector<float> p(4 * kBatchRow), s(32 * kBatchRow), c(4 * kBatchRow);
    std::vector<std::int32_t> d(kBatchLanes);
    BatchInputs rows;
    rows.attributes = a.data();
    rows.varyings = v.data();
    rows.fragcoord = f.data();
    rows.varying_map = map;
    rows.uniforms = uniforms.data();
    rows.texture = &texture;
    rows.math = math;
    const BatchOutputs out{p.data(), s.data(), c.data(), d.data()};
    BatchMachine machine;
    machine.prepare(make_batch_plan(shader, rows, out), rows, out);
    machine.run(17);
    require((d[16] != 0) == discard);
    for (std::size_t k = 0; k < 4; ++k)
      require(same(c[k * kBatchRow + 16], color[k]) && same(p[k * kBatchRow + 16], position[k]));
  }
}

int try_blob(const std::vector<std::uint8_t>& blob) {
  Diagnostics diagnostics;
  const auto found = read_csi(blob.data(), blob.size(), &diagnostics);
  require(found.has_value() == diagnostics.ok());
  if (!found) return 0;
  const auto again = write_csi_v2(*found);
  const auto reread = read_csi(again.data(), again.size(), &diagnostics);
  require(reread.has_value() && *reread == *found);
  const Shader clean = canonical(*found);
  const std::string text = write_text(clean);
  Diagnostics errors("text", text);
  const auto from_text = read_text(text, &errors);
  require(from_text.has_value() && *from_text == clean);
  run(*found);
  return 1;
}

}  // namespace

namespace {

// Magic, version and check word made right, so that mutations get past the checks on the whole.
void repair(std::vector<std::uint8_t>* blob) {
  const std::size_t size = blob->size();
  if (size < kCsiV1HeaderBytes) return;
  const std::uint32_t magic = kCsiMagic;
  std::memcpy(blob->data(), &magic, 4);
  (*blob)[4] = (*blob)[4] % 2 == 1 ? 1 : 2;
  (*blob)[5] = (*blob)[6] = (*blob)[7] = 0;
  if ((*blob)[4] == 1) {
    std::uint32_t count = 0, sum = 0;
    std::memcpy(&count, blob->data() + 12, 4);
    for (std::size_t i = kCsiV1HeaderBytes;
         i < size && i < kCsiV1HeaderBytes + std::size_t{count % 1024} * kCsiRecordBytes; ++i)
      sum += (*blob)[i];
    std::memcpy(blob->data() + 24, &sum, 4);
  } else if (size >= kCsiV2HeaderBytes) {
    const std::uint32_t crc = csi_crc(blob->data(), size, 44);
    std::memcpy(blob->data() + 44, &crc, 4);
  }
}

constexpr int kPictureSide = 24;

struct Picture {
  std::vector<std::uint32_t> color;
  std::vector<float> depth;
  std::uint64_t fragments = 0;
};

// Two triangles that overlap, one of them across the near plane, in a target of the exact size.
Picture picture_of(const Program& program, Math math, bool batched) {
  RasterRules rules;
  rules.clip = rules.top_left = rules.window_depth = math == Math::kPrecise;
  rules.clamp_color = math == Math::kPrecise;
  rules.viewport[2] = rules.viewport[3] = kPictureSide;
  rules.bounds = {0, 0, kPictureSide - 1, kPictureSide - 1};
  std::vector<ShadedVertex> vertices(6);
  for (std::size_t i = 0; i < 6; ++i) {
    std::vector<float> attributes(32);
    for (std::size_t k = 0; k < 32; ++k) attributes[k] = static_cast<float>((i * 7 + k * 5) % 13) * 0.25f - 1.5f;
    std::fill_n(vertices[i].varyings, 32, 0.0f);
    require(soft_vs(program, attributes.data(), vertices[i].position, vertices[i].varyings, math) == 0);
  }
  // What the shader makes of these need not be seen; this is.
  const float corners[3][4] = {{-0.9f, -0.8f, 0.2f, 1}, {0.9f, -0.7f, 0.1f, 1}, {0.1f, 0.9f, -1.5f, 1.2f}};
  for (std::size_t i = 3; i < 6; ++i) std::copy_n(corners[i - 3], 4, vertices[i].position);
  TriangleList list(rules);
  list.add(vertices[0], vertices[1], vertices[2]);
  list.add(vertices[3], vertices[4], vertices[5]);
  Picture out{std::vector<std::uint32_t>(kPictureSide * kPictureSide, 7),
              std::vector<float>(kPictureSide * kPictureSide, 1.0f), 0};
  const std::vector<std::uint32_t> texels(6, 0x80402010);
  const TextureView texture{texels.data(), 3, 2};
  const Surface surface{out.color.data(), out.depth.data(), kPictureSide, kPictureSide};
  const FragmentSource source{&program, &texture, math};
  out.fragments = batched ? raster_batched(surface, list, source, 1) : raster_interpreted(surface, list, source);
  return out;
}

}  // namespace

int fuzz_csi(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint8_t> blob(data, data + size);
  const int accepted = try_blob(blob);
  if (size < kCsiV1HeaderBytes) return accepted;
  repair(&blob);
  return accepted + try_blob(blob);
}

int fuzz_pair(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t split = 2 + (data[0] + 256u * data[1]) % (size - 1);
  Shader pair[2];
  for (int part = 0; part < 2; ++part) {
    std::vector<std::uint8_t> blob(part == 0 ? data + 2 : data + split, part == 0 ? data + split : data + size);
    repair(&blob);
    Diagnostics diagnostics;
    auto found = read_csi(blob.data(), blob.size(), &diagnostics);
    if (!found) return 0;
    pair[part] = std::move(*found);
  }
  Program program;
  if (!program.link(pair[0], pair[1])) {
    require(!program.log().empty() && !program.linked());
    return 0;
  }
  for (const Uniform& uniform : program.uniforms()) {
    const std::vector<float> values(static_cast<std::size_t>(uniform_floats(uniform.type)), 0.75f);
    require(program.set_uniform(program.uniform_index(uniform.name), values.data(), static_cast<int>(values.size())));
  }
  for (const Math math : {Math::kPrecise, Math::kCompat}) {
    const Picture plain = picture_of(program, math, false), fast = picture_of(program, math, true);
    require(plain.color == fast.color && plain.fragments == fast.fragments);
    require(std::memcmp(plain.depth.data(), fast.depth.data(), plain.depth.size() * sizeof(float)) == 0);
  }
  return 1;
}

int fuzz_source(const std::uint8_t* data, std::size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  int compiled = 0;
  for (const Stage stage : {Stage::kVertex, Stage::kFragment}) {
    const Compiled out = compile(source, stage, "fuzz");
    require(out.ok() == out.diagnostics.ok());
    require(out.ok() || !out.diagnostics.errors().empty());
    require(out.diagnostics.log().size() < Diagnostics::kLogBytes);
    if (!out.ok()) continue;
    ++compiled;
    run(*out.shader);
    const std::string text = write_text(*out.shader);
    Diagnostics errors("text", text);
    const auto again = read_text(text, &errors);
    require(again.has_value() && *again == *out.shader);
  }
  Diagnostics errors("fuzz", source);
  if (const auto shader = read_text(source, &errors)) run(*shader);
  return compiled;
}

}  // namespace gyre::test
