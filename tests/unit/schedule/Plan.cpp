#include "compiler/schedule/Plan.h"

#include "compiler/lower/to_loops/Gen.h"
#include "compiler/schedule/Copies.h"
#include "compiler/schedule/Order.h"
#include "compiler/schedule/Place.h"
#include "compiler/schedule/Storage.h"
#include "compiler/schedule/VerifyPlan.h"

#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

#include <ctime>
#include <random>

using namespace mlir;
using namespace raf;
using namespace raf::schedule;

namespace {

/// A function of random kernels over vectors of a few lengths: states that are updated, in-place
/// chances, views, outputs.
class RandomStep {
public:
  RandomStep(MLIRContext &context, unsigned seed, int kernels, int states)
      : random(seed), b(&context), loc(b.getUnknownLoc()), module(ModuleOp::create(loc)) {
    llvm::SmallVector<Type> inputs(states + 2, vector(16)), outputs(states + 3, vector(16));
    b.setInsertionPointToEnd(module->getBody());
    func = b.create<func::FuncOp>(loc, "train_step", b.getFunctionType(inputs, outputs));
    b.setInsertionPointToEnd(func.addEntryBlock());
    for (int i = 0; i < states; ++i) {
      auto name = b.getStringAttr("s" + std::to_string(i));
      func.setArgAttr(i, raf::names::kName, name);
      func.setArgAttr(i, raf::names::kKind, b.getStringAttr(i % 2 ? "opt" : "param"));
      func.setResultAttr(i, raf::names::kUpdates, name);
    }
    values.assign(func.getArguments().begin(), func.getArguments().end());
    for (int i = 0; i < kernels; ++i)
      addKernel();
    llvm::SmallVector<Value> results;
    for (int i = 0; i < states + 3; ++i)
      results.push_back(
          values[values.size() - 1 - random() % std::min<size_t>(values.size(), 200)]);
    b.create<func::ReturnOp>(loc, results);
  }

  LogicalResult plan() {
    return success(succeeded(insertCopies(func)) && succeeded(scheduleKernels(func)) &&
                   succeeded(planModule(*module)) && succeeded(mlir::verify(*module)));
  }

  std::mt19937 random;
  OpBuilder b;
  Location loc;
  OwningOpRef<ModuleOp> module;
  func::FuncOp func;

private:
  Type vector(int64_t n) { return RankedTensorType::get({n}, b.getF32Type()); }

  Value pick() {
    // Mostly what is near, so that values die.
    size_t back = random() % 4 ? random() % 12 : random();
    return values[values.size() - 1 - back % values.size()];
  }

  void addKernel() {
    Value x = pick(), y = pick();
    if (random() % 5 == 0)
      x = b.create<SliceOp>(loc,
                            b.create<BroadcastOp>(loc, matrix(2), x, b.getDenseI64ArrayAttr({1})),
                            b.getDenseI64ArrayAttr({1, 0}), b.getDenseI64ArrayAttr({2, 16}),
                            b.getDenseI64ArrayAttr({1, 1}));
    if (rankOf(x) == 2)
      x = b.create<ReshapeOp>(loc, vector(16), x);
    llvm::SmallVector<Type> results(1 + random() % 2, vector(16));
    auto kernel = b.create<gen::KernelOp>(loc, results, ValueRange{x, y});
    OpBuilder::InsertionGuard guard(b);
    Block *body = b.createBlock(&kernel.getBody(), {}, {x.getType(), y.getType()}, {loc, loc});
    Value sum = b.create<AddOp>(loc, body->getArgument(0), body->getArgument(1));
    llvm::SmallVector<Value> yields(results.size(), sum);
    b.create<gen::YieldOp>(loc, yields);
    llvm::append_range(values, kernel.getResults());
  }
  Type matrix(int64_t rows) { return RankedTensorType::get({rows, 16}, b.getF32Type()); }

  std::vector<Value> values;
};

struct Plans : testing::Test {
  Plans() { context.loadDialect<RafDialect, gen::GenDialect, func::FuncDialect>(); }
  MLIRContext context;
};

TEST_F(Plans, OfRandomStepsPassTheVerifier) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    RandomStep step(context, seed, 1 + static_cast<int>(seed), static_cast<int>(seed % 7));
    ASSERT_TRUE(succeeded(step.plan())) << "seed " << seed;
    EXPECT_TRUE(succeeded(verifyPlan(*step.module))) << "seed " << seed;
  }
}

// Puts one result where another lies that is still to be read: the verifier must see every such
// pair.
TEST_F(Plans, WithTwoLiveValuesInOnePlaceAreRefused) {
  int broken = 0;
  for (unsigned seed = 0; seed < 30; ++seed) {
    RandomStep step(context, seed, 40, 3);
    ASSERT_TRUE(succeeded(step.plan()));
    llvm::SmallVector<gen::KernelOp> kernels(step.func.getOps<gen::KernelOp>());
    for (size_t i = 0; i + 1 < kernels.size(); ++i) {
      gen::KernelOp first = kernels[i], second = kernels[i + 1];
      auto places = first->getAttrOfType<ArrayAttr>(schedule::names::kPlaces);
      auto before = second->getAttrOfType<ArrayAttr>(schedule::names::kPlaces);
      // Read by a later kernel than the one that is to overwrite it.
      bool needed = llvm::any_of(first.getResult(0).getUsers(), [&](Operation *user) {
        return isKernel(user) && second->isBeforeInBlock(user);
      });
      if (!needed || before.size() != 1 || before[0] == places[0])
        continue;
      second->setAttr(schedule::names::kPlaces, step.b.getArrayAttr({places[0]}));
      ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
      EXPECT_TRUE(failed(verifyPlan(*step.module))) << "seed " << seed << " kernel " << i;
      second->setAttr(schedule::names::kPlaces, before);
      ++broken;
    }
  }
  EXPECT_GT(broken, 50);
}

TEST_F(Plans, AreTheSameEachTime) {
  auto text = [&] {
    RandomStep step(context, 11, 200, 9);
    EXPECT_TRUE(succeeded(step.plan()));
    std::string out;
    llvm::raw_string_ostream(out) << *step.module;
    return out;
  };
  EXPECT_EQ(text(), text());
}

// The size of a step of a 12-layer GPT-2 with its states: well below half a second of processor
// time.
TEST_F(Plans, OfAThousandKernelsAreMadeQuickly) {
  RandomStep step(context, 3, 1000, 450);
  std::clock_t start = std::clock();
  ASSERT_TRUE(succeeded(step.plan()));
  ASSERT_TRUE(succeeded(verifyPlan(*step.module)));
  double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  RecordProperty("seconds", std::to_string(seconds));
  EXPECT_LT(seconds, 0.5);
}

} // namespace
