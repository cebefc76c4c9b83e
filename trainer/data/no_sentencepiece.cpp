// Built instead of SentencePiece.cpp where the library is missing.
#include "common/Error.h"
#include "trainer/data/Tokenizer.h"

#include <fmt/format.h>

namespace raf::trainer {

std::unique_ptr<Tokenizer> openSentencePiece(const std::string &path) {
  throw UnsupportedError(fmt::format(
      "{}: this build has no SentencePiece; install libsentencepiece-dev and build again", path));
}

} // namespace raf::trainer
