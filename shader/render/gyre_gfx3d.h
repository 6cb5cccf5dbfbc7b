/* C interface of the Gfx3D software renderer (csir.md §13.1). The same calls as gyre::shader::Gfx3d, one to one.
 *
 * Handles: generation << 16 | (index + 1), 0 is never valid. Every object belongs to an owner, a number of the caller's
 * choice; calls for another owner's object fail. Handle calls return 0, other calls -1 when they fail, 0 when they
 * succeed; gyre_gfx3d_error() then says why (valid until the next call). Nothing is printed, nothing aborts; when memory
 * runs out a call fails like any other.
 * Matrices: 16 floats, row-major, for column vectors. Colours: pixel words A<<24 | R<<16 | G<<8 | B, rows without gaps,
 * row 0 on top. Threads: one device is used by one thread at a time; separate devices are independent. */
#ifndef GYRE_GFX3D_H
#define GYRE_GFX3D_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gyre_gfx3d gyre_gfx3d;
typedef uint32_t gyre_handle;

/* Feature bits (csir.md §14): a set bit corrects what the seed's renderer does. */
enum {
  GYRE_GFX3D_DEPTH_FLAG = 1 << 0,
  GYRE_GFX3D_CULL = 1 << 1,
  GYRE_GFX3D_VIEWPORT = 1 << 2,
  GYRE_GFX3D_COLOR_CLAMP = 1 << 3,
  GYRE_GFX3D_INITIALIZE = 1 << 4,
  GYRE_GFX3D_CLIP = 1 << 5,
  GYRE_GFX3D_WINDOW_DEPTH = 1 << 6,
  GYRE_GFX3D_TOP_LEFT = 1 << 7,
  GYRE_GFX3D_STRICT = 0xFF,
  GYRE_GFX3D_COMPAT = 0
};
enum { GYRE_GFX3D_AUTO = 0, GYRE_GFX3D_SOFTWARE = 1, GYRE_GFX3D_VIRGL = 2, GYRE_GFX3D_MOCK = 3 };

typedef struct {
  int location;   /* attribute 0..7; others are ignored */
  int components; /* floats, 1..4 */
  int offset;     /* bytes; negative: ignored */
} gyre_gfx3d_element;

/* A device; NULL when memory is out. `threads` 1..64, without influence on results. */
gyre_gfx3d* gyre_gfx3d_create(uint32_t features, uint32_t compat_fill, int threads);
void gyre_gfx3d_destroy(gyre_gfx3d* device);
const char* gyre_gfx3d_error(const gyre_gfx3d* device);
void gyre_gfx3d_destroy_owner(gyre_gfx3d* device, uint32_t owner);

gyre_handle gyre_gfx3d_context_create(gyre_gfx3d* device, uint32_t owner, int backend);
int gyre_gfx3d_context_destroy(gyre_gfx3d* device, uint32_t owner, gyre_handle context);

/* 1x1 to 1920x1080; at most 8. Resize keeps nothing. `words` is the room at `out`, at least width * height. */
gyre_handle gyre_gfx3d_target_create(gyre_gfx3d* device, uint32_t owner, int width, int height);
int gyre_gfx3d_target_resize(gyre_gfx3d* device, uint32_t owner, gyre_handle target, int width, int height);
int gyre_gfx3d_target_read(gyre_gfx3d* device, uint32_t owner, gyre_handle target, uint32_t* out, size_t words);
int gyre_gfx3d_target_destroy(gyre_gfx3d* device, uint32_t owner, gyre_handle target);

/* Copies `count` vertices of `stride` bytes and `index_count` indices (0: groups of three vertices); at most 48 meshes. */
gyre_handle gyre_gfx3d_mesh_upload(gyre_gfx3d* device, uint32_t owner, const void* vertices, int count, int stride,
                                   const gyre_gfx3d_element* elements, int element_count, const uint16_t* indices,
                                   int index_count);
