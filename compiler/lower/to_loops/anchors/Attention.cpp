#include "compiler/lower/to_loops/anchors/Attention.h"

#include "compiler/lower/to_loops/Philox.h"
#include "compiler/lower/to_loops/anchors/Tile.h"

#include <limits>

namespace raf::gen {

namespace {

namespace params = attention_params;
using Form = AttentionForm;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kBlock = kAttentionBlock;

/// Where things lie in scratch, in float32 elements. All tiles are (key or feature) x kBlock
/// queries unless said otherwise.
struct Scratch {
  int64_t qT, gradT = 0, scores, keep = 0, dScores = 0, sums, top, total, alpha, end;

  explicit Scratch(const Form &f) {
    int64_t at = 0;
    auto take = [&](int64_t elements) {
      int64_t begin = at;
      at += (elements + 15) / 16 * 16;
      return begin;
    };
    qT = take(f.headSize * kBlock);
    scores = take(kBlock * kBlock);
    if (f.gradient) {
      gradT = take(f.valueSize * kBlock);
      dScores = take(kBlock * kBlock);
    }
    if (f.dropout)
      keep = take(kBlock * kBlock);
    sums = take(kBlock * (f.gradient ? f.headSize : f.valueSize)); // queries x features
    top = take(kBlock);   // forward: running maximum; gradient: logsumexp
    total = take(kBlock); // forward: running sum; gradient: rowsum(dO * O)
    alpha = take(kBlock);
    end = at;
  }
};

class Emitter {
public:
  using Value = llvm::Value;
  using Values = Tile::Values;

  Emitter(KernelFunction &kernel, const Form &form)
      : k(kernel), c(kernel, form.lanes), b(kernel.ir), f(form), param(kernel.params), at(form) {
    for (int t = 0; t < Form::NumTensors; ++t)
      if (f.operand[t] >= 0)
        operand[t] = k.operands[f.operand[t]];
    scale = real(param[params::Scale]);
    if (f.dropout) {
      keepScale = real(param[params::KeepScale]);
      auto keyAt = [&](int i) {
        return b.CreateLoad(b.getInt64Ty(),
                            b.CreateConstGEP1_64(b.getInt64Ty(), operand[Form::Key], i));
      };
      seed = keyAt(0);
      step = keyAt(1);
    }
  }

  void forward() {
    c.loop(k.begin, k.end, 1, [&](Value *item) {
      Value *rest = b.CreateSDiv(item, param[params::Blocks]);
      q0 = c.mul(b.CreateSRem(item, param[params::Blocks]), c.i64(kBlock));
      head = b.CreateSRem(rest, param[params::Heads]);
      batch = b.CreateSDiv(rest, param[params::Heads]);
      keyHead = b.CreateSDiv(head, param[params::Group]);
      forwardBlock();
    });
  }

  void gradient() {
    Value *keyHeads = b.CreateSDiv(param[params::Heads], param[params::Group]);
    c.loop(k.begin, k.end, 1, [&](Value *item) {
      batch = b.CreateSDiv(item, keyHeads);
      keyHead = b.CreateSRem(item, keyHeads);
      head = c.mul(keyHead, param[params::Group]);
      if (has(Form::DK))
        clearRows(Form::DK, f.headSize);
      if (has(Form::DV))
        clearRows(Form::DV, f.valueSize);
      Value *firstHead = head;
      c.loop(c.i64(0), param[params::Group], 1, [&](Value *g) {
        head = c.add(firstHead, g);
        c.loop(c.i64(0), param[params::Queries], kBlock, [&](Value *first) {
          q0 = first;
          gradientBlock();
        });
      });
    });
  }

private:
  bool has(Form::Tensor t) const { return f.operand[t] >= 0; }
  Value *real(Value *bits) { // a double's bits as float32
    return b.CreateFPTrunc(b.CreateBitCast(bits, b.getDoubleTy()), b.getFloatTy());
  }
  Value *scratch(int64_t offset) { return c.at(k.scratch, c.i64(offset)); }
  Value *scratch(int64_t offset, Value *more) { return c.at(scratch(offset), more); }
  /// The first element of row `position` of a tensor, of the present batch and head (key head for
  /// k, v and their gradients).
  Value *row(Form::Tensor t, Value *position) {
    bool byKeyHead = t == Form::K || t == Form::V || t == Form::DK || t == Form::DV;
    Value *offset = c.mul(batch, param[params::stride(t, 0)]);
    offset = c.add(offset, c.mul(byKeyHead ? keyHead : head, param[params::stride(t, 1)]));
    return c.at(operand[t], c.add(offset, c.mul(position, param[params::stride(t, 2)])));
  }
  Value *rowStride(Form::Tensor t) { return param[params::stride(t, 2)]; }

