// The keys of a zoo model and the values that a spec gives them.
#pragma once

#include "compiler/import/builder/Builder.h"

#include <map>
#include <string>
#include <vector>

namespace raf::zoo {

struct Key {
  std::string name;
  std::string value; // the default; a key takes whole numbers unless its default says otherwise
};

/// Values of a model's keys; asking for a key that was not declared is an internal error.
class Options {
public:
  /// `text`: "key=value,key=value"; `sizes` come on top. Throws UsageError naming model, key and
  /// what is allowed.
  Options(const std::string &model, const std::vector<Key> &keys, const std::string &text,
          const std::map<std::string, int64_t> &sizes);

  /// A whole number >= 1.
  int64_t size(const std::string &key) const;
  /// A number in [0, 1).
  double probability(const std::string &key) const;
  /// One of `choices`.
  std::string choice(const std::string &key, const std::vector<std::string> &choices) const;
  /// Throws UsageError unless `divisor` divides `key`'s value.
  void requireMultiple(const std::string &key, const std::string &divisor) const;

private:
  [[noreturn]] void fail(const std::string &message) const;
  const std::string &text(const std::string &key) const;

  std::string model;
  std::map<std::string, std::string> values;
};

/// A model of the zoo: adds its forward pass to `graph`.
struct Model {
  std::string name, description;
  std::vector<Key> keys;
  void (*build)(build::Graph &graph, const Options &options);
};

Model bert();
Model gpt2();
Model llama();
Model mlp();
Model vit();

} // namespace raf::zoo
