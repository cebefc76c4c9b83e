// MNIST-like folders. The format: two zero bytes, element type, rank, big-endian extents, data.
#include "common/Error.h"
#include "common/MappedFile.h"
#include "trainer/data/Sources.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <optional>

namespace raf::trainer {
namespace {

// One IDX file of unsigned bytes, mapped, or in memory when it was gzipped.
struct IdxFile {
  std::string path;
  std::optional<MappedFile> file;
  std::vector<std::byte> unpacked;
  std::vector<int64_t> shape;
  std::span<const std::byte> data;
};

// The last four bytes of a .gz file say the unpacked size; deflate never packs tighter than 1032:1.
std::vector<std::byte> gunzip(const std::string &path, std::span<const std::byte> packed) {
  auto fail = [&] { return InvalidFileError(fmt::format("{}: damaged gzip data", path)); };
  if (packed.size() < 18)
    throw fail();
  size_t size = 0;
  for (int i = 0; i < 4; ++i)
    size |= std::to_integer<size_t>(packed[packed.size() - 4 + i]) << (8 * i);
  if (size > packed.size() * 1032)
    throw fail();
  std::vector<std::byte> unpacked(size);
  z_stream stream{};
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK)
    throw Error(fmt::format("{}: cannot start zlib", path));
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<std::byte *>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef *>(unpacked.data());
  stream.avail_out = static_cast<uInt>(unpacked.size());
  int status = inflate(&stream, Z_FINISH);
  bool complete = status == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  if (!complete)
    throw fail();
  return unpacked;
}

IdxFile openIdx(const std::filesystem::path &folder, const std::string &name, size_t rank) {
  IdxFile idx;
  idx.path = folder / name;
  bool packed = !std::filesystem::exists(idx.path);
  if (packed)
    idx.path += ".gz";
  if (!std::filesystem::exists(idx.path))
    throw Error(fmt::format("{}: expected {} or {}.gz in the folder", folder.string(), name, name));
  idx.file.emplace(mapData(idx.path));
  std::span<const std::byte> bytes = idx.file->bytes();
  if (packed) {
    idx.unpacked = gunzip(idx.path, bytes);
    bytes = idx.unpacked;
    idx.file.reset();
  }
  auto at = [&](size_t i) { return std::to_integer<int>(bytes[i]); };
  const size_t header = 4 + 4 * rank;
  if (bytes.size() < header || at(0) != 0 || at(1) != 0 || at(2) != 8 ||
      at(3) != static_cast<int>(rank))
    throw InvalidFileError(
        fmt::format("{}: expected an IDX file of unsigned bytes in {} dimensions", idx.path, rank));
  size_t expected = 1;
  for (size_t d = 0; d < rank; ++d) {
    int64_t extent = 0;
    for (size_t b = 0; b < 4; ++b)
      extent = extent << 8 | at(4 + 4 * d + b);
    idx.shape.push_back(extent);
    if (__builtin_mul_overflow(expected, static_cast<size_t>(extent), &expected))
      throw InvalidFileError(fmt::format("{}: extents too large", idx.path));
  }
  idx.data = bytes.subspan(header);
  if (idx.data.size() != expected)
    throw InvalidFileError(fmt::format("{}: expected {} bytes of data, but got {}", idx.path,
                                       expected, idx.data.size()));
  return idx;
}

class IdxFolder : public Dataset {
public:
  IdxFolder(const DataOptions &options, Inputs inputs) {
    parts[0] = open(options, "train");
    parts[1] = open(options, "t10k");
    auto labels = std::find_if(inputs.begin(), inputs.end(),
                               [](const auto &input) { return input.name == "labels"; });
    if (inputs.size() != 2 || labels == inputs.end())
      throw ShapeError(fmt::format(
          "{}: an IDX folder needs a model with two inputs, images and 'labels'", options.path));
    labelsAt = static_cast<size_t>(labels - inputs.begin());
    imagesAt = 1 - labelsAt;
    const runtime::TensorView &image = inputs[imagesAt].view, &label = inputs[labelsAt].view;
    int64_t elements = 1;
    for (size_t d = 1; d < image.shape.size(); ++d)
      elements *= image.shape[d];
    if (image.dtype != DType::F32 || elements != pixels())
      throw ShapeError(fmt::format("{}: expected an f32 input of {} elements per sample for the "
                                   "images, but '{}' has {} of {}",
                                   options.path, pixels(), inputs[imagesAt].name, elements,
                                   nameOf(image.dtype)));
    if (label.shape.size() != 1 || (label.dtype != DType::I64 && label.dtype != DType::I32))
      throw ShapeError(fmt::format("{}: expected i64 or i32 'labels' [B]", options.path));
  }

  int64_t samples(Split split) const override { return part(split).images.shape[0]; }

  void read(Split split, uint64_t, int64_t index, int64_t row,
            std::span<const runtime::TensorView> batch) const override {
    const Part &from = part(split);
    const std::byte *image = from.images.data.data() + index * pixels();
    float *out = static_cast<float *>(batch[imagesAt].data) + row * pixels();
    for (int64_t i = 0; i < pixels(); ++i)
      out[i] = std::to_integer<int>(image[i]) / 255.0f;
    int label = std::to_integer<int>(from.labels.data[static_cast<size_t>(index)]);
    if (batch[labelsAt].dtype == DType::I64)
      static_cast<int64_t *>(batch[labelsAt].data)[row] = label;
    else
      static_cast<int32_t *>(batch[labelsAt].data)[row] = label;
  }

private:
  struct Part {
    IdxFile images, labels;
  };

  static Part open(const DataOptions &options, const std::string &prefix) {
    Part part{openIdx(options.path, prefix + "-images-idx3-ubyte", 3),
              openIdx(options.path, prefix + "-labels-idx1-ubyte", 1)};
    if (part.images.shape[0] == 0 || part.images.shape[0] != part.labels.shape[0])
      throw InvalidFileError(fmt::format("{}: expected as many labels as images, but got {} and {}",
                                         part.labels.path, part.labels.shape[0],
                                         part.images.shape[0]));
    for (size_t i = 0; options.vocabulary > 0 && i < part.labels.data.size(); ++i)
      if (std::to_integer<int>(part.labels.data[i]) >= options.vocabulary)
        throw InvalidFileError(
            fmt::format("{}: label {} at position {} is outside the {} classes", part.labels.path,
                        std::to_integer<int>(part.labels.data[i]), i, options.vocabulary));
    return part;
  }

  const Part &part(Split split) const { return parts[split == Split::HeldOut]; }
  int64_t pixels() const { return parts[0].images.shape[1] * parts[0].images.shape[2]; }

  Part parts[2];
  size_t imagesAt = 0, labelsAt = 1;
};

} // namespace

std::unique_ptr<Dataset> openIdxFolder(const DataOptions &options, Inputs inputs) {
  return std::make_unique<IdxFolder>(options, inputs);
}

} // namespace raf::trainer
