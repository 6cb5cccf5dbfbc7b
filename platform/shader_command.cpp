// gyre shader: the command line of the shader tools.
#include "options.h"
#include "shader_build.h"
#include "shader_tool.h"

namespace gyre::platform {
namespace {

void add_picture_options(CLI::App* command, ShaderPicture* picture, const char* size, const char* output) {
  command->add_option("-o,--output", picture->output, output)->type_name("FILE");
  command->add_option("--size", picture->size, size)->type_name("WxH");
  command->add_option("--mesh", picture->mesh, "sphere, torus, cube or quad")->type_name("NAME");
  command->add_option("--texture", picture->texture, "a PNG of at most 1024x1024; without it a checker board")->type_name("FILE");
  command->add_option("--backend", picture->backend, "soft (batched executor) or interp (the reference); both draw the same")->type_name("NAME");
  command->add_option("--threads", picture->threads, "of the batched executor, 1 to 64")->type_name("N");
  command->add_option("--uniform,-u", picture->uniforms, "set a uniform: one number a lane, matrices column by column (repeatable)")
      ->type_name("NAME=V,V")->allow_extra_args(false);
  command->add_flag("--compat", picture->compat, "the seed's behaviour (COMPAT) instead of the corrected one");
  command->add_flag("--quiet,-q", picture->quiet, "say nothing");
}

}  // namespace

void add_shader_command(CLI::App& app, int* code) {
  CLI::App* command = app.add_subcommand("shader", "check, convert, compile and draw shaders (.vert, .frag, .csir text, .csi binary)");
  command->require_subcommand(1);
  auto files = std::make_shared<std::vector<std::string>>();
  auto picture = std::make_shared<ShaderPicture>();

  CLI::App* check = command->add_subcommand("check", "compile or read, and verify; link a vertex and a fragment shader");
  check->add_option("files", *files, "shaders")->required()->type_name("FILE");
  check->add_flag("--quiet,-q", picture->quiet, "say nothing of what is right");
  check->callback([files, picture, code] { *code = shader_check(*files, picture->quiet); });

  CLI::App* dump = command->add_subcommand("dump", "the verified form as text or binary");
  auto form = std::make_shared<std::string>("text");
  dump->add_option("file", *files, "shader")->required()->expected(1)->type_name("FILE");
  dump->add_option("--form", *form, "text, csi1 or csi2")->type_name("FORM");
  dump->add_option("-o,--output", picture->output, "write it there instead of to standard output")->type_name("FILE");
  dump->callback([files, form, picture, code] {
    check_file_names(*files, {picture->output});
    *code = shader_dump(files->front(), *form, picture->output);
  });

  CLI::App* build = command->add_subcommand("build", "compile a shader pair for the GPU");
  auto target = std::make_shared<ShaderBuild>();
  build->add_option("files", *files, "vertex and fragment shader, or one of a pair NAME.vert, NAME.frag; with --batch one shader")->required()->type_name("FILE");
  build->add_option("-o,--output", target->output, "program .elf or device image .vxbin")->required()->type_name("FILE");
  build->add_option("--sampler", target->sampler, "software (nearest, clamp, as the CPU renderer) or tex (the TEX unit)")->type_name("NAME");
  build->add_flag("--batch", target->batch, "a kernel `shade` that runs the shader over arrays, one invocation a thread");
  build->add_flag("--compat", target->compat, "the seed's mathematics instead of the accurate one");
  build->add_flag("--quiet,-q", target->quiet, "say nothing");
  build->callback([files, target, code] {
    check_file_names(*files, {target->output});
    *code = shader_build(*files, *target);
  });

  CLI::App* run = command->add_subcommand("run", "draw a shader pair on a mesh");
  run->add_option("files", *files, "vertex and fragment shader, or one of a pair NAME.vert, NAME.frag")->required()->type_name("FILE");
  add_picture_options(run, picture.get(), "picture size, 256x256 without it", "picture (PNG), or a draw package (.gpkg) that `gyre render` draws on the machine");
  run->callback([files, picture, code] {
    if (picture->output.empty()) picture->output = "shader.png";
    std::vector<std::string> inputs = *files;
    inputs.push_back(picture->texture);
    check_file_names(inputs, {picture->output});
    *code = shader_run(*files, *picture);
  });

  CLI::App* sheet = command->add_subcommand("sheet", "draw every shader pair of a folder on one contact sheet");
  sheet->add_option("folder", *files, "folder with NAME.vert and NAME.frag")->required()->expected(1)->type_name("FOLDER");
  add_picture_options(sheet, picture.get(), "size of one picture, at most 512x512; 256x256 without it", "picture (PNG)");
  sheet->add_option("--columns", picture->columns, "pictures in a row, 1 to 16; without it about as many as rows")->type_name("N");
  sheet->callback([files, picture, code] {
    if (picture->output.empty()) picture->output = "sheet.png";
    check_file_names({picture->texture}, {picture->output});
    *code = shader_sheet(files->front(), *picture);
  });
}

}  // namespace gyre::platform
