// gyre shader, run as a person does: every sub-command, both backends, and what can be wrong.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>

#include "csi_binary.h"
#include "csir_text.h"
#include "png_image.h"
#include "run_gyre.h"
#include "shader_file.h"
#include "sheet.h"

using namespace gyre::test;
using namespace gyre;
namespace data = boost::unit_test::data;
namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;
const std::string kGallery = std::string(GYRE_SOURCE_DIR) + "/scenes/shaders";

std::string shader_of(const std::string& name) { return kGallery + "/" + name; }
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

Outcome good(const Words& words) {
  const Outcome outcome = run_gyre(words, 60);
  BOOST_TEST(outcome.code == 0, outcome.err);
  BOOST_TEST(outcome.err == "");
  return outcome;
}

struct Wrong {
  Words words;
  const char* named;
  friend std::ostream& operator<<(std::ostream& out, const Wrong& wrong) {
    for (const std::string& word : wrong.words) out << word << " ";
    return out;
  }
};
}  // namespace

BOOST_AUTO_TEST_SUITE(shader_command)

BOOST_AUTO_TEST_CASE(check_says_what_a_shader_is_and_links_pairs) {
  const Outcome outcome = good({"shader", "check", shader_of("toon.vert"), shader_of("toon.frag")});
  for (const char* part : {"toon.vert: vertex shader, ", "toon.frag: fragment shader, ", "uniforms   vec3 light", "attributes vec4 position", ": linked"})
    BOOST_TEST(has(outcome.out, part), part << " in " << outcome.out);
  BOOST_TEST(good({"shader", "check", "-q", shader_of("toon.frag")}).out == "");
}

// Source, text and both binaries are one shader: each can be checked, dumped and drawn.
BOOST_DATA_TEST_CASE(forms, data::make({"texture", "toon", "cutout", "blur"})) {
  ScratchFolder scratch("shader");
  const std::string source = shader_of(std::string(sample) + ".frag");
  const auto loaded = shader::load_shader(source);
  BOOST_REQUIRE(loaded.shader.has_value());
  const Outcome text = good({"shader", "dump", source});
  BOOST_TEST(text.out == shader::write_text(*loaded.shader));
  good({"shader", "dump", source, "--form", "text", "-o", scratch / "s.csir"});
  good({"shader", "dump", source, "--form", "csi1", "-o", scratch / "s1.csi"});
  good({"shader", "dump", source, "--form", "csi2", "-o", scratch / "s2.csi"});
  BOOST_TEST(good({"shader", "dump", source, "--form", "csi2"}).out == slurp(scratch / "s2.csi"));
  BOOST_TEST(slurp(scratch / "s.csir") == text.out);
  BOOST_TEST(good({"shader", "dump", scratch / "s2.csi"}).out == text.out);
  BOOST_TEST(good({"shader", "dump", scratch / "s.csir", "--form", "csi2"}).out == slurp(scratch / "s2.csi"));
  BOOST_TEST(has(good({"shader", "check", scratch / "s1.csi"}).out, "fragment shader"));
  const std::string vertex = shader_of(std::string(sample) + ".vert");
  good({"shader", "run", vertex, source, "-o", scratch / "a.png", "--size", "64x48"});
  for (const char* form : {"s.csir", "s2.csi"}) {
    good({"shader", "run", vertex, scratch / form, "-o", scratch / "b.png", "--size", "64x48", "-q"});
    BOOST_TEST(slurp(scratch / "a.png") == slurp(scratch / "b.png"));
  }
}

// Backends and threads draw one picture; uniforms, meshes and COMPAT another.
BOOST_AUTO_TEST_CASE(run_draws) {
  ScratchFolder scratch("shader");
  std::set<std::string> pictures;
  const auto picture = [&](const Words& more) {
    Words words{"shader", "run", shader_of("diffuse.frag"), "-o", scratch / "p.png"};
    words.insert(words.end(), more.begin(), more.end());
    fs::remove(scratch / "p.png");
    good(words);
    return slurp(scratch / "p.png");
  };
  const std::string first = picture({});
  BOOST_TEST(picture({"--backend", "interp"}) == first);
  BOOST_TEST(picture({"--threads", "2"}) == first);
  for (const Words& words : {Words{}, Words{"--mesh", "torus"}, Words{"--mesh", "cube"}, Words{"--mesh", "quad"}, Words{"-u", "light=0,1,0"},
                             Words{"--uniform", "light=-1,0,0"}, Words{"--compat"}, Words{"--size", "300x200"}})
    BOOST_TEST(pictures.insert(picture(words)).second);
  const scene::Image image = scene::read_png(scratch / "p.png");
  BOOST_TEST(image.width == 300u);
  BOOST_TEST(image.height == 200u);
  const std::uint8_t* const middle = &image.rgba[4 * (100 * 300 + 150)];
  BOOST_TEST(middle[0] > middle[1] + 50);  // the surface is red
}

