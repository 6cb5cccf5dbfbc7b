#version 330
in vec3 v_normal;
in vec2 v_uv;
uniform float time;
out vec4 color;

float wave(float x) {
  return 0.5 + 0.5 * sin(x);
}

void main() {
  float a = wave(v_uv.x * 40.0 + time);
  float b = wave(v_uv.y * 30.0 - time);
  float rings = wave(length(v_uv - vec2(0.5, 0.5)) * 60.0);
  color = vec4(a * b, rings * 0.7, wave((a + b) * 3.0), 1.0);
}
