// gyre render: a scene becomes a picture, on the modelled machine or on the reference renderer.
#include <charconv>
#include <chrono>
#include <filesystem>

#include "configuration.h"
#include "device_image.h"
#include "error.h"
#include "files.h"
#include "gfx3d_render.h"
#include "installation.h"
#include "log.h"
#include "scene.h"
#include "options.h"
#include "package_view.h"
#include "png_image.h"
#include "renderer.h"

namespace gyre::platform {
namespace {

struct RenderOptions {
  MachineOptions machine;
  DebugOptions debug;
  std::string scene, output = "frame.png", raw, backend, size, device_image, sampler = "software";
  int threads = 1;
};

struct Size {
  std::uint32_t width, height;
};

Size parse_size(const std::string& text) {
  if (text.empty()) return {0, 0};  // the scene's own, or the reader's default
  std::uint32_t width = 0, height = 0;
  const char *const begin = text.data(), *const end = begin + text.size();
  const auto x = std::from_chars(begin, end, width);
  const bool parted = x.ec == std::errc() && x.ptr != end && *x.ptr == 'x';
  const auto y = parted ? std::from_chars(x.ptr + 1, end, height) : x;
  if (!parted || y.ec != std::errc() || y.ptr != end || width == 0 || height == 0 || width > GYRE_PKG_MAX_DIM ||
      height > GYRE_PKG_MAX_DIM)
    user_error("--size {}: write WIDTHxHEIGHT, each from 1 to {}", text, GYRE_PKG_MAX_DIM);
  return {width, height};
}

// What a backend leaves behind: frame-buffer words, row 0 first.
struct FrameWords {
  std::vector<std::uint32_t> color, depth;
};

std::vector<std::uint32_t> words_of(const std::vector<std::uint8_t>& bytes, std::size_t expected, const char* what) {
  if (bytes.size() != expected * 4)
    throw std::runtime_error(fmt::format("the firmware wrote {} bytes of {}, expected {}", bytes.size(), what, expected * 4));
  std::vector<std::uint32_t> words(expected);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

void write_raw(Outputs& outputs, const std::string& prefix, const FrameWords& frame, const scene::PackageView& view) {
  if (prefix.empty()) return;
  const scene::Image image = scene::from_frame(frame.color.data(), view.width(), view.height(), view.bottom_up());
  outputs.write([&] { scene::write_file(prefix + ".rgba", image.rgba.data(), image.rgba.size()); });
  std::vector<std::uint32_t> depth;
  std::vector<std::uint8_t> stencil;
  for (std::uint32_t y = 0; y < view.height(); ++y) {
    const std::size_t row = view.bottom_up() ? view.height() - 1 - y : y;
    for (std::uint32_t x = 0; x < view.width(); ++x) {
      const std::uint32_t word = frame.depth[row * view.width() + x];
      depth.push_back(word & 0xFFFFFF);
      stencil.push_back(static_cast<std::uint8_t>(word >> 24));
    }
  }
  outputs.write([&] { scene::write_file(prefix + ".depthbits", depth.data(), depth.size() * 4); });
  outputs.write([&] { scene::write_file(prefix + ".stencil", stencil.data(), stencil.size()); });
}

int render_reference(const RenderOptions& options, const MachineConfig& config, const scene::PackageView& view) {
  if (view.has_programs()) user_error("{}: its draws run shaders of their own, which only --backend gpu can", options.scene);
  const auto begin = std::chrono::steady_clock::now();
  reference::Frame frame = reference::render(view);
  RunReport report;
  report.scene = options.scene;
  report.backend = "reference";
  report.frames = 1;
  report.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  Outputs outputs;
  outputs.write([&] {
    scene::write_png(options.output,
                     scene::from_frame(frame.color.data(), view.width(), view.height(), view.bottom_up()));
  });
  write_raw(outputs, options.raw, {std::move(frame.color), std::move(frame.depth_stencil)}, view);
  outputs.write([&] { options.machine.write_report(report, config, nullptr); });
  outputs.finish();
  return 0;
}

// The last line of what the firmware printed.
std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t end = text.rfind('\n');
  return end == std::string::npos ? text : text.substr(end + 1);
}

int render_gpu(const RenderOptions& options, const MachineConfig& config, const std::vector<std::uint8_t>& package,
               const scene::PackageView& view) {
  const char* const shipped = config.gpu.vm ? "device_vm.vxbin" : "device.vxbin";
  const std::string image = options.device_image.empty() ? firmware_file(shipped) : options.device_image;
  const std::string kernels = read_device_image(image);
  if (config.gpu.core.xlen != 32)
    user_error("gpu.core.xlen is {}: the device code that draws is RV32; only `gyre run` takes images of your own",
               config.gpu.core.xlen);
  Machine machine(config);
  host::HostSystem& host = machine.host();
  host::FileSpace& files = host.semihost.files;
  files.add_input("scene.gpkg", package);
  files.add_input("device.vxbin", {kernels.begin(), kernels.end()});
  files.add_output("color");
  files.add_output("depth");
  host.semihost.command_line = "player --package scene.gpkg --image device.vxbin --color color --depth depth";
  // What the player has to say concerns the scene, or is the reason of a failure.
  std::string said;
  host.semihost.console_out = [&](std::string_view text) { said += text; };
  scene::Image shown;
  host.display.on_present = [&](const host::DisplayFrame& frame) {
    shown = scene::from_frame(frame.pixels.data(), frame.width, frame.height, false);
  };
  auto load = [&] { host.load_bios(firmware_file("player.elf")); };
  load();
  machine.names().host.add(firmware_file("player.elf"));
  machine.names().device.add(image);

  const auto timeline = options.machine.record(machine.context());
  const auto instructions = options.machine.trace_instructions(machine.names(), config, machine.gpu(), &host);
  const auto debugger = options.debug.make(machine.context(), machine.gpu(), &host, load);
  ProgressLine progress(options.machine.quiet);
  auto show = [&](const RunOutcome& now) {
    progress.show(fmt::format("{}: {:.3f} ms simulated, {} fragments, {:.1f} s", options.scene,
                              static_cast<double>(now.simulated_ps) * 1e-9,
                              machine.context().counters.sum("fragments"), now.wall_seconds));
  };
  const RunOutcome outcome = machine.run(show, debugger.get());
  progress.show("");
  const std::string who =
      options.device_image.empty() ? options.scene : fmt::format("{} with {}", options.scene, options.device_image);
  Outputs outputs;
  outputs.write([&] { if (timeline) timeline->finish(); });
  outputs.write([&] { if (instructions) instructions->finish(); });
  RunReport report = machine.report(outcome);
  report.scene = options.scene;
  if (outcome.exit_code != 0) {  // also when it never exited
    if (shown.width != 0) outputs.write([&] { scene::write_png(options.output, shown); });
    outputs.write([&] { options.machine.write_report(report, config, &machine.context().counters); });
    if (!outcome.exited) throw HangError(fmt::format("{}: {}", who, outcome.diagnosis));
    throw std::runtime_error(fmt::format("{}: the draw player failed with exit code {}: {}", who, outcome.exit_code,
                                         said.empty() ? host.exit.reason : last_line(said)));
  }
  if (!said.empty()) kernel::log_warn("firmware", "{}", last_line(said));
  if (shown.width != view.width() || shown.height != view.height())
    throw std::runtime_error(fmt::format("{}: the firmware ended without presenting a frame of the scene's size", who));
  outputs.write([&] { scene::write_png(options.output, shown); });
  const std::size_t pixels = std::size_t{view.width()} * view.height();
  write_raw(outputs, options.raw,
            {words_of(files.output("color"), pixels, "colour"), words_of(files.output("depth"), pixels, "depth")}, view);
  outputs.write([&] { options.machine.write_report(report, config, &machine.context().counters); });
  outputs.finish();
  return 0;
}

// A scene with shaders of its own, on the machine.
int render_shaders_on_gpu(const RenderOptions& options) {
  if (options.sampler != "software" && options.sampler != "tex") user_error("--sampler {}: choose software or tex", options.sampler);
  const Size size = parse_size(options.size);
  check_file_names({options.scene, options.device_image, options.machine.config},
                   options.machine.outputs(options.output));
  const MachineConfig config = config::load(options.machine.config, options.machine.sets).machine();
  const auto package = package_gfx3d({options.scene, options.output, options.raw, "gpu", size.width, size.height, 1}, options.sampler == "tex");
  return package ? render_gpu(options, config, *package, scene::PackageView(*package, options.scene)) : 2;
}

// A scene with shaders of its own.
int render_shaders(const RenderOptions& options) {
  const std::string backend = options.backend.empty() ? "soft" : options.backend;
  if (backend == "gpu") return render_shaders_on_gpu(options);
  if (options.debug.wanted() || options.debug.wait) user_error("--gdb: --backend {} is no machine", backend);
  if (!options.machine.trace.empty()) user_error("--trace: --backend {} has no time", backend);
  if (!options.machine.insn_trace.empty()) user_error("--trace-insn: --backend {} has no instructions", backend);
  if (!options.device_image.empty()) user_error("--device-image: --backend {} is no machine", backend);
  if (options.threads < 1 || options.threads > 64) user_error("--threads {}: from 1 to 64", options.threads);
  const Size size = parse_size(options.size);
  check_file_names({options.scene, options.machine.config}, {options.output, options.machine.report});
  const MachineConfig config = config::load(options.machine.config, options.machine.sets).machine();
  RunReport report;
  const int code = render_gfx3d({options.scene, options.output, options.raw, backend, size.width, size.height, options.threads}, &report);
  if (code == 0) options.machine.write_report(report, config, nullptr);
  return code;
}

int render(const RenderOptions& given) {
  RenderOptions options = given;
  if (is_gfx3d_scene(options.scene)) return render_shaders(options);
  if (options.backend.empty()) options.backend = "gpu";
  if (options.backend == "soft" || options.backend == "interp")
    user_error("--backend {}: for scenes with shaders of their own (.yaml); {} takes gpu or reference", options.backend, options.scene);
  if (options.backend == "reference" && (options.debug.wanted() || options.debug.wait))
    user_error("--gdb: the reference renderer is no machine; use --backend gpu");
  if (options.backend == "reference" && !options.machine.trace.empty())
    user_error("--trace: the reference renderer has no time; use --backend gpu");
  if (options.backend == "reference" && !options.machine.insn_trace.empty())
    user_error("--trace-insn: the reference renderer has no instructions; use --backend gpu");
  if (options.backend != "gpu" && options.backend != "reference")
    user_error("--backend {}: choose gpu or reference", options.backend);
  const Size size = parse_size(options.size);
  check_file_names({options.scene, options.device_image, options.machine.config},
                   options.machine.outputs(options.output));
  const MachineConfig config = config::load(options.machine.config, options.machine.sets).machine();
  const std::vector<std::uint8_t> package = scene::load(options.scene, size.width, size.height);
  const scene::PackageView view(package, options.scene);
  return options.backend == "gpu" ? render_gpu(options, config, package, view) : render_reference(options, config, view);
}

}  // namespace

void add_render_command(CLI::App& app, int* code) {
  auto options = std::make_shared<RenderOptions>();
  CLI::App* command = app.add_subcommand("render", "draw a scene and write the picture");
  command->add_option("scene", options->scene, ".cgltrace, draw-list .json, .gpkg, a model file (OBJ, glTF, 3DS, PLY, Collada), or .yaml with shaders")
      ->required()->type_name("SCENE");
  command->add_option("-o,--output", options->output, "picture (PNG)")->type_name("FILE");
  command->add_option("--size", options->size, "picture size; without it the scene's own")->type_name("WxH");
  command->add_option("--raw", options->raw, "also PREFIX.rgba, .depthbits and .stencil")->type_name("PREFIX");
  command->add_option("--backend", options->backend, "gpu or reference; .yaml: soft, interp or gpu")->type_name("NAME");
  command->add_option("--threads", options->threads, "of --backend soft, 1 to 64")->type_name("N");
  command->add_option("--sampler", options->sampler, "of .yaml on the gpu: software (as soft and interp) or tex (the TEX unit, mip-mapped)")
      ->type_name("NAME");
  command->add_option("--device-image", options->device_image, "kernels and shaders to load instead of the shipped ones")
      ->type_name("FILE");
  options->machine.add_to(*command);
  options->debug.add_to(*command);
  command->callback([options, code] { *code = render(*options); });
}

}  // namespace gyre::platform