  /// body(column) for the vectors of a row of kBlock queries.
  void overQueries(llvm::function_ref<void(Value *)> body) {
    c.loop(c.i64(0), c.i64(kBlock), f.lanes, body);
  }
  /// body(feature, count) for the vectors of `size` features.
  void overFeatures(unsigned size, llvm::function_ref<void(Value *, unsigned)> body) {
    unsigned whole = size / f.lanes * f.lanes;
    c.loop(c.i64(0), c.i64(whole), f.lanes, [&](Value *d) { body(d, f.lanes); });
    if (whole < size)
      body(c.i64(whole), size - whole);
  }

  void clearRows(Form::Tensor t, unsigned size) {
    c.loop(c.i64(0), param[params::Keys], 1, [&](Value *i) {
      Value *first = row(t, i);
      overFeatures(size, [&](Value *d, unsigned count) {
        c.storeFirst(c.numbers(0), c.at(first, d), count);
      });
    });
  }

  /// Sets the block's query count; rows beyond it repeat the last one where they are read at all.
  void beginBlock() {
    numQueries = c.min(c.i64(kBlock), b.CreateSub(param[params::Queries], q0));
    Value *end = f.causal ? c.min(param[params::Keys], c.add(q0, numQueries)) : param[params::Keys];
    keyEnd = end;
  }

  /// kBlock rows of a tensor from q0 on as (feature, query).
  void packTransposed(Form::Tensor t, unsigned size, int64_t to) {
    overQueries([&](Value *first) {
      Values rows;
      for (unsigned r = 0; r < f.lanes; ++r) {
        Value *i = c.min(c.add(first, c.i64(r)), b.CreateSub(numQueries, c.i64(1)));
        rows.push_back(row(t, c.add(q0, i)));
      }
      overFeatures(size, [&](Value *d, unsigned count) {
        Values loaded;
        for (Value *pointer : rows)
          loaded.push_back(c.loadFirst(c.at(pointer, d), count));
        Values columns = c.transpose(loaded);
        for (unsigned i = 0; i < count; ++i)
          c.store(columns[i], scratch(to, c.add(c.mul(c.add(d, c.i64(i)), c.i64(kBlock)), first)));
      });
    });
  }

  /// Scaled, masked score of key `key` and the queries of column `column`.
  Value *masked(Value *sum, Value *key, unsigned column) {
    Value *s = b.CreateFMul(sum, c.splat(scale));
    Value *minusInfinity = c.numbers(-kInfinity);
    Value *query = c.add(q0, c.i64(column));
    if (f.mask != Form::Mask::None) {
      Value *m = loadMask(key, query);
      s = f.mask == Form::Mask::Bool ? b.CreateSelect(m, s, minusInfinity) : b.CreateFAdd(s, m);
    }
    if (f.causal) {
      Value *queries =
          b.CreateAdd(c.splat(b.CreateTrunc(query, b.getInt32Ty())), c.laneNumbers(b.getInt32Ty()));
      s = b.CreateSelect(b.CreateICmpSGE(queries, c.splat(b.CreateTrunc(key, b.getInt32Ty()))), s,
                         minusInfinity);
    }
    return s;
  }

