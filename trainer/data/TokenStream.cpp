// Windows of T+1 tokens cut from one long stream: the first T are the input, the last T the labels.
#include "common/Error.h"
#include "common/MappedFile.h"
#include "trainer/data/Npy.h"
#include "trainer/data/Shuffle.h"
#include "trainer/data/Sources.h"
#include "trainer/data/Tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>

namespace raf::trainer {
namespace {

// Token ids where they lie, in a mapped file or in memory, of any integer width.
struct TokenArray {
  const std::byte *data = nullptr;
  int64_t count = 0;
  DType dtype = DType::U8;
  bool isUnsigned = true;

  template <typename T> int64_t load(int64_t i) const {
    T value; // .npy data need not be aligned
    std::memcpy(&value, data + static_cast<size_t>(i) * sizeof(T), sizeof(T));
    return static_cast<int64_t>(value);
  }

  // Calls `use(i, id)` for every token of [begin, end).
  template <typename Use> void forEach(int64_t begin, int64_t end, Use use) const {
    auto walk = [&]<typename T>(T) {
      for (int64_t i = begin; i < end; ++i)
        use(i, load<T>(i));
    };
    switch (dtype) {
    case DType::I8:
      return walk(int8_t{});
    case DType::I16:
      return isUnsigned ? walk(uint16_t{}) : walk(int16_t{});
    case DType::I32:
      return isUnsigned ? walk(uint32_t{}) : walk(int32_t{});
    case DType::I64:
      return walk(int64_t{});
    default:
      return walk(uint8_t{});
    }
  }
};

class TokenStream : public Dataset {
public:
  TokenStream(const DataOptions &options, Inputs inputs) : seed(options.seed) {
    bindInputs(options.path, inputs);
    open(options);
    checkVocabulary(options);
    const int64_t held = tokens.count / 10;
    trainTokens = tokens.count - held;
    if (trainTokens < context + 1)
      throw InvalidFileError(fmt::format("{}: too short: expected at least {} training tokens for "
                                         "a context of {}, but got {} of {}",
                                         options.path, context + 1, context, trainTokens,
                                         tokens.count));
    // All windows of an epoch shift together by less than a window, so that over the epochs every
    // token is seen at every place.
    trainWindows = std::max<int64_t>(1, (trainTokens - context) / context);
    maxShift = std::min(context - 1, trainTokens - 1 - trainWindows * context);
    heldWindows = held > 0 ? (held - 1) / context : 0;
  }

  int64_t samples(Split split) const override {
    return split == Split::Train ? trainWindows : heldWindows;
  }
  int64_t tokensPerSample() const override { return context; }

  void read(Split split, uint64_t epoch, int64_t index, int64_t row,
            std::span<const runtime::TensorView> batch) const override {
    int64_t begin = index * context;
    if (split == Split::Train)
      begin += static_cast<int64_t>(mixBits(seed, epoch, ~uint64_t{0}) %
                                    static_cast<uint64_t>(maxShift + 1));
    else
      begin += trainTokens;
    copy(begin, batch[tokensAt], row);
    copy(begin + 1, batch[labelsAt], row);
  }

private:
  void bindInputs(const std::string &path, Inputs inputs) {
    std::string signature;
    for (const runtime::NamedTensor &input : inputs)
      signature += (signature.empty() ? "'" : ", '") + input.name + "'";
    auto labels = std::find_if(inputs.begin(), inputs.end(),
                               [](const auto &input) { return input.name == "labels"; });
    if (inputs.size() != 2 || labels == inputs.end())
      throw ShapeError(
          fmt::format("{}: token data need a model with two inputs, tokens and 'labels', "
                      "but it takes {}",
                      path, signature.empty() ? "none" : signature));
    labelsAt = static_cast<size_t>(labels - inputs.begin());
    tokensAt = 1 - labelsAt;
    for (const runtime::NamedTensor &input : inputs) {
      DType dtype = input.view.dtype;
      if (input.view.shape.size() != 2 || (dtype != DType::I64 && dtype != DType::I32))
        throw ShapeError(fmt::format("{}: token data need an i64 or i32 input [B,T] for '{}'", path,
                                     input.name));
    }
    context = inputs[tokensAt].view.shape[1];
    if (inputs[labelsAt].view.shape[1] != context)
      throw ShapeError(fmt::format("{}: expected labels of {} tokens, but the model takes {}", path,
                                   context, inputs[labelsAt].view.shape[1]));
  }

