/* Draws a lit, textured cube with the C interface of Gfx3D and writes it as a PPM picture: cube FILE.ppm */
#include <gyre_gfx3d.h>

#include <stdio.h>
#include <stdlib.h>

enum { OWNER = 1, WIDTH = 320, HEIGHT = 240, TEXTURE = 32 };

static const char* const vertex_source =
    "#version 330\n"
    "layout(location = 0) in vec4 position;\n"
    "layout(location = 1) in vec3 normal;\n"
    "layout(location = 2) in vec2 texcoord;\n"
    "uniform mat4 view, projection, model;\n"
    "uniform mat3 normalMatrix;\n"
    "out vec3 v_normal;\n"
    "out vec2 v_uv;\n"
    "void main() {\n"
    "  gl_Position = projection * view * model * position;\n"
    "  v_normal = normalMatrix * normal;\n"
    "  v_uv = texcoord;\n"
    "}\n";
static const char* const fragment_source =
    "#version 330\n"
    "in vec3 v_normal;\n"
    "in vec2 v_uv;\n"
    "uniform sampler2D base;\n"
    "uniform vec3 light;\n"
    "out vec4 color;\n"
    "void main() {\n"
    "  float shade = 0.25 + 0.75 * max(dot(normalize(v_normal), light), 0.0);\n"
    "  color = vec4(texture(base, v_uv).xyz * shade, 1.0);\n"
    "}\n";

static gyre_gfx3d* device;

/* Every call says whether it worked; nothing here can go on without the one before. */
static gyre_handle object(gyre_handle handle, const char* what) {
  if (handle != 0) return handle;
  fprintf(stderr, "%s: %s\n", what, gyre_gfx3d_error(device));
  exit(1);
}
static void done(int result, const char* what) { object(result == 0 ? 1 : 0, what); }

/* Six sides of two triangles, counter-clockwise seen from outside. */
static gyre_handle cube(void) {
  static const float corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  static const int triangles[6] = {0, 1, 2, 0, 2, 3};
  const gyre_handle mesh = object(gyre_gfx3d_mesh_build(device, OWNER), "mesh");
  for (int side = 0; side < 6; ++side) {
    const int axis = side / 2;
    const float sign = side % 2 == 0 ? 1.0f : -1.0f;
    for (int i = 0; i < 6; ++i) {
      const float* const corner = corners[triangles[i]];
      float position[3], normal[3] = {0, 0, 0};
      const float uv[2] = {corner[0] * 0.5f + 0.5f, 0.5f - corner[1] * 0.5f};
      normal[axis] = sign;
      position[axis] = sign;
      position[(axis + 1) % 3] = corner[0] * sign;
      position[(axis + 2) % 3] = corner[1];
      done(gyre_gfx3d_mesh_vert(device, OWNER, mesh, position, normal, uv), "vertex");
    }
  }
  done(gyre_gfx3d_mesh_finish(device, OWNER, mesh), "mesh");
  return mesh;
}

static gyre_handle checkers(void) {
  static uint32_t texels[TEXTURE * TEXTURE];
  for (int i = 0; i < TEXTURE * TEXTURE; ++i)
    texels[i] = ((i / 4 + i / TEXTURE / 4) % 2) ? 0xFFF0E8D8u : 0xFF3060A0u;
  const gyre_handle texture = object(gyre_gfx3d_tex_create(device, OWNER, TEXTURE, TEXTURE), "texture");
  done(gyre_gfx3d_tex_upload(device, OWNER, texture, texels, TEXTURE * TEXTURE), "texture");
  return texture;
}

int main(int argc, char** argv) {
  static uint32_t pixels[WIDTH * HEIGHT];
  static const float eye[3] = {2.8f, 2.3f, 4.2f}, center[3] = {0, 0, 0}, up[3] = {0, 1, 0};
  static const float light[3] = {0.4242641f, 0.5656854f, 0.7071068f};
  static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  float view[16], projection[16];
  if (argc != 2) {
    fprintf(stderr, "usage: cube FILE.ppm\n");
    return 2;
  }
  device = gyre_gfx3d_create(GYRE_GFX3D_STRICT, 0, 2);
  const gyre_handle context = object(gyre_gfx3d_context_create(device, OWNER, GYRE_GFX3D_AUTO), "context");
  const gyre_handle target = object(gyre_gfx3d_target_create(device, OWNER, WIDTH, HEIGHT), "target");
  const gyre_handle program = object(gyre_gfx3d_program_create(device, OWNER), "program");
  done(gyre_gfx3d_program_build(device, OWNER, program, vertex_source, fragment_source), "program");
  done(gyre_gfx3d_use_program(device, OWNER, context, program), "program");
  done(gyre_gfx3d_bind_tex(device, OWNER, context, 0, checkers()), "texture");
  gyre_gfx3d_look_at(view, eye, center, up);
  gyre_gfx3d_perspective(projection, 40, (float)WIDTH / HEIGHT, 0.1f, 100);
  done(gyre_gfx3d_camera(device, OWNER, context, view, projection), "camera");
  done(gyre_gfx3d_model(device, OWNER, context, identity), "model");
  done(gyre_gfx3d_uniform(device, OWNER, context, "light", light, 3), "light");

  done(gyre_gfx3d_begin(device, OWNER, context, target), "frame");
  done(gyre_gfx3d_clear(device, OWNER, context, 0.1f, 0.1f, 0.12f, 1, 1), "clear");
  done(gyre_gfx3d_cull(device, OWNER, context, 1), "cull");
  done(gyre_gfx3d_draw(device, OWNER, context, cube()), "draw");
  done(gyre_gfx3d_end(device, OWNER, context), "frame");
  done(gyre_gfx3d_target_read(device, OWNER, target, pixels, WIDTH * HEIGHT), "pixels");
  gyre_gfx3d_destroy(device);

  FILE* const file = fopen(argv[1], "wb");
  if (file == NULL) {
    perror(argv[1]);
    return 1;
  }
  fprintf(file, "P6 %d %d 255\n", WIDTH, HEIGHT);
  for (int i = 0; i < WIDTH * HEIGHT; ++i)
    for (int shift = 16; shift >= 0; shift -= 8) fputc((int)(pixels[i] >> shift & 255), file);
  return fclose(file) == 0 ? 0 : 1;
}
