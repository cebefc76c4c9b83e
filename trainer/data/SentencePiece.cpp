#include "common/Error.h"
#include "trainer/data/Tokenizer.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>

namespace raf::trainer {
namespace {

class SentencePieceTokenizer : public Tokenizer {
public:
  explicit SentencePieceTokenizer(const std::string &path) {
    auto status = processor.Load(path);
    if (!status.ok())
      throw InvalidFileError(
          fmt::format("{}: expected a SentencePiece model, but got: {}", path, status.message()));
  }

  int64_t vocabulary() const override { return processor.GetPieceSize(); }

  // Line by line, so that memory follows the longest line; the line end is kept as its own
  // piece where the model has one, as the normalizer would drop it.
  std::vector<int64_t> encode(std::string_view text) const override {
    std::vector<int64_t> ids;
    std::vector<int> line;
    const int newline = processor.PieceToId("\n");
    const bool hasNewline = newline != processor.unk_id();
    while (!text.empty()) {
      size_t end = text.find('\n');
      std::string_view part = text.substr(0, end);
      auto status = processor.Encode(part, &line);
      if (!status.ok())
        throw Error(fmt::format("sentencepiece: {}", status.message()));
      ids.insert(ids.end(), line.begin(), line.end());
      if (end == std::string_view::npos)
        break;
      if (hasNewline)
        ids.push_back(newline);
      text.remove_prefix(end + 1);
    }
    return ids;
  }

  std::string decode(const std::vector<int64_t> &ids) const override {
    std::vector<int> narrow;
    for (int64_t id : ids) {
      if (id < 0 || id >= vocabulary())
        throw Error(fmt::format("sentencepiece: expected a token id below {}, but got {}",
                                vocabulary(), id));
      narrow.push_back(static_cast<int>(id));
    }
    std::string text;
    auto status = processor.Decode(narrow, &text);
    if (!status.ok())
      throw Error(fmt::format("sentencepiece: {}", status.message()));
    return text;
  }

private:
  sentencepiece::SentencePieceProcessor processor;
};

} // namespace

std::unique_ptr<Tokenizer> openSentencePiece(const std::string &path) {
  return std::make_unique<SentencePieceTokenizer>(path);
}

} // namespace raf::trainer
