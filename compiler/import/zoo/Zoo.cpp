#include "compiler/import/zoo/Zoo.h"

#include "common/Error.h"
#include "compiler/import/zoo/Options.h"

#include <fmt/format.h>

using namespace mlir;

namespace raf::zoo {

namespace {

const std::vector<Model> &models() {
  static const std::vector<Model> all = {gpt2(), bert(), vit(), llama(), mlp()};
  return all;
}

const Model *find(const std::string &spec) {
  std::string name = spec.substr(0, spec.find(':'));
  for (const Model &model : models())
    if (model.name == name)
      return &model;
  return nullptr;
}

} // namespace

bool has(const std::string &spec) { return find(spec) != nullptr; }

OwningOpRef<ModuleOp> build(MLIRContext &context, const std::string &spec,
                            const std::map<std::string, int64_t> &sizes) {
  const Model *model = find(spec);
  if (!model) {
    std::string known;
    for (const Model &m : models())
      known += (known.empty() ? "" : ", ") + m.name;
    throw UsageError(
        fmt::format("no model '{}'; the zoo has {}", spec.substr(0, spec.find(':')), known));
  }
  size_t colon = spec.find(':');
  Options options(model->name, model->keys,
                  colon == std::string::npos ? "" : spec.substr(colon + 1), sizes);
  build::Graph graph(context);
  model->build(graph, options);
  return graph.finish();
}

std::vector<std::pair<std::string, std::string>> list() {
  std::vector<std::pair<std::string, std::string>> out;
  for (const Model &model : models()) {
    std::string text = model.description + " (";
    for (const Key &key : model.keys)
      text += (&key == &model.keys.front() ? "" : ",") + key.name + "=" + key.value;
    out.emplace_back(model.name, text + ")");
  }
  return out;
}

} // namespace raf::zoo
