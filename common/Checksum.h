// Checksums of file contents. They find damage, not tampering.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace raf {

/// XXH3-128 in its canonical (big-endian) byte order, equal on every machine.
using Checksum128 = std::array<uint8_t, 16>;

Checksum128 checksum128(std::span<const std::byte> bytes);
uint64_t checksum64(std::span<const std::byte> bytes);

/// 32 lower-case hexadecimal digits.
std::string toHex(const Checksum128 &sum);

} // namespace raf
