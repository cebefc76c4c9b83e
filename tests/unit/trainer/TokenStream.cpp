#include "common/Error.h"
#include "tests/unit/trainer/Support.h"
#include "trainer/data/Dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

using namespace raf;
using namespace raf::test;
using namespace raf::trainer;
using testing::HasSubstr;

namespace {

constexpr int64_t kContext = 4;

// 200 tokens, token i = i: where a window was cut can be read off its content.
std::string ascending(int count) {
  std::string text(static_cast<size_t>(count), '\0');
  std::iota(text.begin(), text.end(), static_cast<char>(0));
  return text;
}

std::unique_ptr<Dataset> open(const std::string &path, int64_t vocabulary = 0,
                              int64_t context = kContext) {
  return openDataset({path, "", vocabulary, 3}, languageInputs(8, context));
}

std::span<const int64_t> rowOf(const BatchBuffer &batch, size_t input, int64_t row) {
  const runtime::TensorView &view = batch.views()[input];
  const int64_t length = view.shape[1];
  return {static_cast<const int64_t *>(view.data) + row * length, static_cast<size_t>(length)};
}

// A .npy file of version 1.
std::string npy(const std::string &header, const std::string &data) {
  std::string file = "\x93NUMPY";
  file += '\1';
  file += '\0';
  file += static_cast<char>(header.size() & 255);
  file += static_cast<char>(header.size() >> 8);
  return file + header + data;
}

TEST(TokenStream, LabelsAreTheNextTokensAndEveryWindowIsDrawnOnceAnEpoch) {
  TemporaryFolder folder;
  const auto data = open(folder.file("a.txt", ascending(200)));
  const int64_t samples = data->samples(Split::Train);
  ASSERT_EQ(samples, (180 - kContext) / kContext);
  BatchBuffer batch(languageInputs(0, kContext), samples);
  batch.fillTraining(*data, 3, 0);
  std::set<int64_t> starts;
  for (int64_t row = 0; row < samples; ++row) {
    auto tokens = rowOf(batch, 0, row), labels = rowOf(batch, 1, row);
    for (size_t t = 0; t < kContext; ++t) {
      EXPECT_EQ(tokens[t], tokens[0] + static_cast<int64_t>(t));
      EXPECT_EQ(labels[t], tokens[t] + 1);
    }
    starts.insert(tokens[0]);
    EXPECT_LT(labels[kContext - 1], 180) << "a held-out token was trained on";
  }
  EXPECT_EQ(static_cast<int64_t>(starts.size()), samples);
}

TEST(TokenStream, HeldOutWindowsLieInTheLastTenthInFileOrder) {
  TemporaryFolder folder;
  const auto data = open(folder.file("a.txt", ascending(200)));
  ASSERT_EQ(data->samples(Split::HeldOut), 19 / kContext);
  BatchBuffer batch(languageInputs(0, kContext), data->samples(Split::HeldOut));
  batch.fillHeldOut(*data, 0);
  for (int64_t row = 0; row < batch.size(); ++row)
    EXPECT_EQ(rowOf(batch, 0, row)[0], 180 + row * kContext);
}

TEST(TokenStream, OneBatchIsTheSameInWhateverPiecesItIsDrawn) {
  TemporaryFolder folder;
  const auto data = open(folder.file("a.txt", ascending(200)));
  BatchBuffer whole(languageInputs(0, kContext), 100), part(languageInputs(0, kContext), 7);
  whole.fillTraining(*data, 3, 0); // crosses two epochs
  for (int64_t at = 0; at + 7 <= 100; at += 7) {
    part.fillTraining(*data, 3, static_cast<uint64_t>(at));
    for (int64_t row = 0; row < 7; ++row)
      EXPECT_TRUE(std::ranges::equal(rowOf(part, 0, row), rowOf(whole, 0, at + row)));
  }
}

TEST(TokenStream, TheShortestTextThatWorksHasOneWindow) {
  TemporaryFolder folder;
  const auto data = open(folder.file("a.txt", ascending(5)));
  EXPECT_EQ(data->samples(Split::Train), 1);
  EXPECT_EQ(data->samples(Split::HeldOut), 0);
  EXPECT_THAT(messageOf<InvalidFileError>([&] { open(folder.file("b.txt", ascending(4))); }),
              HasSubstr("b.txt: too short: expected at least 5 training tokens"));
  EXPECT_THAT(messageOf<InvalidFileError>([&] { open(folder.file("c.txt", "")); }),
              HasSubstr("c.txt: file is empty"));
}

TEST(TokenStream, IntegerFilesGiveTheSameTokensAsText) {
  TemporaryFolder folder;
  const std::string bytes = ascending(120);
  std::string u2, i4;
  for (char c : bytes) {
    u2 += {c, '\0'};
    i4 += {c, '\0', '\0', '\0'};
  }
  const std::string shape = "'fortran_order': False, 'shape': (120,), }\n";
  const std::vector<std::string> paths = {
      folder.file("a.txt", bytes), folder.file("a.bin", u2),
      folder.file("u.npy", npy("{'descr': '<u2', " + shape, u2)),
      folder.file("i.npy", npy("{'descr': '<i4', " + shape, i4)),
      folder.file("b.npy", npy("{'descr': '|u1', " + shape, bytes))};
  BatchBuffer first(languageInputs(0, kContext), 30), other(languageInputs(0, kContext), 30);
  first.fillTraining(*open(paths[0]), 3, 0);
  for (const std::string &path : paths) {
    other.fillTraining(*open(path, 256), 3, 0);
    for (int64_t row = 0; row < 30; ++row)
      EXPECT_TRUE(std::ranges::equal(rowOf(other, 0, row), rowOf(first, 0, row))) << path;
  }
}

TEST(TokenStream, TokensOutsideTheVocabularyAreNamed) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.txt", ascending(200));
  EXPECT_NO_THROW(open(path, 200));
  EXPECT_THAT(messageOf<InvalidFileError>([&] { open(path, 199); }),
              HasSubstr("token 199 at position 199 is outside the model's vocabulary of 199"));
}

