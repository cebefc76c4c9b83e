#include "common/Error.h"
#include "tests/unit/trainer/Support.h"
#include "trainer/data/Dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

using namespace raf;
using namespace raf::test;
using namespace raf::trainer;
using testing::HasSubstr;

namespace {

std::vector<runtime::NamedTensor> inputs(std::vector<int64_t> image) {
  return {{"x", {nullptr, DType::F32, std::move(image), {}}},
          {"labels", {nullptr, DType::I64, {2}, {}}}};
}

std::string idx(std::vector<int> shape, const std::string &data) {
  std::string file{'\0', '\0', '\x08', static_cast<char>(shape.size())};
  for (int extent : shape)
    file += {'\0', '\0', '\0', static_cast<char>(extent)};
  return file + data;
}

std::string gzip(const std::string &text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(1000, '\0');
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef *>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// Three training images of 2 x 2 (pixel values 0..11) and one for testing.
void writeFolder(const TemporaryFolder &folder, bool packed) {
  std::string pixels;
  for (int i = 0; i < 12; ++i)
    pixels += static_cast<char>(i * 20);
  auto write = [&](std::string name, const std::string &content) {
    folder.file(packed ? name + ".gz" : name, packed ? gzip(content) : content);
  };
  write("train-images-idx3-ubyte", idx({3, 2, 2}, pixels));
  write("train-labels-idx1-ubyte", idx({3}, std::string("\0\1\2", 3)));
  write("t10k-images-idx3-ubyte", idx({1, 2, 2}, pixels.substr(8)));
  write("t10k-labels-idx1-ubyte", idx({1}, "\2"));
}

TEST(IdxFolder, ImagesAreScaledAndKeepTheirLabelsPlainOrPacked) {
  for (bool packed : {false, true}) {
    TemporaryFolder folder;
    writeFolder(folder, packed);
    const auto data = openDataset({folder.path(), "", 3, 0}, inputs({2, 1, 2, 2}));
    ASSERT_EQ(data->samples(Split::Train), 3);
    ASSERT_EQ(data->samples(Split::HeldOut), 1);
    BatchBuffer batch(inputs({0, 1, 2, 2}), 3);
    batch.fillTraining(*data, 0, 0);
    const auto *x = static_cast<const float *>(batch.views()[0].data);
    const auto *labels = static_cast<const int64_t *>(batch.views()[1].data);
    for (int64_t row = 0; row < 3; ++row)
      for (int64_t i = 0; i < 4; ++i)
        EXPECT_EQ(x[row * 4 + i], static_cast<float>((labels[row] * 4 + i) * 20) / 255.0f);
  }
}

TEST(IdxFolder, WhatIsWrongIsNamed) {
  TemporaryFolder folder;
  writeFolder(folder, false);
  auto failure = [&](int64_t classes = 3) {
    return messageOf<Error>(
        [&] { openDataset({folder.path(), "", classes, 0}, inputs({2, 1, 2, 2})); });
  };
  EXPECT_EQ(failure(), "nothing thrown");
  EXPECT_THAT(failure(2), HasSubstr("label 2 at position 2 is outside the 2 classes"));
  EXPECT_THAT(
      messageOf<ShapeError>([&] { openDataset({folder.path(), "", 0, 0}, inputs({2, 9})); }),
      HasSubstr("expected an f32 input of 4 elements per sample"));
  folder.file("train-labels-idx1-ubyte", idx({2}, "ab"));
  EXPECT_THAT(failure(), HasSubstr("expected as many labels as images, but got 2 and 3"));
  folder.file("train-labels-idx1-ubyte", idx({3}, "ab"));
  EXPECT_THAT(failure(), HasSubstr("expected 3 bytes of data, but got 2"));
  folder.file("train-labels-idx1-ubyte", "IDX?");
  EXPECT_THAT(failure(), HasSubstr("train-labels-idx1-ubyte: expected an IDX file"));
  std::filesystem::remove(folder / "train-labels-idx1-ubyte");
  EXPECT_THAT(failure(), HasSubstr("train-labels-idx1-ubyte or train-labels-idx1-ubyte.gz"));
  folder.file("train-labels-idx1-ubyte.gz", gzip(idx({3}, "abc")).substr(0, 20));
  EXPECT_THAT(failure(), HasSubstr("damaged gzip data"));
}

} // namespace
