#include "common/Error.h"
#include "common/Safetensors.h"
#include "tests/unit/trainer/Support.h"
#include "trainer/data/Dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <zip.h>

using namespace raf;
using namespace raf::test;
using namespace raf::trainer;
using testing::HasSubstr;

namespace {

std::vector<runtime::NamedTensor> inputs() {
  return {{"x", {nullptr, DType::F32, {2, 3}, {}}}, {"labels", {nullptr, DType::I64, {2}, {}}}};
}

template <typename T>
SafetensorsEntry entry(const char *name, DType dtype, std::vector<int64_t> shape,
                       const std::vector<T> &data) {
  return {name, dtype, std::move(shape), std::as_bytes(std::span(data))};
}

std::string npyOf(const std::string &descr, const std::string &shape, const std::string &data) {
  const std::string header =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + "}";
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size());
  file += '\0';
  return file + header + data;
}

template <typename T> std::string bytesOf(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T)};
}

void writeZip(const std::string &path,
              const std::vector<std::pair<std::string, std::string>> &files) {
  zip_t *archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  for (const auto &[name, content] : files)
    zip_file_add(archive, name.c_str(),
                 zip_source_buffer(archive, content.data(), content.size(), 0), 0);
  ASSERT_EQ(zip_close(archive), 0);
}

struct Samples {
  std::vector<float> x = std::vector<float>(60);
  std::vector<int64_t> labels = std::vector<int64_t>(20);
  Samples() {
    std::iota(x.begin(), x.end(), 0.5f);
    std::iota(labels.begin(), labels.end(), 0);
  }
};

void expectEverySampleOnce(const Dataset &data) {
  ASSERT_EQ(data.samples(Split::Train), 18);
  ASSERT_EQ(data.samples(Split::HeldOut), 2);
  BatchBuffer batch(inputs(), 18);
  batch.fillTraining(data, 1, 0);
  const auto *x = static_cast<const float *>(batch.views()[0].data);
  const auto *labels = static_cast<const int64_t *>(batch.views()[1].data);
  std::vector<int64_t> seen(labels, labels + 18);
  for (int64_t row = 0; row < 18; ++row)
    for (int64_t i = 0; i < 3; ++i)
      EXPECT_EQ(x[row * 3 + i], static_cast<float>(labels[row] * 3 + i) + 0.5f);
  std::sort(seen.begin(), seen.end());
  for (int64_t i = 0; i < 18; ++i)
    EXPECT_EQ(seen[static_cast<size_t>(i)], i);
}

TEST(NamedTensors, RowsOfASafetensorsFileAreTheSamples) {
  TemporaryFolder folder;
  const Samples s;
  const std::string path = folder / "a.safetensors";
  writeSafetensors(path, std::vector{entry("labels", DType::I64, {20}, s.labels),
                                     entry("unused", DType::F32, {60}, s.x),
                                     entry("x", DType::F32, {20, 3}, s.x)});
  expectEverySampleOnce(*openDataset({path, "", 20, 0}, inputs()));
}

TEST(NamedTensors, AnNpzOfOtherWidthsGivesTheSameSamples) {
  TemporaryFolder folder;
  const Samples s;
  const std::vector<double> wide(s.x.begin(), s.x.end());
  const std::vector<uint16_t> narrow(s.labels.begin(), s.labels.end());
  writeZip(folder / "a.npz", {{"x.npy", npyOf("<f8", "(20, 3)", bytesOf(wide))},
                              {"labels.npy", npyOf("<u2", "(20,)", bytesOf(narrow))}});
  expectEverySampleOnce(*openDataset({folder / "a.npz", "", 20, 0}, inputs()));
}

TEST(NamedTensors, WhatDoesNotFitTheModelIsNamed) {
  TemporaryFolder folder;
  const Samples s;
  const std::string path = folder / "a.safetensors";
  auto failure = [&](const std::vector<SafetensorsEntry> &tensors, int64_t vocabulary = 0) {
    writeSafetensors(path, tensors);
    return messageOf<Error>([&] { openDataset({path, "", vocabulary, 0}, inputs()); });
  };
  const auto x = entry("x", DType::F32, {20, 3}, s.x);
  const auto labels = entry("labels", DType::I64, {20}, s.labels);
  EXPECT_THAT(failure({x}),
              HasSubstr("expected a tensor 'labels' for the model's input, but it has x"));
  EXPECT_THAT(failure({entry("x", DType::F32, {15, 4}, s.x), labels}),
              HasSubstr("tensor 'x': expected [samples,3], but got [15,4]"));
  EXPECT_THAT(failure({entry("x", DType::F32, {10, 3}, std::vector<float>(30)), labels}),
              HasSubstr("expected 10 samples in every tensor, but 'labels' has 20"));
  EXPECT_THAT(failure({entry("x", DType::I64, {20, 3}, std::vector<int64_t>(60)), labels}),
              HasSubstr("tensor 'x': expected f32, but got i64"));
  EXPECT_THAT(failure({x, labels}, 19),
              HasSubstr("tensor 'labels': 19 at element 19 is outside [0,19)"));
  EXPECT_THAT(failure({entry("x", DType::F32, {0, 3}, std::vector<float>()),
                       entry("labels", DType::I64, {0}, std::vector<int64_t>())}),
              HasSubstr("expected at least one sample"));
  std::vector<int64_t> ignored = s.labels;
  ignored[5] = -100;
  EXPECT_EQ(failure({x, entry("labels", DType::I64, {20}, ignored)}, 20), "nothing thrown");
}

TEST(NamedTensors, DamagedArchivesAreNamed) {
  TemporaryFolder folder;
  auto failure = [&](const std::string &path) {
    return messageOf<InvalidFileError>([&] { openDataset({path, "", 0, 0}, inputs()); });
  };
  EXPECT_THAT(failure(folder.file("a.npz", "no zip")), HasSubstr("a.npz: expected a .npz file"));
  writeZip(folder / "b.npz", {{"x.txt", "text"}});
  EXPECT_THAT(failure(folder / "b.npz"), HasSubstr("b.npz:x.txt: expected only .npy entries"));
  writeZip(folder / "c.npz", {{"x.npy", "text that is no array"}});
  EXPECT_THAT(failure(folder / "c.npz"), HasSubstr("c.npz:x.npy: expected a .npy file"));
  // A flipped bit in the data is found by the archive's own checksum.
  const Samples s;
  writeZip(folder / "d.npz", {{"x.npy", npyOf("<f4", "(20, 3)", bytesOf(s.x))}});
  std::fstream file(folder / "d.npz", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(100);
  file.put('\x55');
  file.close();
  EXPECT_THAT(failure(folder / "d.npz"), HasSubstr("damaged zip entry"));
}

} // namespace
