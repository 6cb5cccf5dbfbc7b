#include "simulate.h"

#ifdef __SANITIZE_ADDRESS__
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace gyre::kernel {
namespace {

#ifdef __SANITIZE_ADDRESS__
void name_this_stack() {
  pthread_attr_t attributes;
  void* lowest = nullptr;
  std::size_t bytes = 0;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &lowest, &bytes);
  pthread_attr_destroy(&attributes);
  void* unused = nullptr;
  __sanitizer_start_switch_fiber(&unused, lowest, bytes);
  __sanitizer_finish_switch_fiber(unused, nullptr, nullptr);
}
#else
void name_this_stack() {}
#endif

}  // namespace

void simulate(Picoseconds duration) {
  if (duration == 0)
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  else
    sc_core::sc_start(sc_core::sc_time::from_value(duration), sc_core::SC_RUN_TO_TIME);
  name_this_stack();
}

void simulate() {
  sc_core::sc_start();
  name_this_stack();
}

}  // namespace gyre::kernel
