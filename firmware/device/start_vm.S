# The start code for virtual memory: Sv32, root table at GYRE_DEV_PAGE_TABLE_BASE, where libgyre puts it.
#define GYRE_START_SATP 0x800F0
#include "start.S"
