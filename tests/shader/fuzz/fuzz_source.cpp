// libFuzzer: any bytes as source of both stages and as CSIR text.
#include "one_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gyre::test::fuzz_source(data, size);
  return 0;
}
