// CPU matrices of Gfx3D: row-major, column vectors (result = M * v). Uniforms get them column-major.
#pragma once

namespace gyre::shader {

struct Mat4 {
  float m[4][4];  // m[row][column]
};

Mat4 mat4_identity();
Mat4 mat4_translate(float x, float y, float z);
Mat4 mat4_scale(float x, float y, float z);
Mat4 mat4_rotate_x(float radians);  // counter-clockwise seen from the tip of the axis
Mat4 mat4_rotate_y(float radians);
Mat4 mat4_rotate_z(float radians);
// Right-handed, looking along -z of the camera; near plane at NDC z = -1, far at +1. fov: vertical, degrees.
Mat4 mat4_perspective(float fov_degrees, float aspect, float near_plane, float far_plane);
Mat4 mat4_ortho(float left, float right, float bottom, float top, float near_plane, float far_plane);
Mat4 mat4_look_at(const float eye[3], const float center[3], const float up[3]);
Mat4 mat4_multiply(const Mat4& a, const Mat4& b);
// The transposed inverse of the upper 3x3, its transpose-free self where there is no inverse; row-major.
void mat4_normal(const Mat4& model, float out[3][3]);
void mat4_apply(const Mat4& m, const float in[4], float out[4]);

}  // namespace gyre::shader
