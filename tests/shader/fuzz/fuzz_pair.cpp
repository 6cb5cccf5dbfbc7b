// libFuzzer: any bytes as two CSI blobs, linked and drawn.
#include "one_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gyre::test::fuzz_pair(data, size);
  return 0;
}
