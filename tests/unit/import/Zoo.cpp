// The zoo builds valid forward models of the published sizes and says what is wrong with a spec.
#include "compiler/import/zoo/Zoo.h"

#include "common/Error.h"
#include "compiler/ir/Raf.h"

#include "mlir/IR/MLIRContext.h"

#include "llvm/ADT/StringSet.h"

#include <gmock/gmock.h>

using namespace mlir;
using namespace raf;

namespace {

struct Census {
  int64_t parameters = 0, tensors = 0;
  llvm::StringSet<> names;
};

Census census(ModuleOp module) {
  Census c;
  auto forward = module.lookupSymbol<func::FuncOp>("forward");
  for (unsigned i = 0; i < forward.getNumArguments(); ++i)
    if (forward.getArgAttrOfType<StringAttr>(i, names::kKind).getValue() == "param") {
      c.parameters += cast<RankedTensorType>(forward.getArgument(i).getType()).getNumElements();
      ++c.tensors;
      c.names.insert(forward.getArgAttrOfType<StringAttr>(i, names::kName).getValue());
    }
  return c;
}

std::string messageOf(const std::string &spec, const std::map<std::string, int64_t> &sizes = {}) {
  MLIRContext context;
  try {
    zoo::build(context, spec, sizes);
  } catch (const UsageError &error) {
    return error.what();
  }
  return "no error";
}

// Parameter counts as published: GPT-2 124,439,808; ViT-B/16 86,567,656; BERT base with its tied
// masked-language-model head 109,514,298 (its checkpoint without the pooler, which the head does
// not use).
TEST(Zoo, ModelsHaveThePublishedNumberOfParameters) {
  MLIRContext context;
  EXPECT_EQ(census(*zoo::build(context, "gpt2", {})).parameters, 124439808);
  EXPECT_EQ(census(*zoo::build(context, "vit-b-16", {})).parameters, 86567656);
  EXPECT_EQ(census(*zoo::build(context, "bert-base:context=512", {})).parameters, 109514298);
}

TEST(Zoo, EveryListedModelBuildsWithItsDefaults) {
  for (const auto &[name, description] : zoo::list()) {
    MLIRContext context;
    SCOPED_TRACE(name);
    EXPECT_TRUE(zoo::has(name));
    EXPECT_TRUE(zoo::build(context, name, {}));
  }
}

TEST(Zoo, ParametersAreNamedByTheirModules) {
  MLIRContext context;
  Census c = census(*zoo::build(context, "gpt2:layers=2,width=8,heads=2,context=4,vocab=7", {}));
  EXPECT_TRUE(c.names.contains("h.1.attn.c_attn.weight"));
  EXPECT_TRUE(c.names.contains("ln_f.bias"));
  EXPECT_EQ(c.tensors, 2 + 2 * 12 + 2);
  c = census(*zoo::build(context, "vit-b-16:layers=1,width=8,heads=2,hidden=8,classes=3", {}));
  EXPECT_TRUE(c.names.contains("encoder.layers.encoder_layer_0.mlp.3.weight"));
  EXPECT_TRUE(c.names.contains("encoder.ln.weight"));
  EXPECT_TRUE(c.names.contains("heads.head.weight")); // beside the encoder, not in it
}

TEST(Zoo, SizesOverrideKeys) {
  MLIRContext context;
  auto module = zoo::build(context, "mlp:batch=3,width=4", {{"batch", 5}});
  auto forward = module->lookupSymbol<func::FuncOp>("forward");
  EXPECT_EQ(shapeOf(forward.getArgument(0))[0], 5);
}

TEST(Zoo, SameSpecGivesTheSameText) {
  std::string texts[2];
  for (std::string &text : texts) {
    MLIRContext context;
    llvm::raw_string_ostream(text)
        << *zoo::build(context, "llama:layers=2,width=16,heads=4,vocab=9", {});
  }
  EXPECT_EQ(texts[0], texts[1]);
}

TEST(Zoo, NoDropoutMeansNoKey) {
  MLIRContext context;
  auto module =
      zoo::build(context, "gpt2:layers=1,width=8,heads=2,context=4,vocab=7,dropout=0", {});
  auto forward = module->lookupSymbol<func::FuncOp>("forward");
  for (unsigned i = 0; i < forward.getNumArguments(); ++i)
    EXPECT_NE(forward.getArgAttrOfType<StringAttr>(i, names::kKind).getValue(), "key");
}

TEST(Zoo, WrongSpecsAreNamed) {
  using testing::HasSubstr;
  EXPECT_THAT(messageOf("gpt3"), HasSubstr("no model 'gpt3'; the zoo has gpt2"));
  EXPECT_THAT(messageOf("gpt2:depth=3"),
              HasSubstr("unknown key 'depth'; the keys are layers, width"));
  EXPECT_THAT(messageOf("gpt2:layers"), HasSubstr("expected key=value, but got 'layers'"));
  EXPECT_THAT(messageOf("gpt2:layers=2,layers=3"), HasSubstr("given twice"));
  EXPECT_THAT(messageOf("gpt2:layers=0"), HasSubstr("whole number from 1"));
  EXPECT_THAT(messageOf("gpt2:layers=99999999999999999999"), HasSubstr("whole number from 1"));
  EXPECT_THAT(messageOf("gpt2:dropout=nan"), HasSubstr("a number in [0, 1)"));
  EXPECT_THAT(messageOf("gpt2:width=10,heads=3"), HasSubstr("multiple of heads, but got 10 and 3"));
  EXPECT_THAT(messageOf("gpt2:gelu=none"), HasSubstr("one of tanh, erf"));
  EXPECT_THAT(messageOf("vit-b-16", {{"context", 3}}), HasSubstr("unknown key 'context'"));
}

} // namespace
