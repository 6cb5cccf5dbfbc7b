#version 330
layout(location = 0) in vec4 position;
uniform mat4 view, projection, model;
out vec4 v_color;

void main() {
  gl_Position = projection * view * model * position;
  v_color = vec4(position.xyz * 0.5 + 0.5, 1.0);
}
