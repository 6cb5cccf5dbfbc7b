#version 330
in vec3 v_normal;
in vec2 v_uv;
out vec4 color;

void main() {
  color = vec4(normalize(v_normal) * 0.5 + 0.5, 1.0);
}
