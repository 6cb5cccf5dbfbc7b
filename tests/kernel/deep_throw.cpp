// Built without SystemC's options: here the address sanitizer marks the frames.
#include "deep_throw.h"

#include <stdexcept>
#include <string>

namespace gyre::test {

unsigned deep_throw(unsigned depth, volatile char* caller) {
  volatile char local[97];
  local[depth % sizeof local] = caller[0];
  if (depth == 0) throw std::runtime_error(std::string(100, 'x'));
  return deep_throw(depth - 1, local) + static_cast<unsigned char>(local[0]);
}

}  // namespace gyre::test
