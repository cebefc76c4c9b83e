#include "compiler/reference/Models.h"
#include "compiler/reference/Sort.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace mlir;

namespace raf::reference {
namespace {

/// Element of the result that each element of x goes into: `visit(element of x, element of the
/// result)`.
void forEachReduced(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> dims,
                    llvm::function_ref<void(int64_t, int64_t)> visit) {
  llvm::SmallVector<int64_t> strides(shape.size(), 0);
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;)
    if (!llvm::is_contained(dims, static_cast<int64_t>(i))) {
      strides[i] = stride;
      stride *= shape[i];
    }
  forEach(shape, 0, strides, visit);
}

int64_t lowestOf(DType dtype) {
  if (dtype == DType::I1 || dtype == DType::U8)
    return 0;
  return std::numeric_limits<int64_t>::min() >> (64 - 8 * sizeOf(dtype));
}

int64_t highestOf(DType dtype) {
  if (dtype == DType::I1)
    return 1;
  return dtype == DType::U8 ? 255 : ~lowestOf(dtype);
}

/// Combines in double or int64 and rounds once.
template <typename Op, typename FloatFn, typename IntFn>
LogicalResult reduce(Op op, Operands operands, Results results, double emptyFloat, int64_t emptyInt,
                     FloatFn onFloats, IntFn onInts) {
  const HostTensor &x = operands[0];
  HostTensor &to = results[0];
  std::vector<double> floats(x.isFloat() ? to.size() : 0, emptyFloat);
  std::vector<int64_t> ints(x.isFloat() ? 0 : to.size(), emptyInt);
  forEachReduced(x.shape(), op.getDims(), [&](int64_t from, int64_t into) {
    if (x.isFloat())
      floats[into] = onFloats(floats[into], x.floats()[from]);
    else
      ints[into] = onInts(ints[into], x.ints()[from]);
  });
  for (int64_t i = 0; i < to.size(); ++i)
    if (x.isFloat())
      to.setFloat(i, floats[i]);
    else
      to.setInt(i, ints[i]);
  return success();
}

LogicalResult reduceSum(ReduceSumOp op, Operands operands, Results results) {
  return reduce(
      op, operands, results, 0, 0, [](double a, double b) { return a + b; },
      [](uint64_t a, uint64_t b) { return static_cast<int64_t>(a + b); });
}

LogicalResult reduceProd(ReduceProdOp op, Operands operands, Results results) {
  return reduce(
      op, operands, results, 1, 1, [](double a, double b) { return a * b; },
      [](uint64_t a, uint64_t b) { return static_cast<int64_t>(a * b); });
}

LogicalResult reduceMax(ReduceMaxOp op, Operands operands, Results results) {
  return reduce(
      op, operands, results, -std::numeric_limits<double>::infinity(),
      lowestOf(operands[0].dtype()),
      [](double a, double b) { return std::isnan(a) || a > b ? a : b; },
      [](int64_t a, int64_t b) { return a > b ? a : b; });
}

LogicalResult reduceMin(ReduceMinOp op, Operands operands, Results results) {
  return reduce(
      op, operands, results, std::numeric_limits<double>::infinity(),
      highestOf(operands[0].dtype()),
      [](double a, double b) { return std::isnan(a) || a < b ? a : b; },
      [](int64_t a, int64_t b) { return a < b ? a : b; });
}

LogicalResult reduceAny(ReduceAnyOp op, Operands operands, Results results) {
  return reduce(
      op, operands, results, 0, 0, [](double a, double) { return a; },
      [](int64_t a, int64_t b) { return a | b; });
}

LogicalResult reduceAll(ReduceAllOp op, Operands operands, Results results) {
  return reduce(
      op, operands, results, 0, 1, [](double a, double) { return a; },
      [](int64_t a, int64_t b) { return a & b; });
}

/// `better(a, b)`: whether a goes before b. The first of equals wins, and the first NaN before all.
template <typename Op, auto better>
LogicalResult argReduce(Op op, Operands operands, Results results) {
  const HostTensor &x = operands[0];
  Lines lines(x.shape(), op.getDim());
  for (int64_t o = 0; o < lines.outer; ++o)
    for (int64_t i = 0; i < lines.inner; ++i) {
      int64_t best = 0;
      for (int64_t k = 1; k < lines.extent; ++k) {
        int64_t at = lines.at(o, k, i), top = lines.at(o, best, i);
        if (x.isFloat() ? !std::isnan(x.floats()[top]) && (std::isnan(x.floats()[at]) ||
                                                           better(x.floats()[at], x.floats()[top]))
                        : better(x.ints()[at], x.ints()[top]))
          best = k;
      }
      results[0].setInt(o * lines.inner + i, best);
    }
  return success();
}

LogicalResult cumSum(CumSumOp op, Operands operands, Results results) {
  const HostTensor &x = operands[0];
  Lines lines(x.shape(), op.getDim());
  for (int64_t o = 0; o < lines.outer; ++o)
    for (int64_t i = 0; i < lines.inner; ++i) {
      double sum = 0;
      uint64_t intSum = 0;
      for (int64_t k = 0; k < lines.extent; ++k) {
        int64_t at = lines.at(o, op.getReverse() ? lines.extent - 1 - k : k, i);
        if (x.isFloat())
          results[0].setFloat(at, sum += x.floats()[at]);
        else
          results[0].setInt(at,
                            static_cast<int64_t>(intSum += static_cast<uint64_t>(x.ints()[at])));
      }
    }
  return success();
}

LogicalResult sort(SortOp op, Operands operands, Results results) {
  sortLines(operands[0], op.getDim(), op.getDescending(), results);
  return success();
}

LogicalResult topK(TopKOp op, Operands operands, Results results) {
  sortLines(operands[0], op.getDim(), true, results);
  return success();
}

} // namespace

