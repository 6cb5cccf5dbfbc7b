/* C interface of the Gfx3D software renderer (csir.md §13.1, §14): the calls of gyre::shader::Gfx3d, one to one.
 *
 * Objects. A handle is generation << 16 | (index + 1); 0 is never valid, and a destroyed object's handle stays invalid. Every
 * object belongs to an owner, a number of the caller's choice; a call for another owner's object fails. A device holds at most
 * 8 contexts, 8 targets, 48 meshes, 24 textures and 16 programs.
 *
 * Errors. Calls that return a handle return 0 when they fail, the others -1, and 0 when they succeed; gyre_gfx3d_error()
 * then says why. A call that failed changed nothing, but for gyre_gfx3d_draw(). Bad handles, numbers out of range, null pointers
 * and memory running out are errors like any other: nothing is printed, nothing aborts. A null device fails every call.
 *
 * Threads. A device, with everything in it, is used by one thread at a time; the caller serializes. Separate devices share
 * nothing and may be used at once. A draw may use threads of its own, which have ended their work when it returns.
 *
 * Units. Positions are clip coordinates, as the vertex shader makes them; the screen is in pixels, x to the right, y down,
 * pixel centres at .5; window depth is 0 (near) to 1. Angles are degrees. Colours are 0..1 in floats, and words
 * A<<24 | R<<16 | G<<8 | B in pixels and texels. Rows lie without gaps; row 0 is the top of a target and v = 0 of a texture.
 * Matrices are 16 floats, row-major, for column vectors, except in gyre_gfx3d_uniform(). */
#ifndef GYRE_GFX3D_H
#define GYRE_GFX3D_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gyre_gfx3d gyre_gfx3d;
typedef uint32_t gyre_handle;

/* Feature bits (§14). A set bit corrects what the seed's renderer does; the comment says what happens without it. */
enum {
  GYRE_GFX3D_DEPTH_FLAG = 1 << 0,   /* depth is tested and written whatever gyre_gfx3d_depth() said */
  GYRE_GFX3D_CULL = 1 << 1,         /* nothing is culled */
  GYRE_GFX3D_VIEWPORT = 1 << 2,     /* the whole target is the viewport */
  GYRE_GFX3D_COLOR_CLAMP = 1 << 3,  /* colours outside 0..1 run into other channels; truncated, not rounded */
  GYRE_GFX3D_INITIALIZE = 1 << 4,   /* new and resized targets hold `compat_fill`, not colour 0 and depth 1 */
  GYRE_GFX3D_CLIP = 1 << 5,         /* no clipping; a triangle with |W| < 1e-5 is not drawn */
  GYRE_GFX3D_WINDOW_DEPTH = 1 << 6, /* depth is the interpolated clip z, which is above 1 beyond about 1.2 units */
  GYRE_GFX3D_TOP_LEFT = 1 << 7,     /* pixels on a shared edge are drawn twice */
  GYRE_GFX3D_STRICT = 0xFF,
  GYRE_GFX3D_COMPAT = 0
};

/* Backends of gyre_gfx3d_context_create(): AUTO is SOFTWARE, VIRGL and MOCK are not available. */
enum { GYRE_GFX3D_AUTO = 0, GYRE_GFX3D_SOFTWARE = 1, GYRE_GFX3D_VIRGL = 2, GYRE_GFX3D_MOCK = 3 };

/* One attribute in a vertex. All fields are floats. */
typedef struct {
  int location;   /* attribute 0..7; others are ignored */
  int components; /* floats, 1..4; the rest of the vec4 is 0 */
  int offset;     /* bytes from the start of the vertex; negative: ignored */
} gyre_gfx3d_element;

/* ---- the device
 * `compat_fill`: the word uninitialized memory holds without GYRE_GFX3D_INITIALIZE. `threads`: of a draw, limited to 1..64; no
 * influence on pixels. NULL when memory is out. */
