// onednn.matmul, in one of two ways:
//
//   whole  one oneDNN primitive over all threads. Its results may depend on their number: oneDNN
//          splits the inner dimension where that pays.
//   tiled  tiles of the result whose size depends on the shape only, each computed by one thread;
//          the threads share the tiles. For the deterministic mode, and for what oneDNN has no
//          optimised implementation for as a whole. A tile is either computed in place, or packed:
//          its rows of a and columns of b are converted to float32, so that bf16 and f16 work on
//          machines without units for them, and any strides do. float64, which oneDNN lacks, is
//          packed and computed by a plain loop.
#include "common/Error.h"
#include "runtime/kernels/cpu/Contraction.h"
#include "runtime/kernels/cpu/OneDnn.h"
#include "runtime/kernels/cpu/Strided.h"
#include "runtime/memory/Arena.h"

#include <array>
#include <atomic>
#include <cstring>
#include <fmt/format.h>

namespace raf::runtime {
namespace {

constexpr size_t kAlign = 64;

/// The addresses of one call.
struct Pointers {
  const std::byte *a, *b, *bias = nullptr, *accumulator = nullptr;
  std::byte *c;

  Pointers(const Contraction &p, void *const *operands) {
    auto next = [&] { return static_cast<std::byte *>(*operands++); };
    a = next();
    b = next();
    if (p.hasBias)
      bias = next();
    if (p.hasAccumulator)
      accumulator = next();
    c = next();
  }

  /// Moves on to one matrix of the batch, counted in row-major order.
  void moveTo(const Contraction &p, int64_t index) {
    const auto size = static_cast<int64_t>(sizeOf(p.dtype));
    for (size_t d = p.batch.size(); d-- > 0; index /= p.batch[d].extent) {
      const Contraction::Batch &dim = p.batch[d];
      const int64_t at = index % dim.extent * size;
      a += at * dim.a;
      b += at * dim.b;
      c += at * dim.c;
      accumulator += at * dim.accumulator;
    }
  }
};

/// c = accumulator for `rows` x `columns` elements.
void copyAccumulator(const Contraction &p, const std::byte *from, std::byte *to, int64_t rows,
                     int64_t columns) {
  withFloatType(p.dtype, [&]<class T>(T) {
    const T *src = reinterpret_cast<const T *>(from);
    T *dst = reinterpret_cast<T *>(to);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        dst[i * p.c.row + j * p.c.column] = src[i * p.accumulator.row + j * p.accumulator.column];
  });
}

void checkStatus(int status) {
  if (status != 0)
    throw Error(fmt::format("onednn.matmul: oneDNN failed (status {})", status));
}

class WholeMatmul : public LibraryKernel {
public:
  /// Null when oneDNN has nothing optimised for it.
  static std::unique_ptr<LibraryKernel> create(Contraction p, const Threads &threads) {
    if (!makeDense(p.m, p.k, p.a) || !makeDense(p.k, p.n, p.b) || !makeDense(p.m, p.n, p.c) ||
        p.c.column != 1 || (p.hasBias && p.biasStride != 1 && p.n != 1))
      return nullptr;
    MatmulSpec spec;
    for (const Contraction::Batch &dim : p.batch) {
      add(spec.a, dim.a == 0 ? 1 : dim.extent, dim.a, p.m * p.k);
      add(spec.b, dim.b == 0 ? 1 : dim.extent, dim.b, p.k * p.n);
      add(spec.dst, dim.extent, dim.c, 0);
    }
    addMatrix(spec.a, p.m, p.k, p.a);
    addMatrix(spec.b, p.k, p.n, p.b);
    addMatrix(spec.dst, p.m, p.n, p.c);
    spec.dtype = p.dtype;
    spec.bias = p.hasBias;
    spec.accumulate = p.hasAccumulator;
    spec.threads = threads.count();
    std::unique_ptr<OneDnnMatmul> product = OneDnnMatmul::create(spec);
    if (!product)
      return nullptr;
    return std::unique_ptr<LibraryKernel>(new WholeMatmul(std::move(p), threads, *product));
  }

  size_t workspaceBytes() const override { return scratchBytes; }

