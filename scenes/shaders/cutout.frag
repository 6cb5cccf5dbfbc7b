#version 330
in vec3 v_normal;
in vec2 v_uv;
uniform vec3 light;
out vec4 color;

// A lattice: what lies between its bars is not there.
void main() {
  float bars = max(abs(sin(v_uv.x * 25.13274)), abs(sin(v_uv.y * 25.13274)));
  if (bars < 0.8) discard;
  float shade = abs(dot(normalize(v_normal), light));
  color = vec4(vec3(0.95, 0.75, 0.30) * (0.3 + 0.7 * shade), 1.0);
}
