#include "compiler/lower/to_loops/anchors/Attention.h"
#include "compiler/lower/to_loops/anchors/Places.h"

#include <bit>
#include <cmath>

using namespace mlir;

namespace raf::gen {

namespace {

namespace params = attention_params;
using Form = AttentionForm;

// Head sizes beyond this would not leave a block of them in the first-level cache.
constexpr int64_t kLargestHead = 512;

class Builder {
public:
  Builder(const Places &places, std::string &why) : places(places), why(why) {
    form.operand.fill(-1);
    plan.params.assign(params::Count, 0);
  }

  template <typename Op> std::optional<KernelPlan> build(Op op, unsigned lanes) {
    llvm::ArrayRef<int64_t> q = shapeOf(op.getQ()), k = shapeOf(op.getK());
    form.lanes = lanes;
    form.headSize = q[3];
    form.valueSize = shapeOf(op.getV())[3];
    form.causal = op.getCausal();
    form.alignedKeys = k[2] % 4 == 0;
    const int64_t blocks = (q[2] + kAttentionBlock - 1) / kAttentionBlock;
    set(params::Heads, q[1]);
    set(params::Group, k[1] == 0 ? 1 : q[1] / k[1]);
    set(params::Queries, q[2]);
    set(params::Keys, k[2]);
    set(params::Blocks, blocks);
    set(params::Scale, op.getScale().convertToDouble());
    if (double p = op.getDropout().convertToDouble(); p > 0) {
      form.dropout = true;
      set(params::KeepScale, 1 / (1 - p));
      // kept: (word >> 8) * 2^-24 >= p as float32 numbers
      set(params::Threshold,
          static_cast<int64_t>(std::ceil(static_cast<double>(static_cast<float>(p)) * 0x1p24)));
      set(params::RandomId, static_cast<int64_t>(op.getId()));
      keyOperand(op.getKey());
    }
    operand(Form::Q, op.getQ());
    operand(Form::K, op.getK());
    operand(Form::V, op.getV());
    if (Value mask = op.getMask())
      maskOperand(mask);
    if constexpr (std::is_same_v<Op, AttentionGradOp>) {
      form.gradient = true;
      operand(Form::Out, op.getOut());
      operand(Form::Grad, op.getGrad());
      operand(Form::Lse, op.getLogsumexp());
      result(Form::DQ, op.getDq());
      result(Form::DK, op.getDk());
      result(Form::DV, op.getDv());
      plan.work = q[0] * k[1];
    } else {
      result(Form::Out, op.getResult());
      result(Form::Lse, op.getLogsumexp());
      if (form.operand[Form::Out] < 0)
        refuse("attention: its result is not used");
      plan.work = q[0] * q[1] * blocks;
    }
    if (!fits)
      return std::nullopt;
    plan.scratchBytes = attentionScratchBytes(form);
    plan.structure = text();
    plan.emit = [form = form](KernelFunction &kernel) { emitAttention(kernel, form); };
    return std::move(plan);
  }

private:
  void set(int param, int64_t value) { plan.params[param] = value; }
  void set(int param, double value) { plan.params[param] = std::bit_cast<int64_t>(value); }
  void refuse(const llvm::Twine &reason) {
    if (why.empty())
      why = reason.str();
    fits = false;
  }

  void put(Form::Tensor t, const Place &place, llvm::ArrayRef<int64_t> shape) {
    form.operand[t] = place.operand;
    if (shape.size() == 4 && place.strides[3] != 1 && shape[3] > 1)
      refuse("attention: expected the elements of a head one after the other, but got stride " +
             llvm::Twine(place.strides[3]));
    for (int dim = 0; dim < 3; ++dim)
      set(params::stride(t, dim), place.strides[dim]);
    if (shape.size() == 3 && place.strides[2] != 1 && shape[2] > 1)
      refuse("attention: expected the logsumexp of queries one after the other");
  }
  void operand(Form::Tensor t, Value value) {
    if (std::optional<Place> place = places.operand(value))
      put(t, *place, shapeOf(value));
    else
      fits = false;
  }
  void result(Form::Tensor t, Value value) {
    std::optional<Place> place = places.result(value);
    if (!place)
      fits = false;
    else if (place->operand >= 0)
      put(t, *place, shapeOf(value));
  }
  void keyOperand(Value key) {
    std::optional<Place> place = places.operand(key);
    if (!place || place->strides[0] != 1)
      return refuse("attention: expected the key contiguous");
    form.operand[Form::Key] = place->operand;
  }
  void maskOperand(Value mask) {
    std::optional<Place> place = places.operand(mask);
    if (!place)
      return refuse("attention: the mask is no view of an input");
    llvm::ArrayRef<int64_t> shape = shapeOf(mask);
    form.operand[Form::MaskTensor] = place->operand;
    form.mask = elementType(mask).isInteger(1) ? Form::Mask::Bool : Form::Mask::Float;
    const int64_t missing = 4 - static_cast<int64_t>(shape.size());
    for (auto [i, extent] : llvm::enumerate(shape))
      set(params::MaskStrides + static_cast<int>(missing + i),
          extent == 1 ? int64_t(0) : place->strides[i]);
    form.maskPerQuery = plan.params[params::MaskStrides + 2] != 0;
  }

  std::string text() const {
    std::string out;
    llvm::raw_string_ostream os(out);
    os << (form.gradient ? "attention_grad" : "attention") << " d" << form.headSize << " v"
       << form.valueSize << " lanes" << form.lanes << " causal" << form.causal << " dropout"
       << form.dropout;
    if (form.dropout)
      os << " aligned" << form.alignedKeys;
    os << " mask" << static_cast<int>(form.mask) << form.maskPerQuery << " operands";
    for (int operand : form.operand)
      os << ' ' << operand;
    return out;
  }

  const Places &places;
  std::string &why;
  Form form;
  KernelPlan plan;
  bool fits = true;
};

} // namespace

bool hasAttentionNest(Operation *op) {
  auto fits = [](auto attention) {
    Value mask = attention.getMask();
    return elementType(attention.getQ()).isF32() && elementType(attention.getK()).isF32() &&
           elementType(attention.getV()).isF32() &&
           (!mask || elementType(mask).isInteger(1) || elementType(mask).isF32()) &&
           shapeOf(attention.getQ())[3] <= kLargestHead &&
           shapeOf(attention.getV())[3] <= kLargestHead;
  };
  if (auto attention = dyn_cast<AttentionOp>(op))
    return fits(attention);
  if (auto gradient = dyn_cast<AttentionGradOp>(op))
    return fits(gradient);
  return false;
}

std::optional<KernelPlan> planAttention(Operation *op, const PlanContext &context) {
  Places places(context, op);
  if (!places.check())
    return std::nullopt;
  Builder builder(places, context.why);
  if (auto gradient = dyn_cast<AttentionGradOp>(op))
    return builder.build(gradient, context.lanes);
  return builder.build(cast<AttentionOp>(op), context.lanes);
}

} // namespace raf::gen
