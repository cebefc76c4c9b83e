#include "compiler/import/zoo/Options.h"

#include "common/Error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace raf::zoo {

namespace {

/// Larger extents are mistakes; the limit keeps products of a few of them within 64 bits.
constexpr int64_t kLargestSize = int64_t(1) << 30;

template <typename T> bool parseWhole(const std::string &text, T &value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

} // namespace

Options::Options(const std::string &model, const std::vector<Key> &keys, const std::string &text,
                 const std::map<std::string, int64_t> &sizes)
    : model(model) {
  std::string known;
  for (const Key &key : keys) {
    values[key.name] = key.value;
    known += (known.empty() ? "" : ", ") + key.name;
  }
  auto set = [&](const std::string &key, const std::string &value) {
    if (!values.count(key))
      fail(fmt::format("unknown key '{}'; the keys are {}", key, known));
    values[key] = value;
  };
  std::vector<std::string> given;
  for (size_t at = 0; at < text.size();) {
    size_t comma = std::min(text.find(',', at), text.size());
    std::string item = text.substr(at, comma - at);
    size_t equals = item.find('=');
    if (equals == std::string::npos || equals == 0)
      fail(fmt::format("expected key=value, but got '{}'", item));
    std::string key = item.substr(0, equals);
    if (std::find(given.begin(), given.end(), key) != given.end())
      fail(fmt::format("key '{}' is given twice", key));
    given.push_back(key);
    set(key, item.substr(equals + 1));
    at = comma + 1;
  }
  for (const auto &[key, value] : sizes)
    set(key, std::to_string(value));
}

void Options::fail(const std::string &message) const { throw UsageError(model + ": " + message); }

const std::string &Options::text(const std::string &key) const {
  auto found = values.find(key);
  if (found == values.end())
    throw Error(fmt::format("{}: no key '{}' was declared", model, key));
  return found->second;
}

int64_t Options::size(const std::string &key) const {
  int64_t value = 0;
  if (!parseWhole(text(key), value) || value < 1 || value > kLargestSize)
    fail(fmt::format("expected {} to be a whole number from 1 to {}, but got '{}'", key,
                     kLargestSize, text(key)));
  return value;
}

double Options::probability(const std::string &key) const {
  double value = 0;
  if (!parseWhole(text(key), value) || !(value >= 0 && value < 1))
    fail(fmt::format("expected {} to be a number in [0, 1), but got '{}'", key, text(key)));
  return value;
}

std::string Options::choice(const std::string &key, const std::vector<std::string> &choices) const {
  if (std::find(choices.begin(), choices.end(), text(key)) == choices.end())
    fail(fmt::format("expected {} to be one of {}, but got '{}'", key, fmt::join(choices, ", "),
                     text(key)));
  return text(key);
}

void Options::requireMultiple(const std::string &key, const std::string &divisor) const {
  if (size(key) % size(divisor) != 0)
    fail(fmt::format("expected {} to be a multiple of {}, but got {} and {}", key, divisor,
                     size(key), size(divisor)));
}

} // namespace raf::zoo
