#version 330
in vec3 v_normal;
in vec2 v_uv;
uniform vec3 light;
out vec4 color;

const vec3 kSurface = vec3(0.85, 0.30, 0.25);

void main() {
  float diffuse = max(dot(normalize(v_normal), light), 0.0);
  color = vec4(kSurface * (0.15 + 0.85 * diffuse), 1.0);
}
