#include "compiler/differentiate/Optimizer.h"
#include "compiler/differentiate/Functions.h"
#include "compiler/differentiate/Updates.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace raf {
namespace {

/// Sum of squares in float32 or wider. Rows first, then over rows: the inner sums of a large tensor
/// run side by side.
Value sumOfSquares(OpBuilder &b, Location loc, Value x) {
  Type wide = elementType(x).isF64() ? elementType(x) : b.getF32Type();
  x = castTo(b, loc, x, wide);
  x = b.create<MulOp>(loc, x, x);
  while (rankOf(x) > 0) {
    llvm::SmallVector<int64_t> dims;
    for (int64_t d = rankOf(x) == 1 ? 0 : 1; d < rankOf(x); ++d)
      dims.push_back(d);
    x = b.create<ReduceSumOp>(loc, x, dims);
  }
  return x;
}

/// L2 norm of all gradients as one vector, summed in the order of the parameters.
Value globalNorm(OpBuilder &b, Location loc, llvm::ArrayRef<Value> gradients) {
  Type wide = b.getF32Type();
  for (Value g : gradients)
    if (elementType(g).isF64())
      wide = b.getF64Type();
  Value total;
  for (Value g : gradients) {
    Value s = castTo(b, g.getLoc(), sumOfSquares(b, g.getLoc(), g), wide);
    total = total ? b.create<AddOp>(loc, total, s).getResult() : s;
  }
  if (!total)
    return scalarConstant(b, loc, 0, b.getF32Type());
  return castTo(b, loc, b.create<SqrtOp>(loc, total), b.getF32Type());
}

struct OptimizerPass : PassWrapper<OptimizerPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OptimizerPass)

  OptimizerPass() = default;
  OptimizerPass(const OptimizerPass &other) : PassWrapper(other), options(other.options) {}
  explicit OptimizerPass(const OptimizerOptions &o) : options(o) {}
  llvm::StringRef getArgument() const override { return "raf-optimizer"; }
  llvm::StringRef getDescription() const override {
    return "build the training step: loss, gradients, clipping and the optimizer's updates";
  }

  // Textual form for raf-opt; what is not given there comes from `options`.
  Option<std::string> name{*this, "name",
                           llvm::cl::desc("sgd adam adamw lamb lans adagrad rmsprop lion")};
  ListOption<std::string> hyper{*this, "hyper", llvm::cl::desc("hyper-parameters as beta1:0.9")};
  ListOption<std::string> groups{
      *this, "groups", llvm::cl::desc("hyper-parameters of one parameter as PARAM:weight_decay:0")};
  Option<double> clip{*this, "clip", llvm::cl::desc("largest global gradient norm; 0: off")};
  Option<bool> decayAll{*this, "decay-biases-and-norms",
                        llvm::cl::desc("weight decay also on tensors of rank < 2")};
  Option<bool> outputs{*this, "outputs", llvm::cl::desc("return the other results")};
  Option<bool> keep{*this, "keep", llvm::cl::desc("leave the differentiated function")};
  Option<std::string> function{*this, "function", llvm::cl::desc("what gives loss and gradients")};
  Option<std::string> result{*this, "result", llvm::cl::desc("name of the new function")};

  void runOnOperation() override {
    if (!readOptions())
      return signalPassFailure();
    func::FuncOp source = lookupFunction(getOperation(), options.function);
    if (!source || !findUpdates(source))
      return signalPassFailure();
    if (auto earlier = getOperation().lookupSymbol(options.result))
      earlier->erase();
    buildStep(source);
    if (!options.keep)
      source.erase();
  }

