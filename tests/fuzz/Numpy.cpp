// Any bytes as a .npy file, as a .npz file, and as a checkpoint's manifest: reading them ends with
// arrays that lie within the bytes, or with an error.
#include "Seed.h"

#include "common/Error.h"
#include "trainer/checkpoint/Manifest.h"
#include "trainer/data/Npy.h"
#include "trainer/data/Npz.h"

#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

using namespace raf;

namespace {

constexpr std::string_view kExample(
    "\x93NUMPY\x01\x00\x39\x00{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }12345678",
    75);

template <typename Read> void attempt(Read read) {
  try {
    read();
  } catch (const Error &) {
  }
}

void checkArray(const trainer::NpyArray &array, std::span<const std::byte> bytes) {
  uint64_t elements = 1;
  for (int64_t extent : array.shape)
    elements *= static_cast<uint64_t>(extent);
  if (array.data.size() != elements * sizeOf(array.dtype) || array.data.data() < bytes.data() ||
      array.data.data() + array.data.size() > bytes.data() + bytes.size())
    __builtin_trap();
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned) {
  return test::mutateFrom(std::as_bytes(std::span(kExample)), data, size, most);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  attempt([&] { checkArray(trainer::parseNpy(bytes, "x"), bytes); });
  attempt([&] { trainer::Manifest::fromJson({reinterpret_cast<const char *>(data), size}, "x"); });
  static const int file = memfd_create("npz", 0);
  if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size))
    return 0;
  attempt([&] {
    const trainer::NpzFile npz = trainer::readNpz("/proc/self/fd/" + std::to_string(file));
    for (const auto &[name, array] : npz.arrays)
      checkArray(array, npz.bytes.at(name));
  });
  return 0;
}
