#include "trainer/data/Npy.h"

#include "common/Error.h"

#include <fmt/format.h>

#include <cctype>
#include <cstring>
#include <optional>
#include <string_view>

namespace raf::trainer {
namespace {

// The header is a Python dict literal with exactly the keys descr, fortran_order and shape.
class HeaderParser {
public:
  HeaderParser(std::string_view text, const std::string &where) : text(text), where(where) {}

  void parse(NpyArray &array) {
    bool seenType = false, seenOrder = false, seenShape = false;
    expect('{');
    while (!accept('}')) {
      std::string_view key = quoted();
      expect(':');
      if (key == "descr") {
        array.typeName = quoted();
        seenType = true;
      } else if (key == "fortran_order") {
        if (acceptWord("True"))
          fail("expected C order, but got Fortran order");
        if (!acceptWord("False"))
          fail("malformed header");
        seenOrder = true;
      } else if (key == "shape") {
        array.shape = tuple();
        seenShape = true;
      } else {
        fail(fmt::format("unknown header key '{}'", key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (!seenType || !seenOrder || !seenShape)
      fail("header lacks descr, fortran_order or shape");
  }

  [[noreturn]] void fail(std::string_view message) const {
    throw InvalidFileError(fmt::format("{}: {}", where, message));
  }

private:
  void skipSpace() {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
      text.remove_prefix(1);
  }
  bool accept(char c) {
    skipSpace();
    if (text.empty() || text.front() != c)
      return false;
    text.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      fail(fmt::format("malformed header, expected '{}'", c));
  }
  bool acceptWord(std::string_view word) {
    skipSpace();
    if (!text.starts_with(word))
      return false;
    text.remove_prefix(word.size());
    return true;
  }
  std::string_view quoted() {
    skipSpace();
    char quote = text.empty() ? '\0' : text.front();
    if (quote != '\'' && quote != '"')
      fail("malformed header, expected a string");
    size_t end = text.find(quote, 1);
    if (end == std::string_view::npos)
      fail("malformed header, unterminated string");
    std::string_view result = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    return result;
  }
  std::vector<int64_t> tuple() {
    std::vector<int64_t> values;
    expect('(');
    while (!accept(')')) {
      skipSpace();
      int64_t value = 0;
      size_t digits = 0;
      while (digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits]))) {
        if (digits == 18)
          fail("malformed header, extent too large");
        value = value * 10 + (text[digits++] - '0');
      }
      if (digits == 0 || values.size() == 32)
        fail("malformed header, expected a shape");
      text.remove_prefix(digits);
      values.push_back(value);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return values;
  }

  std::string_view text;
  const std::string &where;
};

struct TypeEntry {
  const char *name;
  DType dtype;
  bool isUnsigned;
};
constexpr TypeEntry types[] = {
    {"<f4", DType::F32, false}, {"<f8", DType::F64, false}, {"<f2", DType::F16, false},
    {"|b1", DType::I1, false},  {"|i1", DType::I8, false},  {"<i2", DType::I16, false},
    {"<i4", DType::I32, false}, {"<i8", DType::I64, false}, {"|u1", DType::U8, true},
    {"<u2", DType::I16, true},  {"<u4", DType::I32, true},  {"<u8", DType::I64, true},
};

constexpr size_t kMaxHeader = 1 << 20;

} // namespace

size_t npyHeaderBytes(std::span<const std::byte> start) {
  if (start.size() < 12 || std::memcmp(start.data(), "\x93NUMPY", 6) != 0)
    return 0;
  auto at = [&](size_t i) { return std::to_integer<size_t>(start[i]); };
  size_t length = at(8) | at(9) << 8;
  if (at(6) == 1)
    return 10 + length;
  return 12 + (length | at(10) << 16 | at(11) << 24);
}

NpyArray parseNpy(std::span<const std::byte> bytes, const std::string &where) {
  const size_t header = npyHeaderBytes(bytes);
  if (header == 0)
    throw InvalidFileError(
        fmt::format("{}: expected a .npy file, but its magic is missing", where));
  if (header > kMaxHeader || header > bytes.size())
    throw InvalidFileError(fmt::format("{}: truncated header", where));
  const size_t textAt = std::to_integer<int>(bytes[6]) == 1 ? 10 : 12;
  NpyArray array;
  HeaderParser parser({reinterpret_cast<const char *>(bytes.data()) + textAt, header - textAt},
                      where);
  parser.parse(array);

  std::optional<TypeEntry> type;
  for (const TypeEntry &entry : types)
    if (array.typeName == entry.name)
      type = entry;
  if (!type)
    parser.fail(fmt::format("unsupported dtype '{}'", array.typeName));
  array.dtype = type->dtype;
  array.isUnsigned = type->isUnsigned;

  size_t expected = sizeOf(array.dtype);
  for (int64_t extent : array.shape)
    if (__builtin_mul_overflow(expected, static_cast<size_t>(extent), &expected))
      parser.fail("shape too large");
  array.data = bytes.subspan(header);
  if (array.data.size() != expected)
    parser.fail(fmt::format("expected {} bytes of data, but got {}", expected, array.data.size()));
  return array;
}

} // namespace raf::trainer