gyre_gfx3d* gyre_gfx3d_create(uint32_t features, uint32_t compat_fill, int threads);
/* The device and everything in it. NULL is allowed. */
void gyre_gfx3d_destroy(gyre_gfx3d* device);
/* Why the last failed call failed: one line, of a failed build its log; valid until the next call with this device. Never NULL. */
const char* gyre_gfx3d_error(const gyre_gfx3d* device);
/* Destroys every object of an owner. */
void gyre_gfx3d_destroy_owner(gyre_gfx3d* device, uint32_t owner);

/* ---- contexts: the state of drawing
 * New: depth flag on, cull off, no target, program or texture; no camera and no model. */
gyre_handle gyre_gfx3d_context_create(gyre_gfx3d* device, uint32_t owner, int backend);
int gyre_gfx3d_context_destroy(gyre_gfx3d* device, uint32_t owner, gyre_handle context);

/* ---- targets: colour and depth, 1x1 to 1920x1080 pixels
 * Resize keeps no pixel, also when the size stays. Read copies width * height values; `words` is the room at `out`, which
 * must be at least that. */
gyre_handle gyre_gfx3d_target_create(gyre_gfx3d* device, uint32_t owner, int width, int height);
int gyre_gfx3d_target_resize(gyre_gfx3d* device, uint32_t owner, gyre_handle target, int width, int height);
int gyre_gfx3d_target_read(gyre_gfx3d* device, uint32_t owner, gyre_handle target, uint32_t* out, size_t words);
int gyre_gfx3d_target_read_depth(gyre_gfx3d* device, uint32_t owner, gyre_handle target, float* out, size_t words);
int gyre_gfx3d_target_destroy(gyre_gfx3d* device, uint32_t owner, gyre_handle target);

/* ---- meshes
 * Upload copies 1..1048576 vertices of `stride` bytes (4..4096, as laid out by 1..8 elements, none beyond the stride) and
 * `index_count` indices. Three indices, or without indices three vertices, make a triangle; what is left over is ignored.
 * Indices are checked when they are drawn. */
gyre_handle gyre_gfx3d_mesh_upload(gyre_gfx3d* device, uint32_t owner, const void* vertices, int count, int stride,
                                   const gyre_gfx3d_element* elements, int element_count, const uint16_t* indices,
                                   int index_count);
/* Vertex by vertex, 1..8192 of them, drawable after finish: position vec4 (w = 1) at location 0, normal vec4 (w = 0) at 1,
 * uv vec2 at 2. */
gyre_handle gyre_gfx3d_mesh_build(gyre_gfx3d* device, uint32_t owner);
int gyre_gfx3d_mesh_vert(gyre_gfx3d* device, uint32_t owner, gyre_handle mesh, const float position[3],
                         const float normal[3], const float uv[2]);
int gyre_gfx3d_mesh_finish(gyre_gfx3d* device, uint32_t owner, gyre_handle mesh);
int gyre_gfx3d_mesh_destroy(gyre_gfx3d* device, uint32_t owner, gyre_handle mesh);

/* ---- textures, 1x1 to 1024x1024 texels; nearest sampling, coordinates limited to 0..1
 * New: opaque black. Upload takes exactly width * height words and makes every alpha FF. */
gyre_handle gyre_gfx3d_tex_create(gyre_gfx3d* device, uint32_t owner, int width, int height);
int gyre_gfx3d_tex_upload(gyre_gfx3d* device, uint32_t owner, gyre_handle texture, const uint32_t* texels, size_t words);
int gyre_gfx3d_tex_destroy(gyre_gfx3d* device, uint32_t owner, gyre_handle texture);

/* ---- programs
 * Build compiles and links two sources of 1..4095 bytes, zero-terminated. On success every uniform is 0 and the generation
 * moves on, never to 0. On failure the program built before stays, uniforms included, and the log says what is wrong, with
 * line and caret, at most 1535 bytes a stage. The log is valid until the program is built again or destroyed; never NULL.
 * Generation 0: never built, or no such program. */
