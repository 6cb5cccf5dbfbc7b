// Helpers of the knob tables.
#pragma once

#include <vector>

#include "knobs.h"

namespace gyre::config {

// The knob of an enumeration whose values count from 0 as `words` do.
template <class E, unsigned N>
Field word(E& value, const char* const (&words)[N]) {
  return Word{words, N, [&value] { return static_cast<unsigned>(value); },
              [&value](unsigned index) { value = static_cast<E>(index); }};
}

// The knobs of every cache (knobs_cache.cpp).
void add_cache_knobs(std::vector<Knob>& table);

}  // namespace gyre::config
