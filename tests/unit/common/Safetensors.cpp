#include "common/Safetensors.h"

#include "common/AtomicFile.h"
#include "common/Error.h"

#include <algorithm>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace raf;
using testing::HasSubstr;

namespace {

class Safetensors : public testing::Test {
protected:
  Safetensors() { std::filesystem::create_directories(folder); }
  ~Safetensors() override { std::filesystem::remove_all(folder); }

  // Writes a file with this header and `bytes` of data; gives its path.
  std::string file(const std::string &header, size_t bytes) {
    std::string text(8, '\0');
    for (size_t i = 0; i < 8; ++i)
      text[i] = static_cast<char>(header.size() >> (8 * i));
    text += header + std::string(bytes, 'x');
    writeFileAtomically(path, text);
    return path;
  }

  std::string failure(const std::string &at) {
    try {
      SafetensorsFile read(at);
    } catch (const InvalidFileError &error) {
      return error.what();
    }
    return "no error";
  }

  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("raf-safetensors-" + std::to_string(getpid()));
  std::string path = folder / "a.safetensors";
};

SafetensorsEntry entry(std::string name, DType dtype, std::vector<int64_t> shape,
                       const std::vector<char> &data) {
  return {std::move(name), dtype, std::move(shape), std::as_bytes(std::span(data))};
}

TEST_F(Safetensors, EveryDtypeShapeAndMetadataComesBack) {
  std::vector<std::vector<char>> data;
  std::vector<SafetensorsEntry> written;
  for (int i = 0; i < kNumDTypes; ++i)
    data.emplace_back(sizeOf(static_cast<DType>(i)) * 6, static_cast<char>('a' + i));
  for (int i = 0; i < kNumDTypes; ++i)
    written.push_back(entry("t" + std::to_string(i), static_cast<DType>(i), {2, 3},
                            data[static_cast<size_t>(i)]));
  const std::vector<char> none, scalar(4, 's');
  written.push_back(entry("empty", DType::F32, {0, 5}, none));
  written.push_back(entry("scalar \"quoted\" \xc3\xa9", DType::F32, {}, scalar));
  writeSafetensors(path, written, {{"k", "v"}});

  const SafetensorsFile read(path);
  EXPECT_EQ(read.metadata(), (std::map<std::string, std::string>{{"k", "v"}}));
  ASSERT_EQ(read.tensors().size(), written.size());
  for (const SafetensorsEntry &want : written) {
    const SafetensorsEntry *got = read.find(want.name);
    ASSERT_TRUE(got) << want.name;
    EXPECT_EQ(got->dtype, want.dtype);
    EXPECT_EQ(got->shape, want.shape);
    ASSERT_EQ(got->data.size(), want.data.size());
    EXPECT_TRUE(std::ranges::equal(got->data, want.data)) << want.name;
  }
  EXPECT_EQ(read.find("absent"), nullptr);
}

TEST_F(Safetensors, NamesWhatIsWrongWithAMalformedFile) {
  const auto tensor = [](const char *dtype, const char *shape, const char *offsets) {
    return std::string("{\"w\":{\"dtype\":\"") + dtype + "\",\"shape\":" + shape +
           ",\"data_offsets\":" + offsets + "}}";
  };
  writeFileAtomically(path, std::string_view("abc"));
  EXPECT_THAT(failure(path), HasSubstr("but got 3 bytes"));
  writeFileAtomically(path, std::string_view("\xff\xff\xff\xff\xff\xff\xff\x7f{}", 10));
  EXPECT_THAT(failure(path), HasSubstr("does not fit"));
  EXPECT_THAT(failure(file("{", 0)), HasSubstr("expected JSON"));
  EXPECT_THAT(failure(file("[1]", 0)), HasSubstr("expected a JSON object"));
  EXPECT_THAT(failure(file("{\"w\":" + std::string(100000, '['), 0)),
              HasSubstr("nested too deeply"));
  EXPECT_THAT(failure(file("{\"w\":{}}", 0)), HasSubstr("tensor 'w': expected 'dtype'"));
  EXPECT_THAT(failure(file(tensor("F32", "[2]", "[0,4]"), 4)), HasSubstr("expected 8 bytes"));
  EXPECT_THAT(failure(file(tensor("F32", "[-1]", "[0,4]"), 4)), HasSubstr("non-negative"));
  EXPECT_THAT(failure(file(tensor("F32", "[1.5]", "[0,4]"), 4)), HasSubstr("non-negative"));
  EXPECT_THAT(failure(file(tensor("F32", "[1]", "[4,0]"), 4)), HasSubstr("data_offsets [4,0]"));
  EXPECT_THAT(failure(file(tensor("F32", "[4294967296,4294967296,4]", "[0,4]"), 4)),
              HasSubstr("shape too large"));
  EXPECT_THAT(failure(file(tensor("F32", "[2]", "[0,8]"), 4)), HasSubstr("the file has 4 bytes"));
  EXPECT_THAT(failure(file(tensor("F32", "[1]", "[4,8]"), 8)), HasSubstr("follows a hole"));
  EXPECT_THAT(failure(file(tensor("F32", "[1]", "[0,4]"), 8)), HasSubstr("after the last tensor"));
  // Readers differ in which of two they take; a name within another tensor is another name.
  const std::string twice = R"("w":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
  EXPECT_THAT(failure(file("{" + twice + "," + twice + "}", 0)), HasSubstr("'w' occurs twice"));
  EXPECT_THAT(failure(file(R"({"w":{"dtype":"F32","dtype":"F64"}})", 0)),
              HasSubstr("'dtype' occurs twice"));
  EXPECT_THROW(SafetensorsFile{file(tensor("F8_E4M3", "[1]", "[0,1]"), 1)}, UnsupportedError);
}

TEST_F(Safetensors, RefusesToWriteDataThatDoNotFitTheirShape) {
  const std::vector<char> data(4, 'x');
  const SafetensorsEntry good = entry("w", DType::F32, {1}, data);
  EXPECT_THROW(writeSafetensors(path, std::vector{entry("w", DType::F32, {2}, data)}), ShapeError);
  EXPECT_THROW(writeSafetensors(path, std::vector{good, good}), ShapeError);
  EXPECT_FALSE(std::filesystem::exists(path));
}

} // namespace
