#include "trainer/data/Npz.h"

#include "common/Error.h"

#include <fmt/format.h>
#include <zip.h>

#include <memory>

namespace raf::trainer {
namespace {

// Deflate never packs tighter than this, so a larger claim is a lie.
constexpr uint64_t kMaxRatio = 1032;

std::vector<std::byte> readEntry(zip_t *archive, zip_uint64_t index, const zip_stat_t &stat,
                                 const std::string &where) {
  auto fail = [&] { return InvalidFileError(fmt::format("{}: damaged zip entry", where)); };
  constexpr zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
  if ((stat.valid & needed) != needed || stat.size / kMaxRatio > stat.comp_size)
    throw fail();
  std::vector<std::byte> bytes(stat.size);
  std::unique_ptr<zip_file_t, int (*)(zip_file_t *)> entry(zip_fopen_index(archive, index, 0),
                                                           zip_fclose);
  // Reading on to the end is what checks the CRC.
  std::byte beyond;
  if (!entry ||
      zip_fread(entry.get(), bytes.data(), bytes.size()) !=
          static_cast<zip_int64_t>(bytes.size()) ||
      zip_fread(entry.get(), &beyond, 1) != 0)
    throw fail();
  return bytes;
}

} // namespace

NpzFile readNpz(const std::string &path) {
  int code = 0;
  std::unique_ptr<zip_t, void (*)(zip_t *)> archive(zip_open(path.c_str(), ZIP_RDONLY, &code),
                                                    zip_discard);
  if (!archive) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    throw InvalidFileError(fmt::format("{}: expected a .npz file: {}", path, reason));
  }
  NpzFile file;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    zip_stat_t stat;
    if (zip_stat_index(archive.get(), index, 0, &stat) != 0 || !(stat.valid & ZIP_STAT_NAME))
      throw InvalidFileError(fmt::format("{}: damaged zip directory", path));
    std::string name = stat.name;
    const std::string where = path + ":" + name;
    if (!name.ends_with(".npy"))
      throw InvalidFileError(fmt::format("{}: expected only .npy entries", where));
    name.resize(name.size() - 4);
    auto [bytes, isNew] = file.bytes.emplace(name, readEntry(archive.get(), index, stat, where));
    if (!isNew)
      throw InvalidFileError(fmt::format("{}: appears twice", where));
    file.arrays.emplace(name, parseNpy(bytes->second, where));
  }
  return file;
}

} // namespace raf::trainer
