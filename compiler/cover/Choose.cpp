#include "compiler/cover/Choose.h"

#include "compiler/lower/to_loops/Codegen.h"
#include "compiler/lower/to_onednn/Propose.h"
#include "compiler/lower/to_rt/Propose.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace raf::cover {

namespace {

constexpr llvm::StringLiteral kDialects[] = {"onednn", "gen", "rt"};
using Propose = std::optional<Proposal> (*)(Operation *, const ProposalContext &);
// The library dialects. Generated code competes with each of them (see `generated`).
constexpr Propose kLibraries[] = {onednn::propose, rt::propose};

std::vector<Proposal> proposalsFor(Operation *op, const ProposalContext &context,
                                   const Dialects &dialects) {
  std::vector<Proposal> proposals;
  for (Propose propose : kLibraries)
    if (std::optional<Proposal> proposal = propose(op, context))
      if (dialects.allows(proposal->dialect, op))
        proposals.push_back(std::move(*proposal));
  return proposals;
}

/// Seconds of a generated kernel for what `like` computes, or nothing when there is none.
std::optional<double> generated(const Proposal &like, const CostModel &costs,
                                const Dialects &dialects) {
  Operation *op = like.ops.front();
  if (!dialects.allows("gen", op) || loopRoleOf(op) == LoopRole::None ||
      !gen::checkGroup({op}, llvm::SmallVector<Value>(op->getResults())))
    return std::nullopt;
  double move = 0;
  for (Value operand : like.operands)
    move += costs.move(operand.getType());
  for (Type type : op->getResultTypes())
    move += costs.move(type);
  std::string kernel = ("gen." + op->getName().stripDialect()).str();
  return costs.matrix(kernel, getElementTypeOrSelf(op->getResult(0).getType()),
                      cast<CostOpInterface>(op).getFlops(), move);
}

} // namespace

bool Dialects::parse(llvm::StringRef list, std::string &error) {
  for (llvm::StringRef entry : llvm::split(list, ',')) {
    entry = entry.trim();
    if (entry.empty())
      continue;
    auto [op, dialect] = entry.split('=');
    llvm::StringRef name = dialect.empty() ? op : dialect;
    if (!llvm::is_contained(kDialects, name)) {
      error = ("unknown operator dialect '" + name + "': expected " +
               llvm::join(llvm::ArrayRef(kDialects), ", "))
                  .str();
      return false;
    }
    if (dialect.empty())
      allowed.push_back(name.str());
    else
      byOp[op] = dialect.str();
  }
  return true;
}

bool Dialects::allows(llvm::StringRef dialect, Operation *op) const {
  if (auto found = byOp.find(op->getName().stripDialect()); found != byOp.end())
    return found->second == dialect;
  return allowed.empty() || llvm::is_contained(allowed, dialect);
}

size_t Dialects::rankOf(llvm::StringRef dialect) const {
  if (allowed.empty())
    return llvm::find(kDialects, dialect) - std::begin(kDialects);
  return llvm::find(allowed, dialect) - allowed.begin();
}

bool hasLibraryKernel(Operation *op, const CostModel &costs, const Dialects &dialects) {
  ProposalContext context{costs, [](Value) { return false; }, [](Operation *) { return true; }};
  return !proposalsFor(op, context, dialects).empty();
}

std::vector<Claim> chooseLibraries(func::FuncOp function, const CostModel &costs,
                                   const Dialects &dialects) {
  llvm::DenseSet<Operation *> claimed;
  auto isMaterialized = [&](Value value) {
    Operation *def = value.getDefiningOp();
    return def && !isViewKind(def) &&
           (claimed.contains(def) || isa<raf::MatmulOp>(def) ||
            loopRoleOf(def) == LoopRole::Anchor);
  };
  ProposalContext context{costs, isMaterialized,
                          [&](Operation *op) { return claimed.contains(op); }};
  std::vector<Claim> claims;
  for (Operation &op : function.getBody().front()) {
    if (claimed.contains(&op))
      continue;
    std::vector<Proposal> proposals = proposalsFor(&op, context, dialects);
    if (proposals.empty())
      continue;
    auto better = [&](double seconds, llvm::StringRef dialect, double than, llvm::StringRef other) {
      return seconds < than ||
             (seconds == than && dialects.rankOf(dialect) < dialects.rankOf(other));
    };
    llvm::sort(proposals, [&](const Proposal &a, const Proposal &b) {
      return better(a.seconds, a.dialect, b.seconds, b.dialect);
    });
    Claim claim{std::move(proposals.front()), "", 0};
    if (proposals.size() > 1) {
      claim.runnerUp = proposals[1].dialect;
      claim.runnerUpSeconds = proposals[1].seconds;
    }
    if (std::optional<double> seconds = generated(claim.proposal, costs, dialects)) {
      if (better(*seconds, "gen", claim.proposal.seconds, claim.proposal.dialect))
        claim.lost = true;
      if (claim.lost || claim.runnerUp.empty() || *seconds < claim.runnerUpSeconds) {
        claim.runnerUp = claim.lost ? claim.proposal.dialect : "gen";
        claim.runnerUpSeconds = claim.lost ? claim.proposal.seconds : *seconds;
      }
    }
    if (claim.lost)
      claim.proposal.ops = {&op};
    claimed.insert(claim.proposal.ops.begin(), claim.proposal.ops.end());
    claims.push_back(std::move(claim));
  }
  return claims;
}

} // namespace raf::cover
