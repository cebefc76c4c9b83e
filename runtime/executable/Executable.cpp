#include "runtime/executable/Executable.h"

#include "common/Error.h"
#include "runtime/executable/Verify.h"

#include <fmt/format.h>
#include <string>

namespace raf::executable {
namespace {

template <class T> T read(std::span<const std::byte> bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

/// Header and checksum; returns the payload.
std::span<const std::byte> checkHeader(std::span<const std::byte> bytes, std::string_view where) {
  auto fail = [&](const std::string &what) -> void {
    throw InvalidFileError(fmt::format("{}: {}", where, what));
  };
  if (bytes.size() < kHeaderBytes)
    fail(fmt::format("not a raf executable: expected at least {} bytes, but got {}", kHeaderBytes,
                     bytes.size()));
  if (std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0)
    fail("not a raf executable: the first 8 bytes are not its magic");
  const auto version = read<uint32_t>(bytes, 8);
  if (version != kFormatVersion)
    fail(fmt::format("executable has format version {}, but this runtime reads version {}; compile "
                     "the model again",
                     version, kFormatVersion));
  if (checksum64(bytes.first(40)) != read<uint64_t>(bytes, 40))
    fail("executable is damaged: the checksum of its header does not match");
  for (std::byte b : bytes.subspan(48, kHeaderBytes - 48))
    if (b != std::byte{0})
      fail("executable is damaged: reserved header bytes are not zero");
  const auto payloadBytes = read<uint64_t>(bytes, 16);
  if (payloadBytes != bytes.size() - kHeaderBytes)
    fail(fmt::format("executable is damaged: expected {} bytes after the header, but got {}",
                     payloadBytes, bytes.size() - kHeaderBytes));
  if (payloadBytes > kMaxPayloadBytes)
    fail(fmt::format("executable is too large: expected at most {} bytes, but got {}",
                     kMaxPayloadBytes, payloadBytes));
  const std::span<const std::byte> payload = bytes.subspan(kHeaderBytes);
  const Checksum128 sum = checksum128(payload);
  if (std::memcmp(sum.data(), bytes.data() + 24, sum.size()) != 0)
    fail("executable is damaged: the checksum of its content does not match");
  return payload;
}

} // namespace

const fb::Executable &open(std::span<const std::byte> bytes, std::string_view where) {
  const std::span<const std::byte> payload = checkHeader(bytes, where);
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t *>(payload.data()), payload.size());
  if (payload.size() < 8 || !fb::VerifyExecutableBuffer(verifier))
    throw InvalidFileError(fmt::format("{}: executable is malformed", where));
  const fb::Executable &file = *fb::GetExecutable(payload.data());
  verify(file, payload.size(), where);
  return file;
}

} // namespace raf::executable
