/* Inside of libgyre. */
#ifndef GYRE_FIRMWARE_PRIVATE_H
#define GYRE_FIRMWARE_PRIVATE_H

#include "libgyre.h"

#define GY_RING_LOG2 14u
#define GY_RING_LINES ((1u << GY_RING_LOG2) / GYRE_CP_LINE_BYTES)

typedef struct gy_block { /* allocated device memory, ascending */
  gy_addr begin;
  uint64_t bytes;
  struct gy_block* next;
} gy_block;

struct gy_device {
  gy_caps caps;
  uint64_t queued;    /* commands written to the ring; one a line */
  uint64_t submitted; /* commands the device has been told of */
  uint64_t timeout_ticks;
  volatile bool stopped; /* the device reported an error */
  gy_error error;
  gy_block* blocks;
  gy_block* spare; /* unused list entries */
};

#endif