  void run(void *const *operands, std::byte *workspace) override {
    const Pointers at(p, operands);
    if (p.hasAccumulator && !p.inPlace)
      threads.parallelFor(p.batches() * p.m, 1, [&](int64_t begin, int64_t end, int) {
        const auto size = static_cast<int64_t>(sizeOf(p.dtype));
        for (int64_t row = begin; row < end; ++row) {
          Pointers own = at;
          own.moveTo(p, row / p.m);
          copyAccumulator(p, own.accumulator + row % p.m * p.accumulator.row * size,
                          own.c + row % p.m * p.c.row * size, 1, p.n);
        }
      });
    checkStatus(call.run(at.a, at.b, at.bias, at.c, workspace));
  }

private:
  WholeMatmul(Contraction p, const Threads &threads, const OneDnnMatmul &product)
      : p(std::move(p)), threads(threads), call(product), scratchBytes(product.scratchBytes()) {}

  static void add(MatmulSpec::Operand &operand, int64_t extent, int64_t stride, int64_t matrix) {
    operand.shape.push_back(extent);
    operand.strides.push_back(extent == 1 ? matrix : stride);
  }
  static void addMatrix(MatmulSpec::Operand &operand, int64_t rows, int64_t columns,
                        Contraction::Matrix matrix) {
    add(operand, rows, matrix.row, matrix.row);
    add(operand, columns, matrix.column, matrix.column);
  }

  Contraction p;
  const Threads &threads;
  OneDnnMatmul::Call call;
  size_t scratchBytes;
};

/// How a dimension is cut: `count` tiles of `size`, the last one smaller.
struct Cut {
  int64_t extent, size;
  int64_t count() const { return (extent + size - 1) / size; }
  int64_t last() const { return extent - (count() - 1) * size; }
  int64_t sizeAt(int64_t tile) const { return tile + 1 < count() ? size : last(); }
};

/// The largest tiles that still give every thread of a usual machine some. 48 is a multiple of the
/// micro-kernels' rows and columns.
std::pair<Cut, Cut> cutTiles(const Contraction &p) {
  constexpr int64_t kEnough = 16;
  for (int64_t side : {288, 192, 96, 48}) {
    const Cut rows{p.m, std::min(p.m, side)}, columns{p.n, std::min(p.n, side)};
    if (side == 48 || p.batches() * rows.count() * columns.count() >= kEnough)
      return {rows, columns};
  }
  return {};
}

class TiledMatmul : public LibraryKernel {
public:
  TiledMatmul(Contraction contraction, const Threads &threads)
      : p(std::move(contraction)), threads(threads), computeType(p.dtype) {
    std::tie(rows, columns) = cutTiles(p);
    if (p.k == 0) { // nothing to walk, perhaps not even an address
      p.a = p.b = {};
      for (Contraction::Batch &dim : p.batch)
        dim.a = dim.b = 0;
    }
    tiles = p.batches() * rows.count() * columns.count();
    packed = p.k == 0 || p.dtype == DType::F64 || !prepareInPlace();
    if (packed)
      preparePacked();
    const auto workers = static_cast<size_t>(std::min<int64_t>(threads.count(), tiles));
    for (size_t thread = 0; thread < workers; ++thread)
      for (const std::unique_ptr<OneDnnMatmul> &product : products)
        calls.push_back(product ? std::make_optional<OneDnnMatmul::Call>(*product) : std::nullopt);
    for (const std::unique_ptr<OneDnnMatmul> &product : products)
      if (product)
        scratchBytes = std::max(scratchBytes, roundUp(product->scratchBytes(), kAlign));
    total = workers * (bytesA + bytesB + bytesC + scratchBytes);
  }

  size_t workspaceBytes() const override { return total; }