/* Vertex by vertex: position at location 0, normal at 1, uv at 2; at most 8192. */
gyre_handle gyre_gfx3d_mesh_build(gyre_gfx3d* device, uint32_t owner);
int gyre_gfx3d_mesh_vert(gyre_gfx3d* device, uint32_t owner, gyre_handle mesh, const float position[3],
                         const float normal[3], const float uv[2]);
int gyre_gfx3d_mesh_finish(gyre_gfx3d* device, uint32_t owner, gyre_handle mesh);
int gyre_gfx3d_mesh_destroy(gyre_gfx3d* device, uint32_t owner, gyre_handle mesh);

/* 1x1 to 1024x1024, words 0xAARRGGBB; upload takes exactly width * height and makes alpha FF; at most 24. */
gyre_handle gyre_gfx3d_tex_create(gyre_gfx3d* device, uint32_t owner, int width, int height);
int gyre_gfx3d_tex_upload(gyre_gfx3d* device, uint32_t owner, gyre_handle texture, const uint32_t* texels, size_t words);
int gyre_gfx3d_tex_destroy(gyre_gfx3d* device, uint32_t owner, gyre_handle texture);

/* Sources of 1..4095 bytes, zero-terminated; at most 16 programs. A failed build keeps the program built before. */
gyre_handle gyre_gfx3d_program_create(gyre_gfx3d* device, uint32_t owner);
int gyre_gfx3d_program_build(gyre_gfx3d* device, uint32_t owner, gyre_handle program, const char* vertex_source,
                             const char* fragment_source);
const char* gyre_gfx3d_program_log(gyre_gfx3d* device, uint32_t owner, gyre_handle program);
uint32_t gyre_gfx3d_program_generation(gyre_gfx3d* device, uint32_t owner, gyre_handle program);
int gyre_gfx3d_program_destroy(gyre_gfx3d* device, uint32_t owner, gyre_handle program);

/* A frame. clear: `depth` not 0 turns the depth flag on; depth is always set to 1.0. */
int gyre_gfx3d_begin(gyre_gfx3d* device, uint32_t owner, gyre_handle context, gyre_handle target);
int gyre_gfx3d_end(gyre_gfx3d* device, uint32_t owner, gyre_handle context);
int gyre_gfx3d_clear(gyre_gfx3d* device, uint32_t owner, gyre_handle context, float r, float g, float b, float a, int depth);
int gyre_gfx3d_depth(gyre_gfx3d* device, uint32_t owner, gyre_handle context, int on);
int gyre_gfx3d_cull(gyre_gfx3d* device, uint32_t owner, gyre_handle context, int on);
int gyre_gfx3d_viewport(gyre_gfx3d* device, uint32_t owner, gyre_handle context, int x, int y, int width, int height);
int gyre_gfx3d_use_program(gyre_gfx3d* device, uint32_t owner, gyre_handle context, gyre_handle program);
int gyre_gfx3d_bind_tex(gyre_gfx3d* device, uint32_t owner, gyre_handle context, int unit, gyre_handle texture);

/* Of the program in use. `count` floats: one a lane; mat3 9 and mat4 16, column-major here. */
int gyre_gfx3d_uniform(gyre_gfx3d* device, uint32_t owner, gyre_handle context, const char* name, const float* values,
                       int count);
int gyre_gfx3d_uniform_mat4(gyre_gfx3d* device, uint32_t owner, gyre_handle context, const char* name, const float matrix[16]);
int gyre_gfx3d_camera(gyre_gfx3d* device, uint32_t owner, gyre_handle context, const float view[16], const float projection[16]);
int gyre_gfx3d_model(gyre_gfx3d* device, uint32_t owner, gyre_handle context, const float model[16]);
int gyre_gfx3d_draw(gyre_gfx3d* device, uint32_t owner, gyre_handle context, gyre_handle mesh);

#ifdef __cplusplus
}
#endif

#endif