BOOST_AUTO_TEST_CASE(a_texture_is_a_png) {
  ScratchFolder scratch("shader");
  scene::Image red{2, 2, {}};
  for (int i = 0; i < 4; ++i) red.rgba.insert(red.rgba.end(), {255, 16, 0, 255});
  scene::write_png(scratch / "red.png", red);
  good({"shader", "run", shader_of("texture.frag"), "--texture", scratch / "red.png", "--mesh", "quad", "-o", scratch / "p.png"});
  const scene::Image image = scene::read_png(scratch / "p.png");
  const std::uint8_t* const middle = &image.rgba[4 * (128 * 256 + 128)];
  BOOST_TEST(middle[0] == 255);
  BOOST_TEST(middle[1] == 16);
  BOOST_TEST(middle[2] == 0);
}

BOOST_AUTO_TEST_CASE(sheet_holds_the_gallery) {
  ScratchFolder scratch("shader");
  const Outcome outcome = good({"shader", "sheet", kGallery, "-o", scratch / "sheet.png", "--size", "80x60", "--columns", "4"});
  const std::size_t count = shader::shader_pairs(kGallery).size();
  BOOST_TEST(count >= 9u);
  BOOST_TEST(has(outcome.out, std::to_string(count) + " shaders"), outcome.out);
  good({"shader", "sheet", kGallery, "-o", scratch / "interp.png", "--size", "80x60", "--columns", "4", "--backend", "interp"});
  BOOST_TEST(slurp(scratch / "sheet.png") == slurp(scratch / "interp.png"));
  const scene::Image sheet = scene::read_png(scratch / "sheet.png");
  const std::uint32_t rows = (static_cast<std::uint32_t>(count) + 3) / 4;
  BOOST_TEST(sheet.width == 4 * 82 + 2u);
  BOOST_TEST(sheet.height == rows * (60 + 7 + 2) + 2u);
  // In the middle of every picture but the cut-out something is drawn.
  unsigned drawn = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t x = 2 + i % 4 * 82 + 40, y = 2 + i / 4 * 69 + 34;
    const std::uint8_t* const pixel = &sheet.rgba[4 * (y * sheet.width + x)];
    drawn += pixel[0] + pixel[1] + pixel[2] > 150;
  }
  BOOST_TEST(drawn + 2 >= count);
}

// Mistakes in a shader: place, line and caret, for every file that has one.
BOOST_AUTO_TEST_CASE(mistakes_are_shown_with_their_place) {
  ScratchFolder scratch("shader");
  write(scratch / "a.frag", "in vec3 n;\nout vec4 c;\nvoid main() {\n  c = vec4(n.xyq, 1.0);\n}\n");
  write(scratch / "b.csir", "csir 1 fragment\ntemps 1\n%0 = mov.4 %7\nstore_color %0\n");
  write(scratch / "c.csi", "CSIRnonsense of some length, longer than a header has to be, and more");
  const Outcome outcome = run_gyre({"shader", "check", scratch / "a.frag", scratch / "b.csir", scratch / "c.csi", scratch / "none.vert", scratch / "d.txt"}, 60);
  BOOST_TEST(outcome.code == 2);
  BOOST_TEST(outcome.out == "");
  for (const char* const part : {"a.frag:4:14: error: invalid swizzle .xyq of a vec3\n  c = vec4(n.xyq, 1.0);\n             ^\n", "b.csir:3:", "c.csi: error: ",
                                  "none.vert: error: the file cannot be read", "d.txt: error: "})
    BOOST_TEST(has(outcome.err, part), part << " in " << outcome.err);
}

BOOST_AUTO_TEST_CASE(pairs_that_do_not_fit) {
  ScratchFolder scratch("shader");
  write(scratch / "a.vert", "in vec4 p;\nout vec2 v;\nvoid main() { gl_Position = p; v = p.xy; }\n");
  write(scratch / "a.frag", "in vec3 v;\nout vec4 c;\nvoid main() { c = vec4(v, 1.0); }\n");
  for (const Words& words : {Words{"shader", "check", scratch / "a.vert", scratch / "a.frag"}, Words{"shader", "run", scratch / "a.vert", "-o", scratch / "p.png"},
                             Words{"shader", "sheet", scratch.string(), "-o", scratch / "p.png"}}) {
    const Outcome outcome = run_gyre(words, 60);
    BOOST_TEST(outcome.code == 2);
    BOOST_TEST(has(outcome.err, "type mismatch for varying"), outcome.err);
  }
  BOOST_TEST(!fs::exists(scratch / "p.png"));
}