  void open(const DataOptions &options) {
    file.emplace(mapData(options.path));
    std::span<const std::byte> bytes = file->bytes();
    const std::string extension = std::filesystem::path(options.path).extension();
    if (!isText(options.path) && !options.tokenizer.empty())
      throw UsageError(
          fmt::format("{}: a tokenizer needs a text file, but these are token ids", options.path));
    if (extension == ".bin") {
      if (bytes.size() % 2 != 0)
        throw InvalidFileError(
            fmt::format("{}: expected uint16 token ids, but the size of {} bytes is odd",
                        options.path, bytes.size()));
      tokens = {bytes.data(), static_cast<int64_t>(bytes.size() / 2), DType::I16, true};
    } else if (extension == ".npy") {
      NpyArray array = parseNpy(bytes, options.path);
      if (isFloat(array.dtype) || array.dtype == DType::I1)
        throw InvalidFileError(fmt::format("{}: expected integer token ids, but got dtype '{}'",
                                           options.path, array.typeName));
      if (array.shape.size() != 1)
        throw InvalidFileError(fmt::format("{}: expected token ids in one dimension, but got {}",
                                           options.path, array.shape.size()));
      tokens = {array.data.data(), array.shape[0], array.dtype, array.isUnsigned};
    } else if (options.tokenizer.empty()) {
      tokens = {bytes.data(), static_cast<int64_t>(bytes.size()), DType::U8, true};
    } else {
      auto tokenizer = openSentencePiece(options.tokenizer);
      auto text = std::string_view(reinterpret_cast<const char *>(bytes.data()), bytes.size());
      std::vector<int64_t> ids = tokenizer->encode(text);
      encoded.assign(ids.begin(), ids.end());
      file.reset();
      tokens = {reinterpret_cast<const std::byte *>(encoded.data()),
                static_cast<int64_t>(encoded.size()), DType::I32, false};
    }
  }

  void checkVocabulary(const DataOptions &options) const {
    const int64_t limit = options.vocabulary;
    if (limit == 0 || (tokens.dtype == DType::U8 && limit >= 256))
      return;
    tokens.forEach(0, tokens.count, [&](int64_t at, int64_t id) {
      if (id < 0 || id >= limit)
        throw InvalidFileError(
            fmt::format("{}: token {} at position {} is outside the model's vocabulary of {}",
                        options.path, id, at, limit));
    });
  }

  void copy(int64_t begin, const runtime::TensorView &to, int64_t row) const {
    auto write = [&]<typename T>(T *out) {
      tokens.forEach(begin, begin + context, [&](int64_t i, int64_t id) {
        out[row * context + (i - begin)] = static_cast<T>(id);
      });
    };
    if (to.dtype == DType::I64)
      write(static_cast<int64_t *>(to.data));
    else
      write(static_cast<int32_t *>(to.data));
  }

  uint64_t seed;
  size_t tokensAt = 0, labelsAt = 1;
  int64_t context = 0;
  std::optional<MappedFile> file;
  std::vector<int32_t> encoded; // of a text file with a tokenizer
  TokenArray tokens;
  int64_t trainTokens = 0, trainWindows = 0, maxShift = 0, heldWindows = 0;
};

} // namespace

std::unique_ptr<Dataset> openTokenStream(const DataOptions &options, Inputs inputs) {
  return std::make_unique<TokenStream>(options, inputs);
}

} // namespace raf::trainer
