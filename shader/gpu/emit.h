// Machine IR with its registers -> instruction words of a whole image: start code, kernels, routines, table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine_ir.h"

namespace gyre::shader::gpu {

struct Symbol {
  std::string name;
  std::uint32_t address = 0, bytes = 0;
  bool kernel = false;
};

// What a lane executes at one place, by name and number.
struct FunctionFacts {
  std::string name;
  int instructions = 0, spilled = 0, stack_bytes = 0, branches = 0;
};

struct Image {
  std::uint32_t base = 0;
  std::vector<std::uint32_t> start, kernels, routines,
      table;  // sections, one behind the other; the table 64-byte aligned
  std::uint32_t kernels_address = 0, routines_address = 0, table_address = 0, end = 0;
  std::vector<Symbol> symbols;  // ascending
  std::vector<FunctionFacts> facts;
};

// `base` is a device address, 64-byte aligned; its first instruction is where every warp starts (isa.md §12). Kernels
// come first, then the routines they call. Throws std::runtime_error when a function needs more stack than a lane has.
Image emit(std::uint32_t base, const std::vector<Function>& kernels, const std::vector<Function>& routines,
           const std::vector<std::uint32_t>& table);

}  // namespace gyre::shader::gpu
