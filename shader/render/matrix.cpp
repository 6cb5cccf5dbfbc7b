#include "matrix.h"

#include <cmath>

namespace gyre::shader {
namespace {

void normalize(float v[3]) {
  const float length = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  for (int i = 0; i < 3 && length > 0.0f; ++i) v[i] /= length;
}

void cross(const float a[3], const float b[3], float out[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

Mat4 rotation(int i, int j, float radians) {
  Mat4 out = mat4_identity();
  const float c = std::cos(radians), s = std::sin(radians);
  out.m[i][i] = out.m[j][j] = c;
  out.m[i][j] = -s;
  out.m[j][i] = s;
  return out;
}

}  // namespace

Mat4 mat4_identity() { return {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}}; }
Mat4 mat4_translate(float x, float y, float z) { return {{{1, 0, 0, x}, {0, 1, 0, y}, {0, 0, 1, z}, {0, 0, 0, 1}}}; }
Mat4 mat4_scale(float x, float y, float z) { return {{{x, 0, 0, 0}, {0, y, 0, 0}, {0, 0, z, 0}, {0, 0, 0, 1}}}; }
Mat4 mat4_rotate_x(float radians) { return rotation(1, 2, radians); }
Mat4 mat4_rotate_y(float radians) { return rotation(2, 0, radians); }
Mat4 mat4_rotate_z(float radians) { return rotation(0, 1, radians); }

Mat4 mat4_perspective(float fov_degrees, float aspect, float near_plane, float far_plane) {
  const float f = 1.0f / std::tan(fov_degrees * 3.14159265f / 360.0f), depth = near_plane - far_plane;
  return {{{f / aspect, 0, 0, 0},
           {0, f, 0, 0},
           {0, 0, (far_plane + near_plane) / depth, 2 * far_plane * near_plane / depth},
           {0, 0, -1, 0}}};
}

Mat4 mat4_ortho(float left, float right, float bottom, float top, float near_plane, float far_plane) {
  const float w = right - left, h = top - bottom, d = far_plane - near_plane;
  return {{{2 / w, 0, 0, -(right + left) / w},
           {0, 2 / h, 0, -(top + bottom) / h},
           {0, 0, -2 / d, -(far_plane + near_plane) / d},
           {0, 0, 0, 1}}};
}

Mat4 mat4_look_at(const float eye[3], const float center[3], const float up[3]) {
  float forward[3] = {center[0] - eye[0], center[1] - eye[1], center[2] - eye[2]}, side[3], top[3];
  normalize(forward);
  cross(forward, up, side);
  normalize(side);
  cross(side, forward, top);
  Mat4 out = mat4_identity();
  for (int i = 0; i < 3; ++i) {
    out.m[0][i] = side[i];
    out.m[1][i] = top[i];
    out.m[2][i] = -forward[i];
    out.m[0][3] -= side[i] * eye[i];
    out.m[1][3] -= top[i] * eye[i];
    out.m[2][3] += forward[i] * eye[i];
  }
  return out;
}

Mat4 mat4_multiply(const Mat4& a, const Mat4& b) {
  Mat4 out;
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 4; ++column) {
      float sum = 0;
      for (int k = 0; k < 4; ++k) sum += a.m[row][k] * b.m[k][column];
      out.m[row][column] = sum;
    }
  return out;
}

void mat4_normal(const Mat4& model, float out[3][3]) {
  const auto& m = model.m;
  float determinant = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
      out[i][j] = m[a][c] * m[b][d] - m[a][d] * m[b][c];  // cofactors are the transposed adjugate
    }
  for (int j = 0; j < 3; ++j) determinant += m[0][j] * out[0][j];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out[i][j] = determinant != 0.0f ? out[i][j] / determinant : m[i][j];
}

void mat4_apply(const Mat4& m, const float in[4], float out[4]) {
  for (int row = 0; row < 4; ++row) {
    float sum = 0;
    for (int k = 0; k < 4; ++k) sum += m.m[row][k] * in[k];
    out[row] = sum;
  }
}

}  // namespace gyre::shader
