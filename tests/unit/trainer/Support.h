// What several tests of the trainer need.
#pragma once

#include "runtime/session/Session.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace raf::test {

/// A folder that goes with the test.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = std::filesystem::temp_directory_path() / "raf-trainer-XXXXXX";
    folder = mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(folder); }

  std::string operator/(std::string_view name) const { return folder / name; }
  std::string path() const { return folder; }
  /// Writes a file and gives its path.
  std::string file(std::string_view name, std::string_view content) const {
    std::ofstream out(folder / name, std::ios::binary);
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
    return folder / name;
  }

private:
  std::filesystem::path folder;
};

/// `what()` of the exception of type E that `call` throws.
template <typename E, typename Call> std::string messageOf(Call call) {
  try {
    call();
  } catch (const E &error) {
    return error.what();
  }
  return "nothing thrown";
}

/// Inputs of a language model: tokens and labels [batch, context] of i64.
std::vector<runtime::NamedTensor> languageInputs(int64_t batch, int64_t context);

constexpr int64_t kFakeBatch = 2, kFakeContext = 4, kFakeVocabulary = 16;

/// A session that a test can predict. State: parameter `w` f32 [6] "normal(0,0.02)", buffer `seen`
/// i64 [] , optimizer state `w/momentum` f32 [6].
///   train_step  every bit of the new state depends on the old one, the tokens in their order, lr
///   and
///               key; loss is NaN in the update made at step `nanAt`
///   evaluate    loss = mean of the tokens
///   forward     [1,T] tokens -> logits [1,T,V] that favour the token plus one
std::unique_ptr<runtime::Session> makeFakeSession(int64_t batch = kFakeBatch, int64_t nanAt = -1);

/// All bytes of the state, in order.
std::string stateBytes(runtime::Session &session);

} // namespace raf::test