// What is wrong with the command: one line that names it.
const Wrong kWrong[] = {
    {{"shader"}, "subcommand"},
    {{"shader", "check"}, "required"},
    {{"shader", "paint", "x"}, "paint"},
    {{"shader", "dump", shader_of("toon.frag"), "--form", "spirv"}, "--form spirv: choose text, csi1 or csi2"},
    {{"shader", "dump", shader_of("toon.vert"), "--form", "csi1"}, "use --form csi2"},
    {{"shader", "dump", shader_of("toon.frag"), "-o", "/nowhere/x"}, "/nowhere/x"},
    {{"shader", "run", shader_of("toon.frag"), "--size", "0x4"}, "--size 0x4: write WIDTHxHEIGHT"},
    {{"shader", "run", shader_of("toon.frag"), "--size", "1921x4"}, "1920x1080"},
    {{"shader", "run", shader_of("toon.frag"), "--size", "64"}, "--size 64"},
    {{"shader", "run", shader_of("toon.frag"), "--backend", "gl"}, "--backend gl: choose soft or interp"},
    {{"shader", "run", shader_of("toon.frag"), "--threads", "0"}, "--threads 0"},
    {{"shader", "run", shader_of("toon.frag"), "--threads", "many"}, "threads"},
    {{"shader", "run", shader_of("toon.frag"), "--mesh", "teapot"}, "--mesh teapot: choose sphere"},
    {{"shader", "run", shader_of("toon.frag"), "-u", "light"}, "--uniform light: write NAME=V"},
    {{"shader", "run", shader_of("toon.frag"), "-u", "light=1,2,"}, "--uniform light=1,2,"},
    {{"shader", "run", shader_of("toon.frag"), "-u", "light=1,2,x"}, "--uniform light=1,2,x"},
    {{"shader", "run", shader_of("toon.frag"), "-u", "light=1,2"}, "light"},
    {{"shader", "run", shader_of("toon.frag"), "-u", "nope=1"}, "no shader has nope; it has mat4 view"},
    {{"shader", "run", shader_of("toon.frag"), shader_of("toon.vert")}, "the vertex shader comes first"},
    {{"shader", "run", shader_of("toon.vert"), shader_of("toon.vert")}, "the fragment shader comes second"},
    {{"shader", "run", "a", "b", "c"}, "too many shaders; one pair, vertex first"},
    {{"shader", "run", "a.csi"}, "name both shaders"},
    {{"shader", "run", shader_of("texture.frag"), "--texture", "nowhere.png"}, "nowhere.png"},
    {{"shader", "run", shader_of("texture.frag"), "--texture", shader_of("toon.frag")}, "toon.frag"},
    {{"shader", "run", shader_of("toon.frag"), "-o", "/nowhere/p.png"}, "/nowhere/p.png"},
    {{"shader", "sheet", kGallery, "--columns", "17"}, "--columns 17"},
    {{"shader", "sheet", kGallery, "--size", "513x4"}, "512x512"},
    {{"shader", "sheet", std::string(GYRE_SOURCE_DIR) + "/docs"}, "no shader pair"},
    {{"shader", "sheet", "/nowhere"}, "no shader pair"},
};
BOOST_DATA_TEST_CASE(wrong_commands, data::make(kWrong)) {
  ScratchFolder scratch("shader");
  Words words = sample.words;
  if (words.size() > 2 && (words[1] == "run" || words[1] == "sheet") && std::find(words.begin(), words.end(), "-o") == words.end()) {
    words.push_back("-o");
    words.push_back(scratch / "p.png");
  }
  const Outcome outcome = run_gyre(words, 60);
  BOOST_TEST(outcome.code == 2);
  BOOST_TEST(outcome.out == "");
  BOOST_TEST(outcome.err.rfind("gyre: ", 0) == 0u, outcome.err);
  BOOST_TEST(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1, outcome.err);
  BOOST_TEST(has(outcome.err, sample.named), outcome.err);
  BOOST_TEST(!fs::exists(scratch / "p.png"));
}

BOOST_AUTO_TEST_CASE(an_output_is_no_input) {
  ScratchFolder scratch("shader");
  fs::copy_file(shader_of("toon.frag"), scratch / "t.frag");
  const std::string before = slurp(scratch / "t.frag");
  const Outcome outcome = run_gyre({"shader", "dump", scratch / "t.frag", "-o", scratch / "t.frag"}, 60);
  BOOST_TEST(outcome.code == 2);
  BOOST_TEST(slurp(scratch / "t.frag") == before);
}

