#version 330
in vec3 v_normal;
in vec2 v_uv;
uniform sampler2D base;
out vec4 color;

// Five samples along a diagonal; the loop is unrolled.
void main() {
  vec4 sum = vec4(0.0);
  for (int i = -2; i <= 2; i++) {
    float step = float(i) * 0.03;
    sum = sum + texture(base, v_uv + vec2(step, step));
  }
  color = sum / 5.0;
}
