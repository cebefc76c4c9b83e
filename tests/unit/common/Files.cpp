#include "common/AtomicFile.h"
#include "common/Checksum.h"
#include "common/CpuFeatures.h"
#include "common/Error.h"
#include "common/MappedFile.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <unistd.h>

using namespace raf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class Files : public testing::Test {
protected:
  Files() { std::filesystem::create_directories(folder); }
  ~Files() override { std::filesystem::remove_all(folder); }

  std::string content(const std::string &path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::vector<std::string> names() {
    std::vector<std::string> found;
    for (const auto &entry : std::filesystem::directory_iterator(folder))
      found.push_back(entry.path().filename());
    return found;
  }
  template <class Fn> std::string error(Fn &&fn) {
    try {
      fn();
    } catch (const Error &e) {
      return e.what();
    }
    return "nothing was thrown";
  }

  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("raf-files-" + std::to_string(getpid()));
  std::string path = folder / "a";
};

} // namespace

// A file has its old content until commit, and its new one after.
TEST_F(Files, AppearWhole) {
  writeFileAtomically(path, std::string_view("old"));
  {
    AtomicFile file(path);
    file.write(std::string_view("ne"));
    file.write(std::string_view("w"));
    EXPECT_EQ(file.written(), 3u);
    EXPECT_EQ(content(path), "old");
    file.commit();
  }
  EXPECT_EQ(content(path), "new");
  EXPECT_THAT(names(), ElementsAre("a"));
}

// Without commit nothing changes and nothing stays behind.
TEST_F(Files, OrNotAtAll) {
  writeFileAtomically(path, std::string_view("old"));
  {
    AtomicFile file(path);
    file.write(std::string_view("new"));
    EXPECT_EQ(names().size(), 2u);
  }
  EXPECT_EQ(content(path), "old");
  EXPECT_THAT(names(), ElementsAre("a"));
  EXPECT_THAT(error([&] { AtomicFile(folder / "absent" / "b"); }), HasSubstr("absent/b"));
  EXPECT_THAT(error([&] {
                std::filesystem::create_directory(folder / "c");
                writeFileAtomically(folder / "c", std::string_view("x"));
              }),
              HasSubstr("/c"));
  EXPECT_THAT(names(), testing::UnorderedElementsAre("a", "c"));
}

TEST_F(Files, AreMapped) {
  writeFileAtomically(path, std::string_view("text"));
  MappedFile file(path), moved = std::move(file);
  ASSERT_EQ(moved.bytes().size(), 4u);
  EXPECT_EQ(static_cast<char>(moved.bytes()[3]), 't');
  EXPECT_TRUE(file.bytes().empty());
  writeFileAtomically(path, std::string_view(""));
  EXPECT_TRUE(MappedFile(path).bytes().empty());
  EXPECT_THAT(error([&] { MappedFile(folder / "absent"); }), HasSubstr("absent"));
  EXPECT_THAT(error([&] { MappedFile{folder.string()}; }), HasSubstr(folder.string()));
}

// XXH3-128 as published, in canonical byte order.
TEST(Checksum, KnownValues) {
  EXPECT_EQ(toHex(checksum128({})), "99aa06d3014798d86001c324468d497f");
  const std::byte zero{0};
  EXPECT_NE(checksum64({}), checksum64({&zero, 1}));
}

// Only names that are not among the features found are missing.
TEST(CpuFeatures, Missing) {
  EXPECT_THAT(missingCpuFeatures(cpuFeatures()), ElementsAre());
  const std::vector<std::string> needed{"quantum",
                                        cpuFeatures().empty() ? "none" : cpuFeatures()[0]};
  EXPECT_EQ(missingCpuFeatures(needed)[0], "quantum");
  EXPECT_FALSE(hasCpuFeature("quantum"));
#ifdef __x86_64__
  // The compiler's own test asks the same processor in another way.
  EXPECT_EQ(hasCpuFeature("avx2"), static_cast<bool>(__builtin_cpu_supports("avx2")));
  EXPECT_EQ(hasCpuFeature("fma"), static_cast<bool>(__builtin_cpu_supports("fma")));
  EXPECT_EQ(hasCpuFeature("avx512f"), static_cast<bool>(__builtin_cpu_supports("avx512f")));
#endif
}
