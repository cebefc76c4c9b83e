#include "trainer/loop/Generate.h"

#include "common/Error.h"
#include "tests/unit/trainer/Support.h"
#include "trainer/data/Tokenizer.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

using namespace raf;
using namespace raf::test;
using namespace raf::trainer;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

TEST(Generate, ContinuesPastTheContextAndStopsWhenAsked) {
  auto session = makeFakeSession();
  std::vector<int64_t> tokens{13};
  generate(*session, tokens, 6, {0, 0, 0}, [](int64_t) { return true; });
  EXPECT_THAT(tokens, ElementsAre(13, 14, 15, 0, 1, 2, 3));
  generate(*session, tokens, 6, {0, 0, 0}, [](int64_t token) { return token != 5; });
  EXPECT_THAT(tokens, ElementsAre(13, 14, 15, 0, 1, 2, 3, 4, 5));
}

TEST(Generate, TokensOutsideTheVocabularyAreNamed) {
  auto session = makeFakeSession();
  std::vector<int64_t> tokens{3, 16};
  EXPECT_THAT(
      messageOf<Error>([&] { generate(*session, tokens, 1, {}, [](int64_t) { return true; }); }),
      HasSubstr("token 16 at position 1 is outside the model's vocabulary of 16"));
}

TEST(Generate, DrawsFollowTheSoftmax) {
  // p = 1/7, 2/7, 4/7 over 20,000 draws: standard deviation of a share is at most 0.0035.
  const std::vector<float> logits{0, std::log(2.0f), std::log(4.0f)};
  std::vector<double> share(3);
  for (uint64_t position = 0; position < 20000; ++position)
    share[static_cast<size_t>(sampleToken(logits, {1, 0, 11}, position))] += 1.0 / 20000;
  for (size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(share[i], static_cast<double>(1 << i) / 7, 0.018) << i;
}

TEST(Generate, TopKDrawsFromTheLikeliestOnlyAndTiesGoToLowerIndices) {
  const std::vector<float> logits{1, 5, 5, 5, -2};
  for (uint64_t position = 0; position < 200; ++position) {
    const int64_t drawn = sampleToken(logits, {1, 2, 3}, position);
    EXPECT_TRUE(drawn == 1 || drawn == 2) << drawn;
    EXPECT_EQ(sampleToken(logits, {1, 1, 3}, position), 1);
  }
  EXPECT_EQ(sampleToken(logits, {0, 0, 0}, 0), 1);
}

TEST(Generate, LogitsThatAreNoNumbersAreAnError) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(sampleToken(std::vector<float>{0, nan, 1}, {1, 0, 0}, 0), Error);
  EXPECT_THROW(sampleToken(std::vector<float>{nan, 0}, {0, 0, 0}, 0), Error);
}

TEST(Tokenizer, BytesComeBack) {
  const auto bytes = makeByteTokenizer();
  std::string text;
  for (int i = 0; i < 256; ++i)
    text += static_cast<char>(i);
  EXPECT_EQ(bytes->decode(bytes->encode(text)), text);
  EXPECT_THROW(bytes->decode({256}), Error);
  EXPECT_THROW(bytes->decode({-1}), Error);
}

TEST(Tokenizer, AFileThatIsNoSentencePieceModelIsNamed) {
  TemporaryFolder folder;
  EXPECT_THAT(
      messageOf<InvalidFileError>([&] { openSentencePiece(folder.file("sp.model", "text")); }),
      HasSubstr("sp.model: expected a SentencePiece model"));
}

} // namespace