gyre_handle gyre_gfx3d_program_create(gyre_gfx3d* device, uint32_t owner);
int gyre_gfx3d_program_build(gyre_gfx3d* device, uint32_t owner, gyre_handle program, const char* vertex_source,
                             const char* fragment_source);
const char* gyre_gfx3d_program_log(gyre_gfx3d* device, uint32_t owner, gyre_handle program);
uint32_t gyre_gfx3d_program_generation(gyre_gfx3d* device, uint32_t owner, gyre_handle program);
int gyre_gfx3d_program_destroy(gyre_gfx3d* device, uint32_t owner, gyre_handle program);

/* ---- a frame
 * begin ties the context to a target and sets the viewport to all of it; clear and draw stand between begin and end.
 * clear: negative components count as 0; every depth becomes 1.0; `depth` not 0 also turns the depth flag on, 0 leaves it. */
int gyre_gfx3d_begin(gyre_gfx3d* device, uint32_t owner, gyre_handle context, gyre_handle target);
int gyre_gfx3d_end(gyre_gfx3d* device, uint32_t owner, gyre_handle context);
int gyre_gfx3d_clear(gyre_gfx3d* device, uint32_t owner, gyre_handle context, float r, float g, float b, float a, int depth);

/* ---- state
 * depth: test (nearer wins, equal loses) and write. cull: drop triangles that are clockwise on the screen. viewport: pixels,
 * sides 0..16384, may reach beyond the target. use_program and bind_tex: 0 for none; `unit` has no meaning, one texture serves
 * every sampler. */
int gyre_gfx3d_depth(gyre_gfx3d* device, uint32_t owner, gyre_handle context, int on);
int gyre_gfx3d_cull(gyre_gfx3d* device, uint32_t owner, gyre_handle context, int on);
int gyre_gfx3d_viewport(gyre_gfx3d* device, uint32_t owner, gyre_handle context, int x, int y, int width, int height);
int gyre_gfx3d_use_program(gyre_gfx3d* device, uint32_t owner, gyre_handle context, gyre_handle program);
int gyre_gfx3d_bind_tex(gyre_gfx3d* device, uint32_t owner, gyre_handle context, int unit, gyre_handle texture);

/* ---- uniforms of the program in use
 * uniform: `count` floats, one a lane (float, int and bool 1, vec2 2, ...), mat3 9 and mat4 16, column-major here; int and
 * bool are given as floats. A name no shader has, and a count that does not fit, fail.
 * camera sets "view" and "projection", model sets "model" and "normalMatrix" (mat3 or mat4, the inverse transpose); names the
 * program does not have are skipped. Both are kept and applied again by use_program. */
int gyre_gfx3d_uniform(gyre_gfx3d* device, uint32_t owner, gyre_handle context, const char* name, const float* values,
                       int count);
int gyre_gfx3d_uniform_mat4(gyre_gfx3d* device, uint32_t owner, gyre_handle context, const char* name, const float matrix[16]);
int gyre_gfx3d_camera(gyre_gfx3d* device, uint32_t owner, gyre_handle context, const float view[16], const float projection[16]);
int gyre_gfx3d_model(gyre_gfx3d* device, uint32_t owner, gyre_handle context, const float model[16]);

/* ---- drawing
 * Needs a frame, a built program, and a mesh with every attribute of the vertex shader in enough components. -1 also at an
 * index beyond the vertices, when the triangles before it are drawn, and for less than one triangle. */
int gyre_gfx3d_draw(gyre_gfx3d* device, uint32_t owner, gyre_handle context, gyre_handle mesh);

/* ---- matrices
 * Right-handed: the camera looks along its -z; NDC z is -1 at the near plane and +1 at the far one. `fov`: vertical, degrees. */
void gyre_gfx3d_perspective(float out[16], float fov, float aspect, float near_plane, float far_plane);
void gyre_gfx3d_look_at(float out[16], const float eye[3], const float center[3], const float up[3]);

#ifdef __cplusplus
}
#endif

#endif
