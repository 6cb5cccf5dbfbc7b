/* Command processor: registers, commands, descriptors, errors (cp.md). */
#ifndef GYRE_ABI_CP_H
#define GYRE_ABI_CP_H

/* Registers: byte offsets, 32-bit aligned accesses only (cp.md §2) */
#define GYRE_CP_CTRL 0x000u            /* RW: bit 0 enable all queues, bit 1 reset all (reads back 0) */
#define GYRE_CP_STATUS 0x004u          /* R: bit 0 busy, bit 1 error */
#define GYRE_CP_DEV_CAPS 0x008u        /* R: [7:0] queues, [15:8] max ring log2, 24 VM, 25 DRAW, 26 QMD */
#define GYRE_CP_CYCLE_LO 0x010u        /* R: GPU cycles since reset */
#define GYRE_CP_CYCLE_HI 0x014u        /* R */
#define GYRE_CP_GPU_DEV_CAPS_LO 0x018u /* R: log2 fields, see below */
#define GYRE_CP_GPU_DEV_CAPS_HI 0x01Cu /* R: bits 63:32 of the same word */
#define GYRE_CP_GPU_ISA_CAPS_LO 0x020u /* R: MISA word | (log2 XLEN - 4) << 30 */
#define GYRE_CP_GPU_ISA_CAPS_HI 0x024u /* R: 0 icache 1 dcache 2 L2 3 L3 4 LMEM 5 Zicond 6 TEX 7 RASTER 8 OM */
#define GYRE_CP_SATP_LO 0x028u         /* RW: {mode[31], root page[21:0]}, Sv32; used with gpu.cp.vm only */
#define GYRE_CP_SATP_HI 0x02Cu         /* RW: kept, not used */
#define GYRE_CP_IRQ_ENABLE 0x030u      /* RW: bit 0 progress, bit 1 error */
#define GYRE_CP_IRQ_STATUS 0x034u      /* RW1C: the same bits */
#define GYRE_CP_FAULT_INFO0 0x038u     /* R: {valid[31], cause[30:24], core[23:8], warp[7:0]} */
#define GYRE_CP_FAULT_INFO1 0x03Cu     /* R: PC */
#define GYRE_CP_FAULT_INFO2 0x040u     /* R: value */
#define GYRE_CP_GFX_CAPS 0x044u   /* R: [3:0] bin log2, [7:4] block log2, [11:8] max RT, 12 early-Z, 13 TEX stages-1 */
#define GYRE_CP_QUEUE_BASE 0x100u /* queue q block at QUEUE_BASE + q * QUEUE_STRIDE */
#define GYRE_CP_QUEUE_STRIDE 0x40u

/* Fields of GPU_DEV_CAPS: log2 of threads a warp [10:8], warps a core [13:11], cores a socket [16:14], sockets a
 * cluster [19:17], clusters [22:20], issue width [25:23], bytes of local memory a core [33:26], memory banks [36:34];
 * and bank address width - 20 [41:37] */

/* Queue registers: offsets in a queue block */
#define GYRE_CPQ_RING_BASE_LO 0x00u   /* RW: host address, 64-byte aligned */
#define GYRE_CPQ_RING_BASE_HI 0x04u   /* RW */
#define GYRE_CPQ_HEAD_ADDR_LO 0x08u   /* RW: kept, never written to */
#define GYRE_CPQ_HEAD_ADDR_HI 0x0Cu   /* RW */
#define GYRE_CPQ_CMPL_ADDR_LO 0x10u   /* RW: host address of the u64 completion word; 0 = none */
#define GYRE_CPQ_CMPL_ADDR_HI 0x14u   /* RW */
#define GYRE_CPQ_RING_SIZE_LOG2 0x18u /* RW: log2 of the bytes, 6..16 */
#define GYRE_CPQ_CONTROL 0x1Cu      /* RW: bit 0 enable, bit 1 reset (reads back 0), [3:2] no effect, bit 4 profiling */
#define GYRE_CPQ_TAIL_LO 0x20u      /* RW: staged */
#define GYRE_CPQ_TAIL_HI 0x24u      /* RW: doorbell: commits {HI, staged LO} */
#define GYRE_CPQ_SEQNUM 0x28u       /* R: commands retired */
#define GYRE_CPQ_ERROR 0x2Cu        /* R: {seqnum[31:16], opcode[15:8], code[7:0]}, the first error */
#define GYRE_CPQ_LAST_DCR_RSP 0x30u /* R: answer to the last DCR_READ */
#define GYRE_CP_REG_BYTES 0x1000u

