// Dimensions as ordered products of atoms. Equalities between lists of dimensions split and unite
// factors until every dimension is a product of atoms that all values share.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <vector>

namespace raf::gen {

using FactorList = llvm::SmallVector<int, 2>; // outermost first

class Factors {
public:
  /// A new dimension: no factor at all when its extent is 1.
  FactorList dimension(int64_t extent);
  /// Makes two lists of factors the same walk; false when their extents do not align.
  bool unify(llvm::ArrayRef<int> a, llvm::ArrayRef<int> b);
  /// The atoms of a list, outermost first.
  FactorList atoms(llvm::ArrayRef<int> list);
  int64_t extent(int atom) { return factors[find(atom)].extent; }

private:
  struct Factor {
    int parent;
    int64_t extent;
    FactorList parts; // after a split
  };
  int create(int64_t extent);
  int find(int f);
  void flatten(int f, FactorList &out);
  std::vector<Factor> factors;
};

} // namespace raf::gen