  Value *loadMask(Value *key, Value *query) {
    bool isBool = f.mask == Form::Mask::Bool;
    llvm::Type *element = isBool ? b.getInt8Ty() : b.getFloatTy();
    Value *offset = c.add(c.mul(batch, param[params::MaskStrides]),
                          c.mul(head, param[params::MaskStrides + 1]));
    offset = c.add(offset, c.mul(key, param[params::MaskStrides + 3]));
    Value *m;
    if (!f.maskPerQuery) {
      m = c.splat(b.CreateLoad(element, b.CreateGEP(element, operand[Form::MaskTensor], offset)));
    } else {
      Value *queries = b.CreateAdd(c.splat(query), c.laneNumbers(b.getInt64Ty()));
      Value *exists = b.CreateICmpSLT(queries, c.splat(param[params::Queries]));
      Value *offsets = b.CreateAdd(c.splat(offset),
                                   b.CreateMul(queries, c.splat(param[params::MaskStrides + 2])));
      Value *pointers = b.CreateGEP(element, operand[Form::MaskTensor], offsets);
      m = b.CreateMaskedGather(c.vec(element), pointers, llvm::Align(isBool ? 1 : 4), exists,
                               llvm::Constant::getNullValue(c.vec(element)));
    }
    return isBool ? b.CreateICmpNE(m, llvm::Constant::getNullValue(m->getType())) : m;
  }

  /// Writes 1 / (1 - p) or 0 for numKeys keys (rounded up to four) from k0 on and all queries of
  /// the block.
  void dropoutFactors(Value *k0, Value *numKeys) {
    llvm::Type *i32 = b.getInt32Ty();
    Value *threshold = c.splat(b.CreateTrunc(param[params::Threshold], i32));
    Value *rowsBefore =
        c.mul(c.add(c.mul(batch, param[params::Heads]), head), param[params::Queries]);
    auto put = [&](Value *word, Value *key, Value *column) {
      Value *kept = b.CreateICmpUGE(b.CreateLShr(word, 8), threshold);
      c.store(b.CreateSelect(kept, c.splat(keepScale), c.numbers(0)),
              scratch(at.keep, c.add(c.mul(key, c.i64(kBlock)), column)));
    };
    overQueries([&](Value *column) {
      Value *firstRow = c.add(c.add(rowsBefore, q0), column);
      Value *rows = b.CreateAdd(c.splat(firstRow), c.laneNumbers(b.getInt64Ty()));
      Value *rowStart = b.CreateAdd(b.CreateMul(rows, c.splat(param[params::Keys])), c.splat(k0));
      c.loop(c.i64(0), numKeys, f.alignedKeys ? 4 : 1, [&](Value *key) {
        Value *index = b.CreateAdd(rowStart, c.splat(key));
        PhiloxWords words =
            philox(k.b, b.CreateLShr(index, 2), param[params::RandomId], step, seed);
        for (Value *&word : words)
          word = b.CreateTrunc(word, c.vec(i32));
        if (f.alignedKeys) {
          for (int i = 0; i < 4; ++i)
            put(words[i], c.add(key, c.i64(i)), column);
          return;
        }
        Value *which = b.CreateAnd(b.CreateTrunc(index, c.vec(i32)), 3);
        Value *word = words[0];
        for (int i = 1; i < 4; ++i)
          word = b.CreateSelect(b.CreateICmpEQ(which, llvm::ConstantInt::get(which->getType(), i)),
                                words[i], word);
        put(word, key, column);
      });
    });
  }

  /// (keys from k0 on) x (queries of the block) -> finish(key within the block, column, scaled and
  /// masked score)
  void scores(Value *k0, Value *numKeys,
              llvm::function_ref<void(Value *, unsigned, Value *)> finish) {
    Tile::Product p{.rows = numKeys,
                    .depth = c.i64(f.headSize),
                    .columns = kBlock,
                    .a = row(Form::K, k0),
                    .aRow = rowStride(Form::K),
                    .aDepth = c.i64(1),
                    .b = scratch(at.qT),
                    .bDepth = c.i64(kBlock),
                    .start = nullptr,
                    .finish = [&](Value *key, unsigned column, unsigned, Value *sum) {
                      finish(key, column, masked(sum, c.add(k0, key), column));
                    }};
    c.product(p);
  }

  Value *tile(int64_t tile, Value *key, Value *column) {
    return scratch(tile, c.add(c.mul(key, c.i64(kBlock)), column));
  }

