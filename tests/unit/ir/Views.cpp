#include "compiler/ir/Views.h"

#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>

using namespace mlir;
using testing::ElementsAre;

namespace {

std::vector<int64_t> strides(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> strides,
                             llvm::ArrayRef<int64_t> to) {
  auto result = raf::reshapedStrides(from, strides, to);
  return result ? std::vector<int64_t>(result->begin(), result->end()) : std::vector<int64_t>{-1};
}

TEST(Views, ReshapeSplitsAndMergesWhatOneStrideWalks) {
  EXPECT_THAT(strides({4, 6}, {6, 1}, {24}), ElementsAre(1));
  EXPECT_THAT(strides({4, 6}, {6, 1}, {2, 3, 4}), ElementsAre(12, 4, 1));
  // The heads of the query part of a fused projection: (B, T, D) of rows 3 D apart as (B, T, H, D /
  // H).
  EXPECT_THAT(strides({2, 5, 8}, {120, 24, 1}, {2, 5, 2, 4}), ElementsAre(120, 24, 4, 1));
  EXPECT_THAT(strides({2, 5, 8}, {120, 24, 1}, {10, 8}), ElementsAre(24, 1));
  EXPECT_THAT(strides({3, 1, 5}, {5, 7, 1}, {1, 15, 1}), ElementsAre(testing::_, 1, testing::_));
  EXPECT_THAT(strides({}, {}, {1, 1}).size(), 2u);
}

TEST(Views, ReshapeOfGapsOrTransposesNeedsACopy) {
  EXPECT_THAT(strides({4, 6}, {12, 1}, {24}), ElementsAre(-1));
  EXPECT_THAT(strides({6, 4}, {1, 6}, {24}), ElementsAre(-1));
  EXPECT_THAT(strides({2, 3, 4}, {12, 1, 3}, {2, 2, 6}), ElementsAre(-1));
}

TEST(Views, BroadcastDimensionsReshapeTogether) {
  EXPECT_THAT(strides({4, 6}, {0, 0}, {24}), ElementsAre(0));
  EXPECT_THAT(strides({4, 6}, {0, 1}, {2, 2, 6}), ElementsAre(0, 0, 1));
  EXPECT_THAT(strides({4, 6}, {0, 1}, {24}), ElementsAre(-1));
}

class ViewLayouts : public testing::Test {
protected:
  void parse(llvm::StringRef body) {
    context.loadDialect<raf::RafDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(body, &context);
    ASSERT_TRUE(module);
    function = *module->getOps<func::FuncOp>().begin();
    returned = function.getBody().front().getTerminator()->getOperand(0);
  }
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  Value returned;
};

TEST_F(ViewLayouts, AChainOfViewsEndsAtItsBase) {
  parse(R"(func.func @f(%x: tensor<2x5x24xf32>) -> tensor<2x2x5x4xf32> {
    %0 = raf.slice %x {starts = array<i64: 0, 0, 8>, limits = array<i64: 2, 5, 16>, strides = array<i64: 1, 1, 1>} : (tensor<2x5x24xf32>) -> tensor<2x5x8xf32>
    %1 = raf.reshape %0 : tensor<2x5x8xf32> -> tensor<2x5x2x4xf32>
    %2 = raf.transpose %1 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x5x2x4xf32>) -> tensor<2x2x5x4xf32>
    return %2 : tensor<2x2x5x4xf32>
  })");
  raf::ViewLayout layout = raf::viewLayout(returned);
  EXPECT_EQ(layout.base, function.getArgument(0));
  EXPECT_EQ(layout.offset, 8);
  EXPECT_THAT(layout.strides, ElementsAre(120, 4, 24, 1));
  EXPECT_FALSE(layout.isContiguous({2, 2, 5, 4}));
  EXPECT_TRUE(raf::isView(returned.getDefiningOp()));
}

TEST_F(ViewLayouts, AReshapeThatMovesElementsIsItsOwnBase) {
  parse(R"(func.func @f(%x: tensor<4x6xf32>) -> tensor<3x8xf32> {
    %0 = raf.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
    %1 = raf.reshape %0 : tensor<6x4xf32> -> tensor<24xf32>
    %2 = raf.reshape %1 : tensor<24xf32> -> tensor<3x8xf32>
    return %2 : tensor<3x8xf32>
  })");
  Operation *copy = returned.getDefiningOp()->getOperand(0).getDefiningOp();
  raf::ViewLayout layout = raf::viewLayout(returned);
  EXPECT_EQ(layout.base, copy->getResult(0));
  EXPECT_THAT(layout.strides, ElementsAre(8, 1));
  EXPECT_FALSE(raf::isView(copy));
  EXPECT_TRUE(raf::isView(returned.getDefiningOp()));
}

TEST_F(ViewLayouts, BroadcastRepeatsWithStrideZero) {
  parse(R"(func.func @f(%x: tensor<3x1xf32>) -> tensor<2x3x5xf32> {
    %0 = raf.broadcast %x dims [1, 2] : tensor<3x1xf32> -> tensor<2x3x5xf32>
    return %0 : tensor<2x3x5xf32>
  })");
  EXPECT_THAT(raf::viewLayout(returned).strides, ElementsAre(0, 1, 0));
}

} // namespace
