#version 330
layout(location = 0) in vec4 position;

// No matrices: the mesh stands in clip space.
void main() {
  gl_Position = vec4(position.xy * 0.8, position.z * 0.5, 1.0);
}
