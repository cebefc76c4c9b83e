// The tokenizer that needs nothing: a byte is a token.
#include "common/Error.h"
#include "trainer/data/Tokenizer.h"

#include <fmt/format.h>

namespace raf::trainer {
namespace {

class ByteTokenizer : public Tokenizer {
public:
  int64_t vocabulary() const override { return 256; }

  std::vector<int64_t> encode(std::string_view text) const override {
    std::vector<int64_t> ids(text.size());
    for (size_t i = 0; i < text.size(); ++i)
      ids[i] = static_cast<uint8_t>(text[i]);
    return ids;
  }

  std::string decode(const std::vector<int64_t> &ids) const override {
    std::string text;
    text.reserve(ids.size());
    for (int64_t id : ids) {
      if (id < 0 || id >= 256)
        throw Error(fmt::format("byte tokenizer: expected a token id below 256, but got {}", id));
      text.push_back(static_cast<char>(id));
    }
    return text;
  }
};

} // namespace

std::unique_ptr<Tokenizer> makeByteTokenizer() { return std::make_unique<ByteTokenizer>(); }

} // namespace raf::trainer
