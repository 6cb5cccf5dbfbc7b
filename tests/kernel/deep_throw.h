#pragma once

namespace gyre::test {

// Throws std::runtime_error `depth` frames further down, each with memory of its own.
unsigned deep_throw(unsigned depth, volatile char* caller);

}  // namespace gyre::test
