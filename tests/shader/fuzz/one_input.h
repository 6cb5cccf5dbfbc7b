// What the fuzzers do with one input, shared by libFuzzer programs and the short deterministic test.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gyre::test {

// A CSI blob, as it is and with its check word and length repaired: refused, or run by both executors in both stages'
// full set of inputs. Returns how many variants were accepted and run.
int fuzz_csi(const std::uint8_t* data, std::size_t size);
// Two bytes that say where the first ends, a vertex blob and a fragment blob, repaired like above: refused, or linked and drawn
// by both renderers into a little target. Returns how many were drawn.
int fuzz_pair(const std::uint8_t* data, std::size_t size);
// Source text of both stages, and CSIR text: errors, or a shader that is written, read again and run. Returns how many compiled.
int fuzz_source(const std::uint8_t* data, std::size_t size);

}  // namespace gyre::test
