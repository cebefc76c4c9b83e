#include "compiler/lower/to_loops/Gen.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#include "compiler/lower/to_loops/GenDialect.cpp.inc"
#define GET_OP_CLASSES
#include "compiler/lower/to_loops/GenOps.cpp.inc"

namespace raf::gen {

void GenDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "compiler/lower/to_loops/GenOps.cpp.inc"
      >();
}

// gen.kernel (%a = %x : tensor<4xf32>, ...) -> (tensor<4xf32>) { ... }
void KernelOp::print(OpAsmPrinter &p) {
  p << " (";
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getInputs()), p, [&](auto pair) {
    auto [argument, input] = pair;
    p << argument << " = " << input << " : " << input.getType();
  });
  p << ") -> (";
  llvm::interleaveComma(getResultTypes(), p);
  p << ") ";
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  p.printOptionalAttrDict((*this)->getAttrs());
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  llvm::SmallVector<OpAsmParser::Argument> arguments;
  llvm::SmallVector<OpAsmParser::UnresolvedOperand> inputs;
  auto parseInput = [&]() -> ParseResult {
    if (parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
        parser.parseOperand(inputs.emplace_back()) || parser.parseColonType(arguments.back().type))
      return failure();
    return success();
  };
  auto parseResult = [&]() { return parser.parseType(result.types.emplace_back()); };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseInput) ||
      parser.parseArrow() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseResult))
    return failure();
  for (auto [input, argument] : llvm::zip(inputs, arguments))
    if (parser.resolveOperand(input, argument.type, result.operands))
      return failure();
  return failure(parser.parseRegion(*result.addRegion(), arguments) ||
                 parser.parseOptionalAttrDict(result.attributes));
}

LogicalResult KernelOp::verify() {
  if (getBody().getArgumentTypes() != getInputs().getTypes())
    return emitOpError("(C1) expected block arguments of the inputs' types");
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield || yield.getValues().getTypes() != getResultTypes())
    return emitOpError("(C2) expected gen.yield of the results' types");
  return success();
}

std::string KernelOp::getLabel() {
  // Op names in order, each once: "sub+exp+reduce_sum".
  std::string label;
  llvm::SmallVector<llvm::StringRef> seen;
  for (Operation &op : getBody().front()) {
    llvm::StringRef name = op.getName().stripDialect();
    if (isa<YieldOp, raf::ConstantOp, raf::BroadcastOp, raf::ReshapeOp, raf::TransposeOp>(op) ||
        llvm::is_contained(seen, name))
      continue;
    seen.push_back(name);
    label += (label.empty() ? "" : "+") + name.str();
  }
  return label.empty() ? "copy" : label;
}

double KernelOp::getFlops() {
  double flops = 0;
  for (Operation &op : getBody().front())
    if (auto cost = dyn_cast<CostOpInterface>(op))
      flops += cost.getFlops();
  return flops;
}

} // namespace raf::gen
