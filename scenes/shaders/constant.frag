#version 330
out vec4 color;

void main() {
  color = vec4(0.90, 0.45, 0.15, 1.0);
}