BOOST_AUTO_TEST_SUITE_END()

// ---- gyre render of scenes with shaders
BOOST_AUTO_TEST_SUITE(gfx3d_render)

const std::string kScene = std::string(GYRE_SOURCE_DIR) + "/scenes/gfx3d/diffuse.yaml";

BOOST_AUTO_TEST_CASE(backends_draw_one_picture_and_report_it) {
  ScratchFolder scratch("shader");
  const Outcome soft = good({"render", kScene, "-o", scratch / "s.png", "--report", scratch / "r.json"});
  BOOST_TEST(has(soft.out, "soft backend"), soft.out);
  BOOST_TEST(has(slurp(scratch / "r.json"), "\"backend\": \"soft\""));
  good({"render", kScene, "-o", scratch / "i.png", "--backend", "interp", "-q"});
  good({"render", kScene, "-o", scratch / "t.png", "--backend", "soft", "--threads", "2", "-q"});
  BOOST_TEST(slurp(scratch / "s.png") == slurp(scratch / "i.png"));
  BOOST_TEST(slurp(scratch / "s.png") == slurp(scratch / "t.png"));
  const scene::Image image = scene::read_png(scratch / "s.png");
  BOOST_TEST(image.width == 480u);
  const std::uint8_t* const ball = &image.rgba[4 * (160 * 480 + 240)];
  BOOST_TEST(ball[0] > ball[1] + 50);
  good({"render", kScene, "-o", scratch / "b.png", "--size", "96x64", "--raw", scratch / "raw", "-q"});
  BOOST_TEST(slurp(scratch / "raw.rgba").size() == 96u * 64 * 4);
  BOOST_TEST(slurp(scratch / "raw.depth").size() == 96u * 64 * 4);
}

BOOST_AUTO_TEST_CASE(mistakes) {
  ScratchFolder scratch("shader");
  const std::string picture = scratch / "p.png";
  write(scratch / "bad.yaml", "gfx3d: 1\ndraws: [{mesh: x, program: y}]\n");
  write(scratch / "config.yaml", "gpu: {clusters: 1}\n");
  const Wrong wrong[] = {
      {{"render", kScene, "--backend", "reference"}, "--backend reference"},
      {{"render", kScene, "--backend", "gl"}, "--backend gl"},
      {{"render", std::string(GYRE_SOURCE_DIR) + "/scenes/triangle.json", "--backend", "soft"}, "takes gpu or reference"},
      {{"render", kScene, "--size", "1921x10"}, "1920x1080"},
      {{"render", kScene, "--threads", "65"}, "--threads 65"},
      {{"render", kScene, "--gdb", "3333"}, "--gdb"},
      {{"render", scratch / "bad.yaml"}, "bad.yaml:2:16: draws[0].mesh: no mesh is called x; there is none"},
      {{"render", scratch / "config.yaml"}, "config.yaml:1:1: unknown key gpu"},
      {{"render", scratch / "nowhere.yaml"}, "nowhere.yaml"},
      {{"render", kScene, "-o", kScene}, "is an input"},
  };
  for (const Wrong& one : wrong) {
    Words words = one.words;
    if (std::find(words.begin(), words.end(), "-o") == words.end()) words.insert(words.end(), {"-o", picture});
    const Outcome outcome = run_gyre(words, 60);
    BOOST_TEST_CONTEXT(one << outcome.err) {
      BOOST_TEST(outcome.code == 2);
      BOOST_TEST(outcome.out == "");
      BOOST_TEST(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
      BOOST_TEST(has(outcome.err, one.named));
    }
  }
  BOOST_TEST(!fs::exists(picture));
}

BOOST_AUTO_TEST_CASE(a_shader_mistake_shows_its_line) {
  ScratchFolder scratch("shader");
  write(scratch / "a.vert", "in vec4 p;\nvoid main() { gl_Position = p.xyz; }\n");
  write(scratch / "a.frag", "out vec4 c;\nvoid main() { c = vec4(1.0); }\n");
  write(scratch / "a.yaml", "gfx3d: 1\nmeshes: {m: {shape: cube}}\nprograms: {p: {vertex: a.vert, fragment: a.frag}}\ndraws: [{mesh: m, program: p}]\n");
  const Outcome outcome = run_gyre({"render", scratch / "a.yaml", "-o", scratch / "p.png"}, 60);
  BOOST_TEST(outcome.code == 2);
  BOOST_TEST(has(outcome.err, "a.vert:2:"), outcome.err);
  BOOST_TEST(has(outcome.err, "^\n"), outcome.err);
}

BOOST_AUTO_TEST_SUITE_END()