  void forwardBlock() {
    beginBlock();
    packTransposed(Form::Q, f.headSize, at.qT);
    overQueries([&](Value *column) {
      c.store(c.numbers(-kInfinity), scratch(at.top, column));
      c.store(c.numbers(0), scratch(at.total, column));
    });
    c.loop(c.i64(0), c.i64(kBlock * f.valueSize), f.lanes,
           [&](Value *i) { c.store(c.numbers(0), scratch(at.sums, i)); });
    c.loop(c.i64(0), keyEnd, kBlock, [&](Value *k0) {
      Value *numKeys = c.min(c.i64(kBlock), b.CreateSub(keyEnd, k0));
      scores(k0, numKeys, [&](Value *key, unsigned column, Value *s) {
        c.store(s, tile(at.scores, key, c.i64(column)));
      });
      if (f.dropout)
        dropoutFactors(k0, numKeys);
      overQueries([&](Value *column) { exponentials(numKeys, column); });
      Tile::Product p{.rows = numQueries,
                      .depth = numKeys,
                      .columns = f.valueSize,
                      .a = scratch(at.scores),
                      .aRow = c.i64(1),
                      .aDepth = c.i64(kBlock),
                      .b = row(Form::V, k0),
                      .bDepth = rowStride(Form::V),
                      .start =
                          [&](Value *query, unsigned column, unsigned count) {
                            Value *sum = c.loadFirst(sumOf(query, f.valueSize, column), count);
                            return b.CreateFMul(sum,
                                                c.splat(c.loadScalar(scratch(at.alpha, query))));
                          },
                      .finish =
                          [&](Value *query, unsigned column, unsigned count, Value *sum) {
                            c.storeFirst(sum, sumOf(query, f.valueSize, column), count);
                          }};
      c.product(p);
    });
    c.loop(c.i64(0), numQueries, 1, [&](Value *query) {
      Value *total = c.loadScalar(scratch(at.total, query));
      Value *none = b.CreateFCmpOEQ(total, c.number(0)); // saw no key: 0 / 1
      Value *divisor = c.splat(b.CreateSelect(none, c.number(1), total));
      Value *out = row(Form::Out, c.add(q0, query));
      overFeatures(f.valueSize, [&](Value *d, unsigned count) {
        Value *sum =
            c.loadFirst(c.at(scratch(at.sums, c.mul(query, c.i64(f.valueSize))), d), count);
        c.storeFirst(b.CreateFDiv(sum, divisor), c.at(out, d), count);
      });
    });
    if (has(Form::Lse))
      overQueries([&](Value *column) {
        Value *lse = b.CreateFAdd(c.load(scratch(at.top, column)),
                                  k.b.log(c.load(scratch(at.total, column))));
        Value *lane = b.CreateAdd(c.splat(column), c.laneNumbers(b.getInt64Ty()));
        k.storeVector(lse, row(Form::Lse, c.add(q0, column)),
                      b.CreateICmpSLT(lane, c.splat(numQueries)));
      });
  }

  Value *sumOf(Value *query, unsigned size, unsigned column) {
    return scratch(at.sums, c.add(c.mul(query, c.i64(size)), c.i64(column)));
  }

  /// Scores become e^(s - max) (dropped for the product with v), and the running maximum and sum
  /// move on.
  void exponentials(Value *numKeys, Value *column) {
    Value *before = c.load(scratch(at.top, column));
    Value *top = c.loop(c.i64(0), numKeys, 1, {before},
                        [&](Value *key, llvm::ArrayRef<Value *> carried) -> Values {
                          Value *s = c.load(tile(at.scores, key, column));
                          return {b.CreateSelect(b.CreateFCmpOGT(s, carried[0]), s, carried[0])};
                        })[0];
    // While no key was seen the maximum is -inf, and so is every score: e^(-inf - 0) = 0.
    Value *shift = b.CreateSelect(b.CreateFCmpOEQ(top, c.numbers(-kInfinity)), c.numbers(0), top);
    Value *alpha = k.b.exp(b.CreateFSub(before, shift));
    Value *sum = c.loop(c.i64(0), numKeys, 1, {c.numbers(0)},
                        [&](Value *key, llvm::ArrayRef<Value *> carried) -> Values {
                          Value *place = tile(at.scores, key, column);
                          Value *e = k.b.exp(b.CreateFSub(c.load(place), shift));
                          Value *used =
                              f.dropout ? b.CreateFMul(e, c.load(tile(at.keep, key, column))) : e;
                          c.store(used, place);
                          return {b.CreateFAdd(carried[0], e)};
                        })[0];
    c.store(top, scratch(at.top, column));
    c.store(alpha, scratch(at.alpha, column));
    c.store(b.CreateFAdd(b.CreateFMul(c.load(scratch(at.total, column)), alpha), sum),
            scratch(at.total, column));
  }