  void run(void *const *operands, std::byte *workspace) override {
    const Pointers base(p, operands);
    std::atomic<int> status = 0;
    threads.parallelFor(tiles, 1, [&](int64_t begin, int64_t end, int thread) {
      // oneDNN's GEMM asks for the number of threads when it runs, whatever it was prepared for;
      // with one tile this is no parallel region.
      const Threads::Scope single(1);
      std::byte *own =
          workspace + static_cast<size_t>(thread) * (bytesA + bytesB + bytesC + scratchBytes);
      for (int64_t tile = begin; tile < end; ++tile) {
        const int result = packed ? runPacked(base, tile, tile == begin, thread, own)
                                  : runInPlace(base, tile, thread, own);
        if (result != 0)
          status = result;
      }
    });
    checkStatus(status);
  }

private:
  /// Where a tile lies, and which product computes it: the last row and column of tiles are
  /// smaller.
  struct Tile {
    Pointers at;
    int64_t rows, columns, row, column;
    size_t kind;
  };
  Tile locate(const Pointers &base, int64_t index) const {
    Tile tile{base, 0, 0, 0, 0, 0};
    const int64_t j = index % columns.count(), i = index / columns.count() % rows.count();
    tile.at.moveTo(p, index / columns.count() / rows.count());
    tile.rows = rows.sizeAt(i);
    tile.columns = columns.sizeAt(j);
    tile.row = i * rows.size;
    tile.column = j * columns.size;
    const auto size = static_cast<int64_t>(sizeOf(p.dtype));
    tile.at.a += tile.row * p.a.row * size;
    tile.at.b += tile.column * p.b.column * size;
    tile.at.bias += p.hasBias ? tile.column * p.biasStride * size : 0;
    tile.at.c += (tile.row * p.c.row + tile.column * p.c.column) * size;
    if (p.hasAccumulator)
      tile.at.accumulator +=
          (tile.row * p.accumulator.row + tile.column * p.accumulator.column) * size;
    tile.kind = size_t{tile.rows != rows.size} * 2 + size_t{tile.columns != columns.size};
    return tile;
  }

  /// The kinds of tiles that occur: (rows, columns) of each.
  template <class Fn> bool forEachKind(Fn &&fn) const {
    for (size_t kind = 0; kind < 4; ++kind) {
      if ((kind & 2 && rows.last() == rows.size) || (kind & 1 && columns.last() == columns.size))
        continue;
      if (!fn(kind, kind & 2 ? rows.last() : rows.size, kind & 1 ? columns.last() : columns.size))
        return false;
    }
    return true;
  }

  bool prepareInPlace() {
    Contraction::Matrix a = p.a, b = p.b, c = p.c;
    if (!makeDense(p.m, p.k, a) || !makeDense(p.k, p.n, b) || !makeDense(p.m, p.n, c) ||
        c.column != 1 || (p.hasBias && p.biasStride != 1 && p.n != 1))
      return false;
    const bool prepared = forEachKind([&](size_t kind, int64_t m, int64_t n) {
      // Strides that covered the whole matrix cover a tile of it, which may have extents of 1.
      Contraction::Matrix ta = a, tb = b, tc = c;
      makeDense(m, p.k, ta);
      makeDense(p.k, n, tb);
      makeDense(m, n, tc);
      MatmulSpec spec;
      spec.a = {{m, p.k}, {ta.row, ta.column}};
      spec.b = {{p.k, n}, {tb.row, tb.column}};
      spec.dst = {{m, n}, {tc.row, tc.column}};
      spec.dtype = p.dtype;
      spec.bias = p.hasBias;
      spec.accumulate = p.hasAccumulator;
      products[kind] = OneDnnMatmul::create(spec);
      return products[kind] != nullptr;
    });
    if (!prepared)
      products = {};
    return prepared;
  }

  void preparePacked() {
    if (p.dtype != DType::F64)
      computeType = DType::F32;
    const size_t size = sizeOf(computeType);
    auto bytes = [&](int64_t count) { return roundUp(static_cast<size_t>(count) * size, kAlign); };
    bytesA = bytes(rows.size * p.k);
    bytesB = bytes(p.k * columns.size);
    bytesC = bytes(rows.size * columns.size);
    if (computeType == DType::F64 || p.k == 0)
      return;
    forEachKind([&](size_t kind, int64_t m, int64_t n) {
      MatmulSpec spec;
      spec.a = {{m, p.k}, {p.k, 1}};
      spec.b = {{p.k, n}, {n, 1}};
      spec.dst = {{m, n}, {n, 1}};
      products[kind] = OneDnnMatmul::create(spec);
      if (!products[kind])
        throw Error(fmt::format("onednn.matmul: oneDNN cannot multiply ({}, {}) x ({}, {}) of f32",
                                m, p.k, p.k, n));
      return true;
    });
  }

