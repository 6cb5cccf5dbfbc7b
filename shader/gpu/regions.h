// Branch regions of a CSIR program, known before lowering: where they end, what they write, whether they are small.
#pragma once

#include <set>
#include <vector>

#include "csir.h"

namespace gyre::shader::gpu {

// Everything a shader can write, lane by lane: temporaries, position, varyings, colour, and whether the lane is alive.
constexpr int kPositionCell = 4 * kMaxTemps, kVaryingCell = kPositionCell + 4,
              kColorCell = kVaryingCell + 4 * kMaxVaryings, kAliveCell = kColorCell + 4, kCells = kAliveCell + 1;

// Cells an instruction writes.
std::vector<int> cells_written(const Instruction& ins);

struct Region {
  std::size_t begin = 0, end = 0;  // of IF and ENDIF
  std::set<int> writes;
  bool small = false;  // predicated writes cost less than SPLIT, branch and JOIN
};

// By the index of its IF; other places are not used.
std::vector<Region> find_regions(const std::vector<Instruction>& code);

}  // namespace gyre::shader::gpu
