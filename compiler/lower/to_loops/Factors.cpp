#include "compiler/lower/to_loops/Factors.h"

namespace raf::gen {

int Factors::create(int64_t extent) {
  const int id = factors.size();
  factors.push_back({id, extent, {}});
  return id;
}

FactorList Factors::dimension(int64_t extent) {
  if (extent == 1)
    return {};
  return {create(extent)};
}

int Factors::find(int f) {
  while (factors[f].parent != f)
    f = factors[f].parent = factors[factors[f].parent].parent;
  return f;
}

void Factors::flatten(int f, FactorList &out) {
  f = find(f);
  if (factors[f].parts.empty())
    out.push_back(f);
  else
    for (int part : FactorList(factors[f].parts))
      flatten(part, out);
}

FactorList Factors::atoms(llvm::ArrayRef<int> list) {
  FactorList out;
  for (int f : list)
    flatten(f, out);
  return out;
}

bool Factors::unify(llvm::ArrayRef<int> a, llvm::ArrayRef<int> b) {
  // Walks both from the innermost atom; the longer of two meeting atoms is split.
  FactorList x = atoms(a), y = atoms(b);
  while (!x.empty() && !y.empty()) {
    const int p = find(x.back()), q = find(y.back());
    const int64_t ep = factors[p].extent, eq = factors[q].extent;
    if (!factors[p].parts.empty() || !factors[q].parts.empty())
      return false; // an atom that occurs twice was split under way
    if (ep == eq) {
      x.pop_back();
      y.pop_back();
      factors[q].parent = p;
      continue;
    }
    FactorList &longer = ep > eq ? x : y;
    const int split = ep > eq ? p : q;
    const int64_t large = std::max(ep, eq), small = std::min(ep, eq);
    if (small == 0 || large % small != 0)
      return false;
    const int outer = create(large / small), inner = create(small);
    factors[split].parts = {outer, inner};
    longer.pop_back();
    longer.push_back(outer);
    longer.push_back(inner);
  }
  return x.empty() && y.empty();
}

} // namespace raf::gen
