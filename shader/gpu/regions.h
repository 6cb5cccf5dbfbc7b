// Branch regions of a CSIR program, known before lowering: where they end, what they write, whether they are small.
#pragma once

#include <set>
#include <vector>

#include "csir.h"

namespace gyre::shader::gpu {

// Everything a shader can write, lane by lane: temporaries, position, varyings, colour, and whether the lane is alive.
constexpr int kPositionCell = 4 * kMaxTemps, kVaryingCell = kPositionCell + 4,
              kColorCell = kVaryingCell + 4 * kMaxVaryings, kAliveCell = kColorCell + 4, kCells = kAliveCell + 1;

std::vector<int> cells_written(const Instruction& ins);
std::vector<int> cells_read(const Instruction& ins);

struct Region {
  std::size_t begin = 0, end = 0;  // of IF and ENDIF
  std::set<int> writes;            // cells, but for a side's own
  bool small = false;              // predicated writes cost less than SPLIT, branch and JOIN
};

struct Regions {
  std::vector<Region> of;  // by the index of the IF; other places are not used
  std::vector<std::set<int>>
      own;  // by instruction: written cells that nothing outside the innermost side around it reads

  bool is_own(std::size_t instruction, int cell) const { return own[instruction].count(cell) != 0; }
};
Regions find_regions(const std::vector<Instruction>& code);

}  // namespace gyre::shader::gpu