TEST(TokenStream, MalformedFilesAreNamed) {
  TemporaryFolder folder;
  auto failure = [&](const std::string &name, const std::string &content) {
    return messageOf<InvalidFileError>([&] { open(folder.file(name, content)); });
  };
  const std::string data(40, '\0');
  EXPECT_THAT(failure("a.bin", "abc"), HasSubstr("the size of 3 bytes is odd"));
  EXPECT_THAT(failure("a.npy", "not numpy at all"), HasSubstr("its magic is missing"));
  EXPECT_THAT(failure("a.npy", npy("{", "").substr(0, 10)), HasSubstr("magic is missing"));
  std::string cut = npy(std::string(200, ' '), "");
  EXPECT_THAT(failure("a.npy", cut.substr(0, 100)), HasSubstr("truncated header"));
  const std::vector<std::pair<std::string, std::string>> headers = {
      {"{'descr': '<i8', 'fortran_order': True, 'shape': (5,)}", "C order"},
      {"{'descr': '<i8', 'fortran_order': False, 'shape': (6,)}",
       "expected 48 bytes of data, but got 40"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (5,)}", "integer token ids"},
      {"{'descr': '>i8', 'fortran_order': False, 'shape': (5,)}", "unsupported dtype '>i8'"},
      {"{'descr': '<i8', 'fortran_order': False, 'shape': (5,1)}", "one dimension"},
      {"{'descr': '<i8', 'fortran_order': False, 'shape': (-5,)}", ""},
      {"{'descr': '<i8', 'fortran_order': False, 'shape': (99999999999999999999,)}", ""},
      {"{'descr': '<i8', 'fortran_order': False, 'shape': (4294967296,4294967296,4294967296)}",
       "too large"},
      {"{'descr': '<i8', 'fortran_order': False}", "lacks"},
      {"{'descr': '<i8", "unterminated"},
      {"__import__('os')", "malformed header"}};
  for (const auto &[header, message] : headers) {
    const std::string padded = header + "  ";
    EXPECT_THAT(failure("a.npy", npy(padded, data)),
                testing::AllOf(HasSubstr("a.npy: "), HasSubstr(message)))
        << header;
  }
}

TEST(TokenStream, ModelsThatAreNoLanguageModelsAreRefused) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.txt", ascending(100));
  auto refused = [&](std::vector<runtime::NamedTensor> inputs) {
    return messageOf<ShapeError>([&] { openDataset({path, "", 0, 0}, inputs); });
  };
  EXPECT_THAT(refused({{"x", {nullptr, DType::F32, {2, 3}, {}}}}), HasSubstr("two inputs"));
  auto inputs = languageInputs(2, 4);
  inputs[0].view.dtype = DType::F32;
  EXPECT_THAT(refused(inputs), HasSubstr("'tokens'"));
  inputs = languageInputs(2, 4);
  inputs[1].view.shape = {2, 5};
  EXPECT_THAT(refused(inputs), HasSubstr("expected labels of 4 tokens, but the model takes 5"));
}

TEST(TokenStream, AMissingFileIsNamed) {
  EXPECT_THAT(messageOf<Error>([] { requireReadable("/nowhere/a.txt"); }),
              HasSubstr("/nowhere/a.txt: cannot open: No such file or directory"));
}

} // namespace
