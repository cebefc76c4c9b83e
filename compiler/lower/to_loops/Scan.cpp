// Walks along one dimension in order: cumsum, argmax, argmin. Other dimensions are work items;
// where the walk is not along the innermost one, a vector of neighbours walks together.
#include "compiler/ir/Views.h"
#include "compiler/lower/to_loops/Lines.h"

#include "llvm/IR/Intrinsics.h"

#include <limits>

using namespace mlir;

namespace raf::gen {

namespace {

using Value = llvm::Value;

struct ScanPlan {
  Operation *op = nullptr;
  Type element, resultElement;
  StridesPlan x, result;         // the result's has no place for `dim` when that is reduced
  llvm::SmallVector<int> others; // extents of the other dimensions; of the innermost one: blocks
  int extent = 0, innermost = -1;
  int dim = 0;
  bool vectors = false, reverse = false;
  unsigned lanes = 0;
};

class ScanEmitter {
public:
  ScanEmitter(const ScanPlan &plan, KernelFunction &kernel)
      : p(plan), k(kernel), b(kernel.b), ir(kernel.ir), memory(b.memoryType(p.element)) {}

  void emit() {
    k.loop(k.begin, k.end, k.i64(1), [&](Value *item) {
      llvm::SmallVector<Value *> index = unravel(k, item, p.others);
      mask = nullptr;
      if (p.vectors) {
        index.back() = ir.CreateMul(index.back(), k.i64(p.lanes));
        mask = laneMask(k, ir.CreateSub(k.params[p.innermost], index.back()), p.lanes);
      }
      if (isa<CumSumOp>(p.op))
        emitSum(index);
      else
        emitExtreme(index);
    });
    k.finish();
  }

private:
  Value *load(Value *offset) {
    Value *address = ir.CreateGEP(memory, k.operands[0], offset);
    return b.fromMemory(p.vectors ? k.loadVector(memory, address, p.lanes, mask)
                                  : ir.CreateLoad(memory, address),
                        p.element);
  }
  void store(Value *v, Value *offset) {
    Value *address = ir.CreateGEP(b.memoryType(p.resultElement), k.operands[1], offset);
    v = b.toMemory(v, p.resultElement);
    if (p.vectors)
      k.storeVector(v, address, mask);
    else
      ir.CreateStore(v, address);
  }
  llvm::Type *widened(llvm::Type *type) {
    return p.vectors ? llvm::FixedVectorType::get(type, p.lanes) : type;
  }
  llvm::SmallVector<Value *> with(llvm::ArrayRef<Value *> index, Value *atDim) {
    llvm::SmallVector<Value *> all(index);
    all.insert(all.begin() + p.dim, atDim);
    return all;
  }

  void emitSum(llvm::ArrayRef<Value *> index) {
    Value *extent = k.params[p.extent];
    Value *zero = llvm::Constant::getNullValue(widened(b.computeType(p.element)));
    k.loop(k.i64(0), extent, k.i64(1), {zero}, [&](Value *i, llvm::ArrayRef<Value *> sum) {
      Value *at = p.reverse ? ir.CreateSub(ir.CreateSub(extent, k.i64(1)), i) : i;
      auto place = with(index, at);
      Value *x = load(offsetOf(k, p.x, place));
      // Kept in f32 for bf16 and f16.
      Value *next =
          x->getType()->isFPOrFPVectorTy() ? ir.CreateFAdd(sum[0], x) : ir.CreateAdd(sum[0], x);
      store(b.round(next, p.resultElement), offsetOf(k, p.result, place));
      return KernelFunction::Values{next};
    });
  }

