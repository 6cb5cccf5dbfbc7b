#version 330
in vec3 v_normal;
in vec2 v_uv;
uniform sampler2D base;
out vec4 color;

void main() {
  color = texture(base, v_uv);
}
