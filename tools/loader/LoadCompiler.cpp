#include "common/Error.h"
#include "compiler/api/Compiler.h"

#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>

namespace raf {
namespace {

constexpr const char *kLibrary = "libraf_compiler.so";

// The folder of the program or library that this code was linked into.
std::filesystem::path ownFolder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void *>(&loadCompiler), &info) == 0 || !info.dli_fname)
    return {};
  std::error_code ignored;
  std::filesystem::path path = std::filesystem::canonical(info.dli_fname, ignored);
  // For the program itself dli_fname is argv[0], which need not be a path.
  if (ignored)
    path = std::filesystem::read_symlink("/proc/self/exe", ignored);
  return path.parent_path();
}

void *openLibrary() {
  const std::filesystem::path folder = ownFolder();
  for (const std::filesystem::path &candidate :
       {folder / kLibrary, folder / ".." / "lib" / kLibrary}) {
    if (!std::filesystem::exists(candidate))
      continue;
    // One that is there but cannot be loaded is an error, not a reason to look further.
    if (void *library = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL))
      return library;
    throw Error(fmt::format("compiler: cannot load {}: {}", kLibrary, dlerror()));
  }
  if (void *library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL))
    return library;
  throw Error(fmt::format("compiler: expected {} beside {} or in ../lib, but found none", kLibrary,
                          folder.string()));
}

Compiler *createCompiler() {
  void *library = openLibrary();
  auto create = reinterpret_cast<Compiler *(*)()>(dlsym(library, "raf_create_compiler"));
  if (!create)
    throw Error(fmt::format("compiler: {} has no raf_create_compiler", kLibrary));
  return create();
}

} // namespace

// Never unloaded: LLVM registers state of its own at load time that does not survive a dlclose.
Compiler &loadCompiler() {
  static Compiler *const compiler = createCompiler();
  return *compiler;
}

} // namespace raf