  void emitExtreme(llvm::ArrayRef<Value *> index) {
    const bool isMax = isa<ArgMaxOp>(p.op);
    const bool isUnsigned = p.element.isUnsignedInteger();
    llvm::Type *type = widened(b.computeType(p.element));
    Value *worst;
    if (type->isFPOrFPVectorTy()) {
      const double infinity = std::numeric_limits<double>::infinity();
      worst = llvm::ConstantFP::get(type, isMax ? -infinity : infinity);
    } else {
      const unsigned bits = type->getScalarSizeInBits();
      using llvm::APInt;
      worst = llvm::ConstantInt::get(
          type, isMax ? (isUnsigned ? APInt::getMinValue(bits) : APInt::getSignedMinValue(bits))
                      : (isUnsigned ? APInt::getMaxValue(bits) : APInt::getSignedMaxValue(bits)));
    }
    Value *first = llvm::Constant::getNullValue(widened(ir.getInt64Ty()));
    auto best = k.loop(k.i64(0), k.params[p.extent], k.i64(1), {worst, first},
                       [&](Value *i, llvm::ArrayRef<Value *> now) {
                         Value *x = load(offsetOf(k, p.x, with(index, i)));
                         Value *better = isBetter(x, now[0], isMax, isUnsigned);
                         Value *place = p.vectors ? b.splat(i, p.lanes) : i;
                         return KernelFunction::Values{ir.CreateSelect(better, x, now[0]),
                                                       ir.CreateSelect(better, place, now[1])};
                       });
    store(best[1], offsetOf(k, p.result, index));
  }

  // The first of equals stays; the first NaN wins.
  Value *isBetter(Value *x, Value *best, bool isMax, bool isUnsigned) {
    if (x->getType()->isFPOrFPVectorTy()) {
      Value *better = isMax ? ir.CreateFCmpOGT(x, best) : ir.CreateFCmpOLT(x, best);
      Value *firstNan = ir.CreateAnd(b.isNan(x), ir.CreateNot(b.isNan(best)));
      return ir.CreateOr(better, firstNan);
    }
    if (isUnsigned)
      return isMax ? ir.CreateICmpUGT(x, best) : ir.CreateICmpULT(x, best);
    return isMax ? ir.CreateICmpSGT(x, best) : ir.CreateICmpSLT(x, best);
  }

  const ScanPlan &p;
  KernelFunction &k;
  BodyBuilder &b;
  llvm::IRBuilder<> &ir;
  llvm::Type *memory;
  Value *mask = nullptr;
};

} // namespace

std::optional<KernelPlan> planScan(Operation *op, const PlanContext &context) {
  KernelPlan plan;
  ScanPlan p;
  p.op = op;
  mlir::Value x = op->getOperand(0);
  p.element = elementType(x);
  p.resultElement = elementType(op->getResult(0));
  p.lanes = context.lanes;
  if (auto sum = dyn_cast<CumSumOp>(op)) {
    p.dim = sum.getDim();
    p.reverse = sum.getReverse();
  } else {
    p.dim = isa<ArgMaxOp>(op) ? cast<ArgMaxOp>(op).getDim() : cast<ArgMinOp>(op).getDim();
  }
  llvm::ArrayRef<int64_t> shape = shapeOf(x);
  const int last = static_cast<int>(shape.size()) - 1;
  p.vectors = p.dim != last && context.stridesOf(x).back() == 1;
  p.x = addStrides(plan, context.stridesOf(x));
  p.result = addStrides(plan, contiguousStrides(shapeOf(op->getResult(0))));
  p.extent = plan.param(shape[p.dim]);
  plan.work = 1;
  for (int i = 0; i <= last; ++i) {
    if (i == p.dim)
      continue;
    int64_t extent = shape[i];
    if (i == last && p.vectors) {
      p.innermost = plan.param(extent);
      extent = llvm::divideCeil(extent, p.lanes);
    }
    p.others.push_back(plan.param(extent));
    plan.work *= extent;
  }
  plan.grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, shape[p.dim]));
  llvm::raw_string_ostream(plan.structure)
      << op->getName() << " " << p.element << " dim " << p.dim << " rank " << shape.size()
      << (p.reverse ? " reverse" : "") << (p.vectors ? " vectors" : "");
  plan.emit = [p](KernelFunction &function) { ScanEmitter(p, function).emit(); };
  return plan;
}

} // namespace raf::gen
