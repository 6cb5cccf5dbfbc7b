/* Command processor: registers, commands, descriptors, errors (cp.md). */
#ifndef GYRE_ABI_CP_H
#define GYRE_ABI_CP_H

/* Registers: byte offsets, 32-bit aligned accesses only (cp.md §2) */
#define GYRE_CP_CTRL 0x000u          /* bit 0 enable all queues, bit 1 reset all */
#define GYRE_CP_STATUS 0x004u        /* bit 0 busy, bit 1 error */
#define GYRE_CP_DEV_CAPS 0x008u      /* [7:0] queues, [15:8] max ring log2, 24 VM, 25 DRAW, 26 QMD */
#define GYRE_CP_CYCLE_LO 0x010u
#define GYRE_CP_CYCLE_HI 0x014u
#define GYRE_CP_GPU_DEV_CAPS_LO 0x018u
#define GYRE_CP_GPU_DEV_CAPS_HI 0x01Cu
#define GYRE_CP_GPU_ISA_CAPS_LO 0x020u
#define GYRE_CP_GPU_ISA_CAPS_HI 0x024u
#define GYRE_CP_SATP_LO 0x028u
#define GYRE_CP_SATP_HI 0x02Cu
#define GYRE_CP_IRQ_ENABLE 0x030u /* bit 0 progress, bit 1 error */
#define GYRE_CP_IRQ_STATUS 0x034u /* RW1C, same bits */
#define GYRE_CP_FAULT_INFO0 0x038u /* {valid[31], cause[30:24], core[23:8], warp[7:0]} */
#define GYRE_CP_FAULT_INFO1 0x03Cu /* PC */
#define GYRE_CP_FAULT_INFO2 0x040u /* value */
#define GYRE_CP_GFX_CAPS 0x044u    /* [3:0] bin log2, [7:4] block log2, [11:8] max RT, 12 early-Z, 13 TEX stages - 1 */
#define GYRE_CP_QUEUE_BASE 0x100u  /* queue q block at QUEUE_BASE + q * QUEUE_STRIDE */
#define GYRE_CP_QUEUE_STRIDE 0x40u
#define GYRE_CPQ_RING_BASE_LO 0x00u
#define GYRE_CPQ_RING_BASE_HI 0x04u
#define GYRE_CPQ_HEAD_ADDR_LO 0x08u
#define GYRE_CPQ_HEAD_ADDR_HI 0x0Cu
#define GYRE_CPQ_CMPL_ADDR_LO 0x10u
#define GYRE_CPQ_CMPL_ADDR_HI 0x14u
#define GYRE_CPQ_RING_SIZE_LOG2 0x18u
#define GYRE_CPQ_CONTROL 0x1Cu /* bit 0 enable, bit 1 reset, [3:2] priority, bit 4 profiling */
#define GYRE_CPQ_TAIL_LO 0x20u /* staged */
#define GYRE_CPQ_TAIL_HI 0x24u /* doorbell: commits {HI, staged LO} */
#define GYRE_CPQ_SEQNUM 0x28u
#define GYRE_CPQ_ERROR 0x2Cu /* {seqnum[31:16], opcode[15:8], code[7:0]} */
#define GYRE_CPQ_LAST_DCR_RSP 0x30u
#define GYRE_CP_REG_BYTES 0x1000u

#define GYRE_CP_LINE_BYTES 64u
#define GYRE_CP_RING_LOG2_MAX 16u

/* Command header: byte 0 opcode, byte 1 flags, bytes 2-3 zero; arguments u64 packed from byte 4 (cp.md §4) */
#define GYRE_CP_F_PROFILE 0x01u
#define GYRE_CP_F_FENCE_PRE 0x02u
#define GYRE_CP_F_MEM_PHYSICAL 0x04u

#define GYRE_CMD_NOP 0x00u
#define GYRE_CMD_MEM_WRITE 0x01u /* device destination, host source, bytes */
#define GYRE_CMD_MEM_READ 0x02u  /* host destination, device source, bytes */
#define GYRE_CMD_MEM_COPY 0x03u  /* device destination, device source, bytes */
#define GYRE_CMD_DCR_WRITE 0x04u /* register, value */
#define GYRE_CMD_DCR_READ 0x05u  /* register, tag */
#define GYRE_CMD_LAUNCH 0x06u
#define GYRE_CMD_FENCE 0x07u
#define GYRE_CMD_EVENT_SIGNAL 0x08u /* device address, value */
#define GYRE_CMD_EVENT_WAIT 0x09u   /* device address, value, op: 0 EQ 1 GE 2 GT 3 NE */
#define GYRE_CMD_CACHE_FLUSH 0x0Au  /* number of cores */
#define GYRE_CMD_LAUNCH_QMD 0x0Bu   /* QMD address */
#define GYRE_CMD_DRAW 0x0Cu         /* descriptor address */
#define GYRE_CMD_LAST 0x0Cu

#define GYRE_CP_QMD_MAX 64u         /* {u32 count; {u32 dcr, u32 value}[count]} in device memory */
#define GYRE_CP_DRAW_MAX 256u       /* {u32 steps; step[steps]} in device memory */
#define GYRE_CP_DRAW_STEP_BYTES 28u /* {u8 op, u8 flags, u16 0, u64 arg0, u64 arg1, u64 arg2} packed */

/* Error codes in Q_ERROR[7:0] (cp.md §9) */
#define GYRE_CP_ERR_OK 0u
#define GYRE_CP_ERR_BAD_OPCODE 1u
#define GYRE_CP_ERR_LINE_OVERRUN 2u
#define GYRE_CP_ERR_RING_RANGE 3u
#define GYRE_CP_ERR_QMD_COUNT 4u
#define GYRE_CP_ERR_DRAW_COUNT 5u
#define GYRE_CP_ERR_DRAW_STEP_OP 6u
#define GYRE_CP_ERR_ADDR_FAULT 7u
#define GYRE_CP_ERR_VM_FAULT 8u
#define GYRE_CP_ERR_LAUNCH_INVALID 9u
#define GYRE_CP_ERR_GPU_FAULT 10u
#define GYRE_CP_ERR_RING_CFG 11u
#define GYRE_CP_ERR_WATCHDOG 12u

#endif
