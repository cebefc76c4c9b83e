#include "runtime/kernels/cpu/LibraryKernel.h"

#include "common/Error.h"

#include <fmt/format.h>

namespace raf::runtime {
namespace {

struct Entry {
  std::string_view name;
  std::unique_ptr<LibraryKernel> (*prepare)(const LibraryCallInfo &, const KernelContext &);
};

constexpr Entry kKernels[] = {
    {"onednn.matmul", prepareMatmul},
    {"rt.sort", prepareSort},
    {"rt.topk", prepareTopK},
};

} // namespace

std::vector<std::string_view> libraryKernelNames() {
  std::vector<std::string_view> names;
  for (const Entry &entry : kKernels)
    names.push_back(entry.name);
  return names;
}

std::unique_ptr<LibraryKernel> prepareLibraryCall(const LibraryCallInfo &call,
                                                  const KernelContext &context) {
  for (const Entry &entry : kKernels)
    if (entry.name == call.name)
      return entry.prepare(call, context);
  throw InvalidFileError(fmt::format("{}: expected one of the library kernels {}", call.name,
                                     fmt::join(libraryKernelNames(), ", ")));
}

} // namespace raf::runtime