private:
  struct Parameter {
    BlockArgument argument; // of value_and_grad
    std::string name;
    Value gradient;
    Update update;
    std::vector<unsigned> slots; // arguments of train_step
  };

  OptimizerOptions options;
  std::vector<Parameter> parameters;

  bool readOptions() {
    auto parse = [&](llvm::StringRef text, Hyper &into) {
      auto [key, value] = text.rsplit(':');
      double number;
      if (key.empty() || value.getAsDouble(number)) {
        getOperation().emitError() << "expected NAME:NUMBER, but got '" << text << "'";
        return false;
      }
      into[key.str()] = number;
      return true;
    };
    if (name.hasValue())
      options.spec.name = name;
    for (const std::string &h : hyper)
      if (!parse(h, options.spec.hyper))
        return false;
    for (const std::string &g : groups) {
      llvm::StringRef text = g;
      size_t split = text.rsplit(':').first.rfind(':');
      if (split == llvm::StringRef::npos) {
        getOperation().emitError() << "expected PARAM:NAME:NUMBER, but got '" << text << "'";
        return false;
      }
      if (!parse(text.drop_front(split + 1), options.spec.groups[text.take_front(split).str()]))
        return false;
    }
    if (clip.hasValue())
      options.clipGradNorm = clip;
    if (decayAll.hasValue())
      options.spec.decayBiasesAndNorms = decayAll;
    if (outputs.hasValue())
      options.outputs = outputs;
    if (keep.hasValue())
      options.keep = keep;
    if (function.hasValue())
      options.function = function;
    if (result.hasValue())
      options.result = result;
    if (!(options.clipGradNorm >= 0)) {
      getOperation().emitError() << "expected a gradient norm to clip at >= 0, but got "
                                 << options.clipGradNorm;
      return false;
    }
    return true;
  }

  /// The trainable parameters that the loss depends on, each with its gradient and its update.
  bool findUpdates(func::FuncOp source) {
    parameters.clear();
    std::map<std::string, Value> gradients;
    for (const FunctionResult &r : resultsOf(source))
      if (r.name().starts_with("grad/"))
        gradients[r.name().drop_front(5).str()] = r.value;
    Builder b(source.getContext());
    std::map<std::string, std::map<std::string, double>> unused = options.spec.groups;
    for (unsigned i = 0; i < source.getNumArguments(); ++i) {
      llvm::StringRef kind = argumentKind(source, i), name = argumentName(source, i);
      if (!llvm::is_contained({"param", "buffer", "input", "key"}, kind)) {
        source.emitOpError("expected a raf.kind of param, buffer, input or key on argument ")
            << i << ", but got '" << kind << "'";
        return false;
      }
      if (kind != "key" && (name == "lr" || name == "key")) {
        source.emitOpError("expected no argument named '") << name << "': the step has its own";
        return false;
      }
      auto gradient = gradients.find(name.str());
      if (kind != "param" || gradient == gradients.end())
        continue;
      unused.erase(name.str());
      // A parameter the loss does not depend on stays as it is, without decay, as with torch.optim
      // where its gradient is None.
      if (splatValue(gradient->second) == 0.0)
        continue;
      bool decays =
          options.spec.decayBiasesAndNorms ||
          (!hasArgumentFlag(source, i, names::kNoDecay) && rankOf(source.getArgument(i)) >= 2);
      auto update = updateFor(options.spec, name, decays, b, [&] { return source.emitOpError(); });
      if (!update)
        return false;
      parameters.push_back(
          {source.getArgument(i), name.str(), gradient->second, std::move(*update), {}});
    }
    if (!unused.empty()) {
      source.emitOpError("expected a trainable parameter for the hyper-parameters of '")
          << unused.begin()->first << "', but there is none of that name";
      return false;
    }
    return true;
  }

  void buildStep(func::FuncOp source) {
    OpBuilder b(source.getContext());
    Location loc = source.getLoc();
    b.setInsertionPointAfter(source);
    llvm::SmallVector<Type> types;
    llvm::SmallVector<DictionaryAttr> attributes;
    std::vector<std::optional<unsigned>> place(source.getNumArguments());
    auto argument = [&](Type type, DictionaryAttr attribute) {
      types.push_back(type);
      attributes.push_back(attribute);
      return static_cast<unsigned>(types.size() - 1);
    };
    auto named = [&](llvm::StringRef name, llvm::StringRef kind, llvm::StringRef init) {
      NamedAttrList a;
      a.append(names::kName, b.getStringAttr(name));
      a.append(names::kKind, b.getStringAttr(kind));
      if (!init.empty())
        a.append(names::kInit, b.getStringAttr(init));
      return a.getDictionary(b.getContext());
    };
    auto keep = [&](llvm::StringRef kind) {
      for (unsigned i = 0; i < source.getNumArguments(); ++i)
        if (argumentKind(source, i) == kind)
          place[i] = argument(source.getArgument(i).getType(), source.getArgAttrDict(i));
    };
    keep("param");
    keep("buffer");
    for (Parameter &p : parameters)
      for (auto [slot, init] : llvm::zip(p.update.slots, p.update.slotInit))
        p.slots.push_back(argument(p.argument.getType(), named(p.name + "/" + slot, "opt", init)));
    keep("input");
    unsigned lr = argument(RankedTensorType::get({}, b.getF32Type()), named("lr", "input", ""));
    unsigned key = argument(RankedTensorType::get({2}, b.getI64Type()), named("key", "key", ""));
    for (unsigned i = 0; i < source.getNumArguments(); ++i)
      if (argumentKind(source, i) == "key")
        place[i] = key;

    auto step = b.create<func::FuncOp>(loc, options.result, b.getFunctionType(types, {}));
    step.setAllArgAttrs(attributes);
    b.setInsertionPointToEnd(step.addEntryBlock());
    for (unsigned i = 0; i < step.getNumArguments(); ++i)
      step.getArgument(i).setLoc(loc);
    IRMapping map;
    for (unsigned i = 0; i < source.getNumArguments(); ++i) {
      step.getArgument(*place[i]).setLoc(source.getArgument(i).getLoc());
      map.map(source.getArgument(i), step.getArgument(*place[i]));
    }
    for (Operation &op : source.getBody().front().without_terminator())
      b.clone(op, map);

    std::map<std::string, Value> newState = buildUpdates(b, step, lr, key, map);
    std::vector<FunctionResult> results, others;
    Value loss;
    for (auto [i, r] : llvm::enumerate(resultsOf(source))) {
      Value v = map.lookupOrDefault(r.value);
      if (!r.updates().empty())
        newState[r.updates().str()] = v;
      else if (i == 0)
        loss = v;
      else if (options.outputs && !r.name().starts_with("grad/"))
        others.push_back({v, r.attributes});
    }
    for (unsigned i = 0; i < step.getNumArguments(); ++i)
      if (auto it = newState.find(argumentName(step, i).str()); it != newState.end()) {
        NamedAttrList a;
        a.append(names::kName, b.getStringAttr(it->first));
        a.append(names::kUpdates, b.getStringAttr(it->first));
        results.push_back({it->second, a.getDictionary(b.getContext())});
      }
    results.push_back(namedResult(loss, "loss"));
    results.push_back(namedResult(gradNorm, "grad_norm"));
    results.insert(results.end(), others.begin(), others.end());
    b.create<func::ReturnOp>(loc);
    setResults(step, results);
  }

  Value gradNorm; // of the function being built

  /// New parameters and optimizer state by name.
  std::map<std::string, Value> buildUpdates(OpBuilder &b, func::FuncOp step, unsigned lr,
                                            unsigned key, IRMapping &map) {
    Location loc = step.getLoc();
    Type f32 = b.getF32Type();
    llvm::SmallVector<Value> gradients;
    for (const Parameter &p : parameters)
      gradients.push_back(map.lookupOrDefault(p.gradient));
    gradNorm = globalNorm(b, loc, gradients);
    // As torch.nn.utils.clip_grad_norm_: a NaN or infinite norm reaches the parameters and is seen.
    Value scale = scalarConstant(b, loc, 1, f32);
    if (options.clipGradNorm > 0) {
      Value padded = b.create<AddOp>(loc, gradNorm, scalarConstant(b, loc, 1e-6, f32));
      Value ratio = b.create<DivOp>(loc, scalarConstant(b, loc, options.clipGradNorm, f32), padded);
      scale = b.create<MinimumOp>(loc, ratio, scale);
    }
    // key = (seed, steps done): the step counter needs no state of its own.
    Value done = b.create<SliceOp>(loc, step.getArgument(key), llvm::ArrayRef<int64_t>{1},
                                   llvm::ArrayRef<int64_t>{2}, llvm::ArrayRef<int64_t>{1});
    done = b.create<ReshapeOp>(loc, RankedTensorType::get({}, b.getI64Type()), done);
    Value number = b.create<AddOp>(loc, done, scalarConstant(b, loc, 1, b.getI64Type()));

    std::map<std::string, Value> newState;
    for (auto [p, gradient] : llvm::zip(parameters, gradients)) {
      Value parameter = map.lookup(Value(p.argument));
      Value rate = step.getArgument(lr);
      if (p.update.lrScale != 1)
        rate = b.create<MulOp>(loc, rate, scalarConstant(b, loc, p.update.lrScale, f32));
      OperationState state(gradient.getLoc(), p.update.op);
      state.addOperands({parameter, gradient});
      for (unsigned slot : p.slots)
        state.addOperands(step.getArgument(slot));
      size_t resultCount = 1 + p.slots.size();
      if (p.update.op == "raf.rmsprop" && p.slots.size() == 1) { // no momentum
        state.addOperands(splat(b, loc, 0, tensorType(parameter)));
        ++resultCount;
      }
      state.addOperands({rate, scale, number});
      state.addTypes(llvm::SmallVector<Type>(resultCount, parameter.getType()));
      state.addAttributes(p.update.attributes);
      Operation *update = b.create(state);
      newState[p.name] = update->getResult(0);
      for (auto [i, slot] : llvm::enumerate(p.slots))
        newState[argumentName(step, slot).str()] = update->getResult(i + 1);
    }
    return newState;
  }
};

} // namespace

std::unique_ptr<Pass> createOptimizerPass(const OptimizerOptions &options) {
  return std::make_unique<OptimizerPass>(options);
}

} // namespace raf