  int runInPlace(const Pointers &base, int64_t index, int thread, std::byte *scratch) {
    const Tile tile = locate(base, index);
    if (p.hasAccumulator && !p.inPlace)
      copyAccumulator(p, tile.at.accumulator, tile.at.c, tile.rows, tile.columns);
    return callOf(thread, tile).run(tile.at.a, tile.at.b, tile.at.bias, tile.at.c, scratch);
  }

  int runPacked(const Pointers &base, int64_t index, bool first, int thread, std::byte *workspace) {
    const Tile tile = locate(base, index);
    std::byte *a = workspace, *b = a + bytesA, *c = b + bytesB, *scratch = c + bytesC;
    // Tiles of one row of tiles follow each other: their part of a is still packed.
    const bool packA = first || index % columns.count() == 0;
    int status = 0;
    withFloatType(p.dtype, [&]<class T>(T) {
      using Compute = std::conditional_t<std::is_same_v<T, double>, double, float>;
      auto *packedA = reinterpret_cast<Compute *>(a), *packedB = reinterpret_cast<Compute *>(b),
           *product = reinterpret_cast<Compute *>(c);
      if (packA)
        pack(reinterpret_cast<const T *>(tile.at.a), tile.rows, p.k, p.a.row, p.a.column, packedA);
      pack(reinterpret_cast<const T *>(tile.at.b), p.k, tile.columns, p.b.row, p.b.column, packedB);
      if (p.k == 0)
        std::fill_n(product, tile.rows * tile.columns, Compute{0});
      else if constexpr (std::is_same_v<T, double>)
        multiply(packedA, packedB, product, tile.rows, tile.columns);
      else
        status = callOf(thread, tile).run(a, b, nullptr, c, scratch);
      finish<T>(tile, product);
    });
    return status;
  }

  void multiply(const double *a, const double *b, double *__restrict c, int64_t m,
                int64_t n) const {
    std::fill_n(c, m * n, 0.0);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t q = 0; q < p.k; ++q)
        for (int64_t j = 0; j < n; ++j)
          c[i * n + j] += a[i * p.k + q] * b[q * n + j];
  }

  /// c = product + bias + accumulator, rounded once.
  template <class T, class Compute> void finish(const Tile &tile, const Compute *product) const {
    const T *bias = reinterpret_cast<const T *>(tile.at.bias);
    const T *accumulator = reinterpret_cast<const T *>(tile.at.accumulator);
    T *c = reinterpret_cast<T *>(tile.at.c);
    for (int64_t i = 0; i < tile.rows; ++i)
      for (int64_t j = 0; j < tile.columns; ++j) {
        Compute value = product[i * tile.columns + j];
        if (p.hasBias)
          value += static_cast<Compute>(bias[j * p.biasStride]);
        if (p.hasAccumulator)
          value +=
              static_cast<Compute>(accumulator[i * p.accumulator.row + j * p.accumulator.column]);
        c[i * p.c.row + j * p.c.column] = convertTo<T>(value);
      }
  }

  OneDnnMatmul::Call &callOf(int thread, const Tile &tile) {
    return *calls[static_cast<size_t>(thread) * products.size() + tile.kind];
  }

  Contraction p;
  const Threads &threads;
  DType computeType;
  Cut rows{}, columns{};
  int64_t tiles = 0;
  bool packed = false;
  std::array<std::unique_ptr<OneDnnMatmul>, 4> products;                  // by Tile::kind
  std::vector<std::optional<OneDnnMatmul::Call>> calls;                   // by thread, then kind
  size_t bytesA = 0, bytesB = 0, bytesC = 0, scratchBytes = 0, total = 0; // per thread, and all
};

/// The result has no elements.
class Nothing : public LibraryKernel {
  void run(void *const *, std::byte *) override {}
};

} // namespace

std::unique_ptr<LibraryKernel> prepareMatmul(const LibraryCallInfo &call,
                                             const KernelContext &context) {
  Contraction p = readContraction(call);
  if (p.m == 0 || p.n == 0 || p.batches() == 0)
    return std::make_unique<Nothing>();
  if (!context.deterministic && p.k > 0)
    if (std::unique_ptr<LibraryKernel> whole = WholeMatmul::create(p, context.threads))
      return whole;
  return std::make_unique<TiledMatmul>(std::move(p), context.threads);
}

} // namespace raf::runtime
