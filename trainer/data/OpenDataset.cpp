#include "common/Error.h"
#include "trainer/data/Sources.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace raf::trainer {

MappedFile mapData(const std::string &path) {
  MappedFile file(path);
  if (file.bytes().empty())
    throw InvalidFileError(fmt::format("{}: file is empty", path));
  return file;
}

void requireReadable(const std::string &path) {
  if (::access(path.c_str(), R_OK) != 0)
    throw Error(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
}

bool isText(const std::string &path) {
  const std::string extension = std::filesystem::path(path).extension();
  return !std::filesystem::is_directory(path) && extension != ".safetensors" &&
         extension != ".npz" && extension != ".bin" && extension != ".npy";
}

std::unique_ptr<Dataset> openDataset(const DataOptions &options, Inputs inputs) {
  if (std::filesystem::is_directory(options.path))
    return openIdxFolder(options, inputs);
  const std::string extension = std::filesystem::path(options.path).extension();
  if (extension == ".safetensors" || extension == ".npz")
    return openNamedTensors(options, inputs);
  return openTokenStream(options, inputs);
}

} // namespace raf::trainer
