// libFuzzer: any bytes as a CSI blob.
#include "one_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gyre::test::fuzz_csi(data, size);
  return 0;
}
