#version 330
in vec3 v_normal;
in vec2 v_uv;
uniform vec3 light;
out vec4 color;

void main() {
  float shade = dot(normalize(v_normal), light);
  vec3 paint = vec3(0.20, 0.55, 0.85);
  if (shade > 0.95) {
    paint = vec3(1.0);
  } else if (shade > 0.5) {
    paint = paint * 0.95;
  } else if (shade > 0.0) {
    paint = paint * 0.6;
  } else {
    paint = paint * 0.25;
  }
  color = vec4(paint, 1.0);
}
