#include "compiler/reference/Models.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace raf::reference {
namespace {

/// Integer arithmetic wraps; unsigned, so that it is defined.
int64_t wrapping(uint64_t x) { return static_cast<int64_t>(x); }

constexpr auto noInts = nullptr;

/// An op given by what it makes of one float and of one integer.
template <typename Op, auto onFloats, auto onInts = noInts> void unary(MLIRContext &context) {
  attach<Op, [](Op, Operands operands, Results results) {
    const HostTensor &x = operands[0];
    for (int64_t i = 0; i < x.size(); ++i) {
      if (x.isFloat())
        results[0].setFloat(i, onFloats(x.floats()[i]));
      else if constexpr (!std::is_null_pointer_v<decltype(onInts)>)
        results[0].setInt(i, onInts(x.ints()[i]));
    }
    return success();
  }>(context);
}

template <typename Op, auto onFloats, auto onInts = noInts> void binary(MLIRContext &context) {
  attach<Op, [](Op, Operands operands, Results results) {
    const HostTensor &x = operands[0], &y = operands[1];
    for (int64_t i = 0; i < x.size(); ++i) {
      if (x.isFloat())
        results[0].setFloat(i, onFloats(x.floats()[i], y.floats()[i]));
      else if constexpr (!std::is_null_pointer_v<decltype(onInts)>)
        results[0].setInt(i, onInts(x.ints()[i], y.ints()[i]));
    }
    return success();
  }>(context);
}

/// As `binary`, where an integer divisor of 0 is an error.
template <typename Op, auto onFloats, auto onInts> void division(MLIRContext &context) {
  attach<Op, [](Op op, Operands operands, Results results) -> LogicalResult {
    const HostTensor &x = operands[0], &y = operands[1];
    for (int64_t i = 0; i < x.size(); ++i) {
      if (x.isFloat()) {
        results[0].setFloat(i, onFloats(x.floats()[i], y.floats()[i]));
        continue;
      }
      int64_t divisor = y.ints()[i];
      if (divisor == 0)
        return op.emitOpError("expected a divisor other than 0");
      // The one quotient that overflows.
      results[0].setInt(
          i, divisor == -1 ? onInts(wrapping(0 - static_cast<uint64_t>(x.ints()[i])), int64_t{1})
                           : onInts(x.ints()[i], divisor));
    }
    return success();
  }>(context);
}

double floorRemainder(double x, double y) {
  double r = std::fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

int64_t floorRemainder(int64_t x, int64_t y) {
  int64_t r = x % y;
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

template <typename T> bool holds(CompareKind kind, T x, T y) {
  switch (kind) {
  case CompareKind::eq:
    return x == y;
  case CompareKind::ne:
    return x != y;
  case CompareKind::lt:
    return x < y;
  case CompareKind::le:
    return x <= y;
  case CompareKind::gt:
    return x > y;
  case CompareKind::ge:
    return x >= y;
  }
  llvm_unreachable("no such comparison");
}

LogicalResult compare(CompareOp op, Operands operands, Results results) {
  const HostTensor &x = operands[0], &y = operands[1];
  for (int64_t i = 0; i < x.size(); ++i)
    results[0].setInt(i, x.isFloat() ? holds(op.getKind(), x.floats()[i], y.floats()[i])
                                     : holds(op.getKind(), x.ints()[i], y.ints()[i]));
  return success();
}

template <typename Op, auto test> void predicate(MLIRContext &context) {
  attach<Op, [](Op, Operands operands, Results results) {
    for (int64_t i = 0; i < operands[0].size(); ++i)
      results[0].setInt(i, test(operands[0].floats()[i]));
    return success();
  }>(context);
}

LogicalResult select(SelectOp, Operands operands, Results results) {
  for (int64_t i = 0; i < operands[0].size(); ++i)
    results[0].copy(i, operands[0].ints()[i] ? operands[1] : operands[2], i);
  return success();
}

/// Truncates toward zero; what does not fit saturates and NaN gives 0.
int64_t truncate(double x, DType dtype) {
  if (std::isnan(x))
    return 0;
  double low = 0, high = 255;
  if (dtype != DType::U8) {
    high = std::ldexp(1.0, static_cast<int>(8 * sizeOf(dtype)) - 1) - 1;
    low = -std::ldexp(1.0, static_cast<int>(8 * sizeOf(dtype)) - 1);
  }
  // 2^63 - 1 is no double: its rounding up would not convert back.
  if (x >= high)
    return dtype == DType::I64 ? std::numeric_limits<int64_t>::max() : static_cast<int64_t>(high);
  return x <= low ? static_cast<int64_t>(low) : static_cast<int64_t>(x);
}

LogicalResult cast(CastOp op, Operands operands, Results results) {
  const HostTensor &x = operands[0];
  HostTensor &to = results[0];
  for (int64_t i = 0; i < x.size(); ++i) {
    if (to.isFloat())
      to.setFloat(i, x.isFloat() ? x.floats()[i] : static_cast<double>(x.ints()[i]));
    else if (to.dtype() == DType::I1)
      to.setInt(i, x.isFloat() ? x.floats()[i] != 0 : x.ints()[i] != 0);
    else
      to.setInt(i, x.isFloat() ? truncate(x.floats()[i], to.dtype()) : x.ints()[i]);
  }
  return success();
}

void attachUnary(MLIRContext &c) {
  unary<NegOp, [](double x) { return -x; },
        [](int64_t x) { return wrapping(0 - static_cast<uint64_t>(x)); }>(c);
  unary<AbsOp, [](double x) { return std::fabs(x); },
        [](int64_t x) { return x < 0 ? wrapping(0 - static_cast<uint64_t>(x)) : x; }>(c);
  unary<SignOp, [](double x) { return std::isnan(x) ? x : double((x > 0) - (x < 0)); },
        [](int64_t x) { return int64_t((x > 0) - (x < 0)); }>(c);
  unary<ReluOp, [](double x) { return x > 0 || std::isnan(x) ? x : 0.0; },
        [](int64_t x) { return x > 0 ? x : 0; }>(c);
  unary<ExpOp, [](double x) { return std::exp(x); }>(c);
  unary<Expm1Op, [](double x) { return std::expm1(x); }>(c);
  unary<LogOp, [](double x) { return std::log(x); }>(c);
  unary<Log1pOp, [](double x) { return std::log1p(x); }>(c);
  unary<SqrtOp, [](double x) { return std::sqrt(x); }>(c);
  unary<RsqrtOp, [](double x) { return 1 / std::sqrt(x); }>(c);
  unary<ReciprocalOp, [](double x) { return 1 / x; }>(c);
  unary<SinOp, [](double x) { return std::sin(x); }>(c);
  unary<CosOp, [](double x) { return std::cos(x); }>(c);
  unary<TanOp, [](double x) { return std::tan(x); }>(c);
  unary<TanhOp, [](double x) { return std::tanh(x); }>(c);
  unary<ErfOp, [](double x) { return std::erf(x); }>(c);
  unary<SigmoidOp, [](double x) { return 1 / (1 + std::exp(-x)); }>(c);
  unary<FloorOp, [](double x) { return std::floor(x); }>(c);
  unary<CeilOp, [](double x) { return std::ceil(x); }>(c);
  unary<RoundOp, [](double x) { return std::nearbyint(x); }>(c);
  unary<TruncOp, [](double x) { return std::trunc(x); }>(c);
  unary<NotOp, [](double x) { return x; }, [](int64_t x) { return ~x; }>(c);
}

void attachBinary(MLIRContext &c) {
  binary<AddOp, [](double x, double y) { return x + y; },
         [](uint64_t x, uint64_t y) { return wrapping(x + y); }>(c);
  binary<SubOp, [](double x, double y) { return x - y; },
         [](uint64_t x, uint64_t y) { return wrapping(x - y); }>(c);
  binary<MulOp, [](double x, double y) { return x * y; },
         [](uint64_t x, uint64_t y) { return wrapping(x * y); }>(c);
  division<DivOp, [](double x, double y) { return x / y; },
           [](int64_t x, int64_t y) { return x / y; }>(c);
  division<RemainderOp, [](double x, double y) { return floorRemainder(x, y); },
           [](int64_t x, int64_t y) { return floorRemainder(x, y); }>(c);
  binary<MaximumOp, [](double x, double y) { return std::isnan(x) || x > y ? x : y; },
         [](int64_t x, int64_t y) { return x > y ? x : y; }>(c);
  binary<MinimumOp, [](double x, double y) { return std::isnan(x) || x < y ? x : y; },
         [](int64_t x, int64_t y) { return x < y ? x : y; }>(c);
  binary<PowOp, [](double x, double y) { return std::pow(x, y); }>(c);
  binary<Atan2Op, [](double x, double y) { return std::atan2(x, y); }>(c);
  binary<AndOp, [](double x, double) { return x; }, [](int64_t x, int64_t y) { return x & y; }>(c);
  binary<OrOp, [](double x, double) { return x; }, [](int64_t x, int64_t y) { return x | y; }>(c);
  binary<XorOp, [](double x, double) { return x; }, [](int64_t x, int64_t y) { return x ^ y; }>(c);
}

} // namespace

void attachElementwise(MLIRContext &c) {
  attachUnary(c);
  attachBinary(c);
  attach<CompareOp, compare>(c);
  predicate<IsNanOp, [](double x) { return std::isnan(x); }>(c);
  predicate<IsFiniteOp, [](double x) { return std::isfinite(x); }>(c);
  attach<SelectOp, select>(c);
  attach<CastOp, cast>(c);
}

} // namespace raf::reference