  /// logsumexp and rowsum(dO * O) of the block's queries; rows beyond the last query get +inf and
  /// 0, so that their P is 0.
  void loadStatistics() {
    overQueries([&](Value *column) {
      c.store(c.numbers(kInfinity), scratch(at.top, column));
      c.store(c.numbers(0), scratch(at.total, column));
    });
    c.loop(c.i64(0), numQueries, 1, [&](Value *query) {
      Value *position = c.add(q0, query);
      Value *lse = c.loadScalar(row(Form::Lse, position));
      Value *none = b.CreateFCmpOEQ(lse, c.number(-kInfinity)); // saw no key: P = 0
      c.store(b.CreateSelect(none, c.number(kInfinity), lse), scratch(at.top, query));
      Value *grad = row(Form::Grad, position), *out = row(Form::Out, position);
      unsigned whole = f.valueSize / f.lanes * f.lanes;
      Value *sum =
          c.loop(c.i64(0), c.i64(whole), f.lanes, {c.numbers(0)},
                 [&](Value *d, llvm::ArrayRef<Value *> carried) -> Values {
                   return {k.b.fma(c.load(c.at(grad, d)), c.load(c.at(out, d)), carried[0])};
                 })[0];
      if (whole < f.valueSize)
        sum = k.b.fma(c.loadFirst(c.at(grad, c.i64(whole)), f.valueSize - whole),
                      c.loadFirst(c.at(out, c.i64(whole)), f.valueSize - whole), sum);
      // Halves are added until one lane is left: an order of its own, the same for every row.
      for (unsigned half = f.lanes / 2; half > 0; half /= 2) {
        llvm::SmallVector<int> upper;
        for (unsigned i = 0; i < f.lanes; ++i)
          upper.push_back(static_cast<int>((i + half) % f.lanes));
        sum = b.CreateFAdd(sum, b.CreateShuffleVector(sum, upper));
      }
      c.store(b.CreateExtractElement(sum, uint64_t(0)), scratch(at.total, query));
    });
  }

