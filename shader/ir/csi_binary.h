// CSI, the binary form of CSIR, little-endian (csir.md §15).
// v1: header of 8 words, records, immediates; no interface, so attribute and sampler slots above 0 are rejected; its
//     checksum covers the records only. v2: header of 12 words, CRC over everything, and the interface.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "csir.h"
#include "diagnostics.h"

namespace gyre::shader {

constexpr std::uint32_t kCsiMagic = 0x52495343;  // "CSIR"
constexpr std::size_t kCsiV1HeaderBytes = 32, kCsiV2HeaderBytes = 48, kCsiEntryBytes = 48, kCsiRecordBytes = 16;
constexpr std::uint32_t kCsiWritesPosition = 1, kCsiHasColor = 2;  // flags of v2

// `shader` must be verified.
std::vector<std::uint8_t> write_csi_v1(const Shader& shader);
std::vector<std::uint8_t> write_csi_v2(const Shader& shader);

// Either version, verified by the hardened rules; nothing and errors without line numbers for anything else. Any bytes
// may be given.
std::optional<Shader> read_csi(const std::uint8_t* bytes, std::size_t size, Diagnostics* diagnostics);

// CRC-32 of IEEE 802.3 (reflected 0xEDB88320, initial and final inversion); the word at `hole` counts as zero.
std::uint32_t csi_crc(const std::uint8_t* bytes, std::size_t size, std::size_t hole);

}  // namespace gyre::shader
