/* Kernels the bare device launches through the KMU. */
#include "device_map.h"
#include "simt.h"

typedef struct check_arg {
  uint32_t first, second;
} check_arg;

/* Every thread leaves its number; the last one adds them up behind a barrier of its block and reports the sum. */
SIMT_KERNEL void sum(const check_arg* arg);
SIMT_KERNEL void sum(const check_arg* arg) {
  volatile uint32_t* const table = (volatile uint32_t*)(uintptr_t)0x20000;
  const uint32_t i = simt_global_x();
  table[i] = i + arg->first;
  simt_barrier();
  SIMT_IF(i == arg->second)
    uint32_t total = 0;
    for (uint32_t k = 0; k <= arg->second; ++k) total += table[k];
    *(volatile uint32_t*)(uintptr_t)GYRE_DEV_EXIT_CODE = total;
  SIMT_END
}

SIMT_KERNEL void nothing(const check_arg* arg);
SIMT_KERNEL void nothing(const check_arg* arg) { (void)arg; }

/* The counters of the core are there without a host: three stores, counted. */
SIMT_KERNEL void counters(const check_arg* arg);
SIMT_KERNEL void counters(const check_arg* arg) {
  (void)arg;
  volatile uint32_t* const table = (volatile uint32_t*)(uintptr_t)0x20000;
  const uint32_t before = simt_csr_volatile(0xB1E);
  table[0] = 1;
  table[1] = 2;
  table[2] = 3;
  const uint32_t after = simt_csr_volatile(0xB1E);
  *(volatile uint32_t*)(uintptr_t)GYRE_DEV_EXIT_CODE = after - before;
}