  // P = e^(S - logsumexp), P' = dropped P:
  //   dV += P'^T dO    dS = P * (dropped(dO V^T) - rowsum(dO * O)) * scale    dQ = dS K    dK +=
  //   dS^T Q
  void gradientBlock() {
    beginBlock();
    packTransposed(Form::Q, f.headSize, at.qT);
    packTransposed(Form::Grad, f.valueSize, at.gradT);
    loadStatistics();
    c.loop(c.i64(0), c.i64(kBlock * f.headSize), f.lanes,
           [&](Value *i) { c.store(c.numbers(0), scratch(at.sums, i)); });
    c.loop(c.i64(0), keyEnd, kBlock, [&](Value *k0) {
      Value *numKeys = c.min(c.i64(kBlock), b.CreateSub(keyEnd, k0));
      scores(k0, numKeys, [&](Value *key, unsigned column, Value *s) {
        c.store(s, tile(at.scores, key, c.i64(column)));
      });
      if (f.dropout)
        dropoutFactors(k0, numKeys);
      overQueries([&](Value *column) {
        Value *lse = c.load(scratch(at.top, column));
        c.loop(c.i64(0), numKeys, 1, [&](Value *key) {
          Value *place = tile(at.scores, key, column);
          c.store(k.b.exp(b.CreateFSub(c.load(place), lse)), place);
        });
      });
      Tile::Product dp{
          .rows = numKeys,
          .depth = c.i64(f.valueSize),
          .columns = kBlock,
          .a = row(Form::V, k0),
          .aRow = rowStride(Form::V),
          .aDepth = c.i64(1),
          .b = scratch(at.gradT),
          .bDepth = c.i64(kBlock),
          .start = nullptr,
          .finish = [&](Value *key, unsigned column, unsigned, Value *sum) {
            Value *place = tile(at.scores, key, c.i64(column));
            Value *p = c.load(place);
            if (f.dropout) {
              Value *factor = c.load(tile(at.keep, key, c.i64(column)));
              sum = b.CreateFMul(sum, factor);
              c.store(b.CreateFMul(p, factor), place);
            }
            Value *ds = b.CreateFMul(p, b.CreateFSub(sum, c.load(scratch(at.total + column))));
            c.store(b.CreateFMul(ds, c.splat(scale)), tile(at.dScores, key, c.i64(column)));
          }};
      c.product(dp);
      if (has(Form::DV))
        accumulateRows(Form::DV, f.valueSize, k0, numKeys, at.scores, Form::Grad);
      if (has(Form::DK))
        accumulateRows(Form::DK, f.headSize, k0, numKeys, at.dScores, Form::Q);
      if (!has(Form::DQ))
        return;
      Tile::Product dq{.rows = numQueries,
                       .depth = numKeys,
                       .columns = f.headSize,
                       .a = scratch(at.dScores),
                       .aRow = c.i64(1),
                       .aDepth = c.i64(kBlock),
                       .b = row(Form::K, k0),
                       .bDepth = rowStride(Form::K),
                       .start =
                           [&](Value *query, unsigned column, unsigned count) {
                             return c.loadFirst(sumOf(query, f.headSize, column), count);
                           },
                       .finish =
                           [&](Value *query, unsigned column, unsigned count, Value *sum) {
                             c.storeFirst(sum, sumOf(query, f.headSize, column), count);
                           }};
      c.product(dq);
    });
    if (!has(Form::DQ))
      return;
    c.loop(c.i64(0), numQueries, 1, [&](Value *query) {
      Value *out = row(Form::DQ, c.add(q0, query));
      overFeatures(f.headSize, [&](Value *d, unsigned count) {
        c.storeFirst(c.loadFirst(c.at(scratch(at.sums, c.mul(query, c.i64(f.headSize))), d), count),
                     c.at(out, d), count);
      });
    });
  }

  /// Rows from k0 on of `to` += tile (keys x queries) times the block's rows of `rows`.
  void accumulateRows(Form::Tensor to, unsigned size, Value *k0, Value *numKeys, int64_t tileAt,
                      Form::Tensor rows) {
    auto place = [&](Value *key, unsigned column) {
      return c.at(row(to, c.add(k0, key)), c.i64(column));
    };
    Tile::Product p{.rows = numKeys,
                    .depth = numQueries,
                    .columns = size,
                    .a = scratch(tileAt),
                    .aRow = c.i64(kBlock),
                    .aDepth = c.i64(1),
                    .b = row(rows, q0),
                    .bDepth = rowStride(rows),
                    .start = [&](Value *key, unsigned column,
                                 unsigned count) { return c.loadFirst(place(key, column), count); },
                    .finish = [&](Value *key, unsigned column, unsigned count,
                                  Value *sum) { c.storeFirst(sum, place(key, column), count); }};
    c.product(p);
  }

  KernelFunction &k;
  Tile c;
  llvm::IRBuilder<> &b;
  const Form &f;
  llvm::ArrayRef<Value *> param;
  Scratch at;
  std::array<Value *, Form::NumTensors> operand{};
  Value *scale, *keepScale = nullptr, *seed = nullptr, *step = nullptr;
  // Of the block at hand.
  Value *batch = nullptr, *head = nullptr, *keyHead = nullptr, *q0 = nullptr, *numQueries = nullptr,
        *keyEnd = nullptr;
};

} // namespace

uint64_t attentionScratchBytes(const AttentionForm &form) {
  return static_cast<uint64_t>(Scratch(form).end) * sizeof(float);
}

void emitAttention(KernelFunction &kernel, const AttentionForm &form) {
  Emitter emitter(kernel, form);
  if (form.gradient)
    emitter.gradient();
  else
    emitter.forward();
  kernel.finish();
}

} // namespace raf::gen