/* Ring */
#define GYRE_CP_LINE_BYTES 64u
#define GYRE_CP_RING_LOG2_MAX 16u

/* Command header: byte 0 opcode, byte 1 flags, bytes 2-3 zero; arguments u64 packed from byte 4 (cp.md §4) */
#define GYRE_CP_F_PROFILE 0x01u      /* 8 more bytes: host address for {u64 start, u64 end}, in GPU cycles */
#define GYRE_CP_F_FENCE_PRE 0x02u    /* no effect */
#define GYRE_CP_F_MEM_PHYSICAL 0x04u /* device addresses are not translated */

/* Commands: opcode and arguments, with the length of the whole command */
#define GYRE_CMD_NOP 0x00u          /* 4 bytes; with flags 0 it ends the line */
#define GYRE_CMD_MEM_WRITE 0x01u    /* 28 bytes: device destination, host source, bytes */
#define GYRE_CMD_MEM_READ 0x02u     /* 28 bytes: host destination, device source, bytes */
#define GYRE_CMD_MEM_COPY 0x03u     /* 28 bytes: device destination, device source, bytes */
#define GYRE_CMD_DCR_WRITE 0x04u    /* 20 bytes: register, value */
#define GYRE_CMD_DCR_READ 0x05u     /* 20 bytes: register, tag; answer in LAST_DCR_RSP */
#define GYRE_CMD_LAUNCH 0x06u       /* 12 bytes: ignored */
#define GYRE_CMD_FENCE 0x07u        /* 8 bytes: u32 ignored */
#define GYRE_CMD_EVENT_SIGNAL 0x08u /* 20 bytes: device address, u64 value */
#define GYRE_CMD_EVENT_WAIT 0x09u   /* 28 bytes: device address, u64 value, op: wait until memory OP value */
#define GYRE_CMD_CACHE_FLUSH 0x0Au  /* 12 bytes: number of cores */
#define GYRE_CMD_LAUNCH_QMD 0x0Bu   /* 12 bytes: QMD address */
#define GYRE_CMD_DRAW 0x0Cu         /* 12 bytes: descriptor address */
#define GYRE_CMD_LAST 0x0Cu

/* Operations of EVENT_WAIT: 0 equal, 1 greater or equal, 2 greater, 3 not equal; unsigned */

/* Descriptors: byte packed, in device memory */
#define GYRE_CP_QMD_MAX 64u         /* {u32 count; {u32 dcr, u32 value}[count]} */
#define GYRE_CP_DRAW_MAX 256u       /* {u32 steps; step[steps]} */
#define GYRE_CP_DRAW_STEP_BYTES 28u /* {u8 op, u8 flags, u16 0, u64 arg0, u64 arg1, u64 arg2} */

/* Error codes in Q_ERROR[7:0] (cp.md §9) */
#define GYRE_CP_ERR_OK 0u
#define GYRE_CP_ERR_BAD_OPCODE 1u     /* no such opcode, or its capability is off */
#define GYRE_CP_ERR_LINE_OVERRUN 2u   /* the command is longer than the rest of its line */
#define GYRE_CP_ERR_RING_RANGE 3u     /* doorbell: tail beyond the ring, not a multiple of 64, or going back */
#define GYRE_CP_ERR_QMD_COUNT 4u      /* more than GYRE_CP_QMD_MAX pairs */
#define GYRE_CP_ERR_DRAW_COUNT 5u     /* more than GYRE_CP_DRAW_MAX steps */
#define GYRE_CP_ERR_DRAW_STEP_OP 6u   /* an opcode that is no step */
#define GYRE_CP_ERR_ADDR_FAULT 7u     /* not memory, or a graphics buffer outside the pinned slab */
#define GYRE_CP_ERR_VM_FAULT 8u       /* no translation */
#define GYRE_CP_ERR_LAUNCH_INVALID 9u /* the KMU refused the launch */
#define GYRE_CP_ERR_GPU_FAULT 10u     /* see FAULT_INFO */
#define GYRE_CP_ERR_RING_CFG 11u      /* doorbell: ring size out of range, base not aligned */
#define GYRE_CP_ERR_WATCHDOG 12u      /* a launch made no progress */

#endif
