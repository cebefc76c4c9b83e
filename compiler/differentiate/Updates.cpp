#include "compiler/differentiate/Updates.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace raf {
namespace {

struct HyperParameter {
  llvm::StringLiteral name;
  double initial;
};

struct Optimizer {
  llvm::StringLiteral name, op;
  std::vector<std::string> slots;
  std::vector<HyperParameter> hyper;       // F64Attrs of the op
  std::vector<llvm::StringLiteral> flags;  // UnitAttrs of the op, off by default
  std::vector<llvm::StringLiteral> always; // UnitAttrs that make this optimizer of the op
  std::vector<HyperParameter> other;       // hyper-parameters that are no attribute of the op
};

const std::vector<Optimizer> &optimizers() {
  static const std::vector<Optimizer> table = {
      {"sgd",
       "raf.sgd_momentum",
       {"momentum_buffer"},
       {{"momentum", 0}, {"dampening", 0}, {"weight_decay", 0}},
       {"nesterov", "maximize"},
       {},
       {}},
      {"adam",
       "raf.adam",
       {"exp_avg", "exp_avg_sq"},
       {{"beta1", 0.9}, {"beta2", 0.999}, {"eps", 1e-8}, {"weight_decay", 0}},
       {"maximize"},
       {},
       {}},
      {"adamw",
       "raf.adam",
       {"exp_avg", "exp_avg_sq"},
       {{"beta1", 0.9}, {"beta2", 0.999}, {"eps", 1e-8}, {"weight_decay", 0.01}},
       {"maximize"},
       {"decoupled"},
       {}},
      {"lamb",
       "raf.lamb",
       {"exp_avg", "exp_avg_sq"},
       {{"beta1", 0.9}, {"beta2", 0.999}, {"eps", 1e-6}, {"weight_decay", 0.01}},
       {},
       {},
       {}},
      {"lans",
       "raf.lans",
       {"exp_avg", "exp_avg_sq"},
       {{"beta1", 0.9}, {"beta2", 0.999}, {"eps", 1e-6}, {"weight_decay", 0.01}},
       {},
       {},
       {}},
      {"adagrad",
       "raf.adagrad",
       {"sum"},
       {{"lr_decay", 0}, {"eps", 1e-10}, {"weight_decay", 0}},
       {},
       {},
       {{"initial_accumulator_value", 0}}},
      {"rmsprop",
       "raf.rmsprop",
       {"square_avg", "momentum_buffer"},
       {{"alpha", 0.99}, {"eps", 1e-8}, {"weight_decay", 0}, {"momentum", 0}},
       {},
       {},
       {}},
      {"lion",
       "raf.lion",
       {"exp_avg"},
       {{"beta1", 0.9}, {"beta2", 0.99}, {"weight_decay", 0}},
       {},
       {},
       {}},
  };
  return table;
}

std::vector<std::string> namesOf(const Optimizer &o) {
  std::vector<std::string> names{"lr_scale"};
  for (const auto *list : {&o.hyper, &o.other})
    for (const HyperParameter &h : *list)
      names.push_back(h.name.str());
  for (llvm::StringLiteral f : o.flags)
    names.push_back(f.str());
  return names;
}

/// Whether `value` lies where torch.optim allows `name`; what it allows goes to `allowed`.
bool inRange(llvm::StringRef name, double value, std::string &allowed) {
  if (name == "beta1" || name == "beta2") {
    allowed = "0 <= value < 1";
    return value >= 0 && value < 1;
  }
  allowed = "a finite value";
  if (name == "dampening")
    return std::isfinite(value);
  allowed = "a finite value >= 0";
  return std::isfinite(value) && value >= 0;
}

} // namespace

std::optional<Update> updateFor(const OptimizerSpec &spec, llvm::StringRef parameter, bool decays,
                                Builder &b, llvm::function_ref<InFlightDiagnostic()> emitError) {
  auto definition =
      llvm::find_if(optimizers(), [&](const Optimizer &o) { return o.name == spec.name; });
  if (definition == optimizers().end()) {
    std::vector<std::string> known;
    for (const Optimizer &o : optimizers())
      known.push_back(o.name.str());
    emitError() << "expected an optimizer of " << llvm::join(known, ", ") << ", but got '"
                << spec.name << "'";
    return std::nullopt;
  }

  Hyper hyper{{"lr_scale", 1}};
  for (const auto *list : {&definition->hyper, &definition->other})
    for (const HyperParameter &h : *list)
      hyper[h.name.str()] = h.initial;
  for (llvm::StringLiteral f : definition->flags)
    hyper[f.str()] = 0;
  auto set = [&](const Hyper &values) {
    for (const auto &[name, value] : values) {
      std::string allowed;
      if (!hyper.contains(name)) {
        emitError() << "expected a hyper-parameter of " << spec.name << " ("
                    << llvm::join(namesOf(*definition), ", ") << "), but got '" << name << "'";
        return false;
      }
      if (!inRange(name, value, allowed)) {
        emitError() << "expected " << allowed << " for " << name << ", but got " << value;
        return false;
      }
      hyper[name] = value;
    }
    return true;
  };
  if (!set(spec.hyper))
    return std::nullopt;
  if (!decays)
    hyper["weight_decay"] = 0;
  // What is said of a parameter by name counts before the rule about biases and norms.
  if (auto group = spec.groups.find(parameter.str()); group != spec.groups.end())
    if (!set(group->second))
      return std::nullopt;
  bool isSgd = definition->name == "sgd";
  if (isSgd && hyper["nesterov"] != 0 && (hyper["momentum"] <= 0 || hyper["dampening"] != 0)) {
    emitError() << "expected a momentum > 0 and dampening 0 with nesterov, but got "
                << hyper["momentum"] << " and " << hyper["dampening"];
    return std::nullopt;
  }

  Update update;
  update.lrScale = hyper["lr_scale"];
  update.op = definition->op.str();
  update.slots = definition->slots;
  llvm::SmallVector<llvm::StringRef> attributes;
  if (isSgd && hyper["momentum"] == 0) {
    update.op = "raf.sgd";
    update.slots.clear();
    attributes = {"weight_decay"};
  } else {
    for (const HyperParameter &h : definition->hyper)
      attributes.push_back(h.name);
  }
  for (llvm::StringRef name : attributes)
    update.attributes.append(name, b.getF64FloatAttr(hyper[name.str()]));
  for (llvm::StringLiteral f : definition->flags)
    if (hyper[f.str()] != 0 && (update.op != "raf.sgd" || f == "maximize"))
      update.attributes.append(f, b.getUnitAttr());
  for (llvm::StringLiteral f : definition->always)
    update.attributes.append(f, b.getUnitAttr());
  // Without momentum RMSprop has no such state; its op then neither reads nor changes the operand.
  if (definition->name == "rmsprop" && hyper["momentum"] == 0)
    update.slots.pop_back();
  double initial = hyper["initial_accumulator_value"]; // 0 for those who know none
  for (size_t i = 0; i < update.slots.size(); ++i)
    update.slotInit.push_back(initial == 0 ? "zeros" : llvm::formatv("fill({0})", initial).str());
  return update;
}

} // namespace raf
