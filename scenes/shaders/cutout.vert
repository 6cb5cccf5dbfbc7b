#version 330
layout(location = 0) in vec4 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 texcoord;
uniform mat4 view, projection, model;
uniform mat3 normalMatrix;
out vec3 v_normal;
out vec2 v_uv;

void main() {
  gl_Position = projection * view * model * position;
  v_normal = normalMatrix * normal;
  v_uv = texcoord;
}
