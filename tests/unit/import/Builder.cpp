// The builder writes valid @forward functions and reports misuse with op and module path.
#include "compiler/import/builder/Builder.h"

#include "common/Error.h"

#include <gmock/gmock.h>

using namespace mlir;
using namespace raf;
using testing::HasSubstr;

namespace {

struct BuilderTest : testing::Test {
  MLIRContext context;
  build::Graph g{context};

  std::string finish() {
    std::string text;
    llvm::raw_string_ostream(text) << *g.finish();
    return text;
  }
};

TEST_F(BuilderTest, ScopesNameParametersAndLocations) {
  build::Tensor x = g.input("x", {2, 3});
  build::Graph::Scope outer(g, "h.0");
  g.output("y", build::linear(g, "fc", x, 5));
  std::string text = finish();
  EXPECT_THAT(text, HasSubstr("raf.name = \"h.0.fc.weight\""));
  EXPECT_THAT(text, HasSubstr("raf.name = \"h.0.fc.bias\", raf.no_decay"));
}

TEST_F(BuilderTest, ArithmeticBroadcastsAsNumPy) {
  build::Tensor sum = g.input("a", {4, 1, 3}) + g.input("b", {2, 1});
  EXPECT_THAT(sum.shape(), testing::ElementsAre(4, 2, 3));
}

TEST_F(BuilderTest, ShapesThatDoNotBroadcastAreRefused) {
  build::Tensor a = g.input("a", {4, 2}), b = g.input("b", {3});
  EXPECT_THROW(
      {
        try {
          a + b;
        } catch (const ShapeError &e) {
          EXPECT_THAT(e.what(), HasSubstr("(4, 2) and (3)"));
          throw;
        }
      },
      ShapeError);
}

TEST_F(BuilderTest, ErrorsNameOpAndModulePath) {
  build::Tensor a = g.input("a", {4, 2}), b = g.input("b", {3, 5});
  build::Graph::Scope scope(g, "head");
  try {
    build::matmul(a, b);
    FAIL() << "expected a ShapeError";
  } catch (const ShapeError &e) {
    EXPECT_THAT(e.what(), HasSubstr("head: 'raf.matmul' op (C2)"));
  }
}

TEST_F(BuilderTest, OneNameTwiceIsRefused) {
  g.input("a", {1});
  EXPECT_THROW(g.parameter("a", {1}, "zeros"), UsageError);
}

TEST_F(BuilderTest, TheKeyIsOneArgumentAndIdsAreDistinct) {
  build::Tensor x = g.input("x", {8});
  g.output("y", build::dropout(build::dropout(x, 0.5), 0.5));
  std::string text = finish();
  EXPECT_THAT(text, HasSubstr("id = 0"));
  EXPECT_THAT(text, HasSubstr("id = 1"));
  EXPECT_EQ(text.find("\"key\""), text.rfind("raf.kind = \"key\"") + 11);
}

TEST_F(BuilderTest, OptionalOperandsMayBeLeftOut) {
  build::Tensor x = g.input("x", {2, 3});
  auto results = g.emit<LayerNormOp>({x.value(), Value(), Value()},
                                     {g.attr("axes", int64_t(1)), g.attr("eps", 1e-5)});
  EXPECT_EQ(results.size(), 3u);
}

} // namespace
