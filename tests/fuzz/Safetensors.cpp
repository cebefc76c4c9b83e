// Any header before 64 bytes of data, and any bytes at all: reading them ends with tensors that lie
// within the bytes or with an error.
#include "Seed.h"

#include "common/Error.h"
#include "common/Safetensors.h"

#include <string>
#include <string_view>

using namespace raf;

namespace {

constexpr std::string_view kExample =
    R"({"__metadata__":{"k":"v"},"w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
    R"("b":{"dtype":"I64","shape":[5],"data_offsets":[24,64]}})";

void read(std::span<const std::byte> bytes) {
  try {
    const SafetensorsContents contents = readSafetensors(bytes, "x");
    for (const SafetensorsEntry &entry : contents.entries) {
      const std::byte *end = entry.data.data() + entry.data.size();
      if (entry.data.data() < bytes.data() || end > bytes.data() + bytes.size())
        __builtin_trap();
    }
  } catch (const Error &) {
  }
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned) {
  return test::mutateFrom(std::as_bytes(std::span(kExample)), data, size, most);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  read(std::as_bytes(std::span(data, size)));
  std::string file(8, '\0');
  for (size_t i = 0; i < 8; ++i)
    file[i] = static_cast<char>(size >> (8 * i));
  file.append(reinterpret_cast<const char *>(data), size);
  file.append(64, 'x');
  read(std::as_bytes(std::span(file)));
  return 0;
}
