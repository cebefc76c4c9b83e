// Text to token ids and back.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace raf::trainer {

class Tokenizer {
public:
  virtual ~Tokenizer() = default;
  virtual int64_t vocabulary() const = 0;
  virtual std::vector<int64_t> encode(std::string_view text) const = 0;
  /// `ids` must be in [0, vocabulary()), else Error.
  virtual std::string decode(const std::vector<int64_t> &ids) const = 0;
};

/// One token per byte, vocabulary 256.
std::unique_ptr<Tokenizer> makeByteTokenizer();

/// A SentencePiece model file. Throws InvalidFileError when it is none, UnsupportedError in a build
/// without SentencePiece.
std::unique_ptr<Tokenizer> openSentencePiece(const std::string &path);

} // namespace raf::trainer
