#include "compiler/emit/Kernels.h"

#include <atomic>
#include <mutex>
#include <thread>

using namespace mlir;

namespace raf::emit {

FailureOr<KernelTable::Launch> KernelTable::add(gen::KernelOp kernel,
                                                const gen::InputStrides &strides) {
  FailureOr<gen::KernelCode> code = gen::describeKernel(kernel, strides, options.target);
  if (failed(code))
    return failure();
  auto [at, inserted] = index.try_emplace(code->key, static_cast<uint32_t>(table.size()));
  if (inserted)
    table.push_back({code->key, kernel, strides, {}});
  return Launch{at->second, std::move(*code)};
}

LogicalResult KernelTable::compile(Statistics &statistics) {
  gen::CodeCache cache(options.cacheDir);
  std::atomic<size_t> next = 0;
  std::atomic<bool> failed = false;
  std::mutex progress;
  size_t finished = 0;
  auto work = [&] {
    for (size_t i = next++; i < table.size() && !failed; i = next++) {
      Entry &entry = table[i];
      auto code = cache.get(entry.key, [&] {
        return gen::compileKernel(entry.example, entry.strides, options.target);
      });
      if (mlir::failed(code)) {
        failed = true;
        return;
      }
      entry.code = **code;
      std::lock_guard lock(progress);
      if (options.progress)
        options.progress(static_cast<double>(++finished) / static_cast<double>(table.size()));
    }
  };
  std::vector<std::thread> others;
  for (int i = 1; i < options.threads; ++i)
    others.emplace_back(work);
  work();
  for (std::thread &thread : others)
    thread.join();
  statistics.kernelsCompiled += cache.compiled;
  statistics.kernelsFromCache += cache.fromDisk;
  return success(!failed);
}

} // namespace raf::emit
