// The envelope of an executable file. The compiler uses `seal` to write one, the runtime `open` to
// read one; this header needs nothing but common/ and the generated schema.
//
//   bytes  0..7   magic
//          8..11  format version, little endian (like every number here)
//         12..15  64, the size of this header
//         16..23  payload size in bytes
//         24..39  XXH3-128 of the payload, canonical byte order
//         40..47  XXH3-64 of bytes 0..39
//         48..63  zero
//         64..    payload: the flatbuffer of Executable.fbs
//
// The header's size keeps the payload's 64-byte alignment when the file is mapped.
#pragma once

#include "common/Checksum.h"
#include "runtime/executable/Schema.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace raf::executable {

/// Raised by every change that an older runtime would misread; a runtime opens its own version
/// only.
inline constexpr uint32_t kFormatVersion = 1;
inline constexpr size_t kHeaderBytes = 64;
inline constexpr std::array<uint8_t, 8> kMagic = {0x89, 'R', 'A', 'F', 'X', '\r', '\n', 0x1a};

/// Limits that a file must keep to, so that reading an untrusted one stays cheap.
inline constexpr size_t kMaxRank = 16;
inline constexpr size_t kMaxPayloadBytes = (size_t{1} << 31) - 64; // what a flatbuffer can address

inline std::array<std::byte, kHeaderBytes> headerFor(std::span<const std::byte> payload) {
  std::array<std::byte, kHeaderBytes> header{};
  const uint32_t version = kFormatVersion, headerBytes = kHeaderBytes;
  const uint64_t payloadBytes = payload.size();
  const Checksum128 sum = checksum128(payload);
  std::memcpy(&header[0], kMagic.data(), kMagic.size());
  std::memcpy(&header[8], &version, sizeof(version));
  std::memcpy(&header[12], &headerBytes, sizeof(headerBytes));
  std::memcpy(&header[16], &payloadBytes, sizeof(payloadBytes));
  std::memcpy(&header[24], sum.data(), sum.size());
  const uint64_t own = checksum64(std::span(header).first(40));
  std::memcpy(&header[40], &own, sizeof(own));
  return header;
}

/// The whole file for a finished flatbuffer: `seal({builder.GetBufferPointer(),
/// builder.GetSize()})`.
inline std::vector<std::byte> seal(std::span<const std::byte> payload) {
  const std::array<std::byte, kHeaderBytes> header = headerFor(payload);
  std::vector<std::byte> file(header.begin(), header.end());
  file.insert(file.end(), payload.begin(), payload.end());
  return file;
}

inline std::vector<std::byte> seal(const flatbuffers::FlatBufferBuilder &builder) {
  return seal(std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize())));
}

/// Checks everything that can be checked without knowing the kernels: header, checksum, flatbuffer
/// structure, and then that every reference lies inside its space, shapes and strides do not
/// overflow, indices name something that exists. `bytes` must start at a 64-byte boundary and
/// outlive the result. Throws InvalidFileError, prefixed with `where`; a file of another format
/// version is refused with both versions named.
const fb::Executable &open(std::span<const std::byte> bytes, std::string_view where);

} // namespace raf::executable