void sortLines(const HostTensor &x, int64_t dim, bool descending, Results results) {
  auto less = [&](int64_t a, int64_t b) {
    if (!x.isFloat())
      return x.ints()[a] < x.ints()[b];
    double p = x.floats()[a], q = x.floats()[b];
    return std::isnan(p) ? false : std::isnan(q) || p < q;
  };
  Lines from(x.shape(), dim), to(results[0].shape(), dim);
  for (int64_t o = 0; o < from.outer; ++o)
    for (int64_t i = 0; i < from.inner; ++i) {
      std::vector<int64_t> order(from.extent);
      std::iota(order.begin(), order.end(), int64_t{0});
      llvm::sort(order, [&](int64_t a, int64_t b) {
        int64_t p = from.at(o, a, i), q = from.at(o, b, i);
        if (less(p, q) || less(q, p))
          return descending ? less(q, p) : less(p, q);
        return a < b; // stable
      });
      for (int64_t k = 0; k < to.extent; ++k) {
        results[0].copy(to.at(o, k, i), x, from.at(o, order[k], i));
        results[1].setInt(to.at(o, k, i), order[k]);
      }
    }
}

void attachReduce(MLIRContext &c) {
  attach<ReduceSumOp, reduceSum>(c);
  attach<ReduceMaxOp, reduceMax>(c);
  attach<ReduceMinOp, reduceMin>(c);
  attach<ReduceProdOp, reduceProd>(c);
  attach<ReduceAnyOp, reduceAny>(c);
  attach<ReduceAllOp, reduceAll>(c);
  attach<ArgMaxOp, argReduce<ArgMaxOp, [](auto a, auto b) { return a > b; }>>(c);
  attach<ArgMinOp, argReduce<ArgMinOp, [](auto a, auto b) { return a < b; }>>(c);
  attach<CumSumOp, cumSum>(c);
  attach<SortOp, sort>(c);
  attach<TopKOp, topK>(c);
}

} // namespace raf::reference
