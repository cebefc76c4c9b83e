// Models that come with RAF, by name: "gpt2", "gpt2:layers=6,width=384".
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace raf::zoo {

/// Whether `spec` starts with the name of a zoo model.
bool has(const std::string &spec);

/// The module with @forward of `spec` = NAME[:key=value,...]. `sizes` holds outer extents ("batch",
/// "context") that override the keys of the same names. Throws UsageError for an unknown name, key
/// or value.
mlir::OwningOpRef<mlir::ModuleOp> build(mlir::MLIRContext &context, const std::string &spec,
                                        const std::map<std::string, int64_t> &sizes);

/// Names with a description that lists keys and defaults.
std::vector<std::pair<std::string, std::string>> list();

} // namespace raf::zoo
