// Errors a user can see. The library throws these and never exits; tools turn one into a
// single located line on stderr and exit code 1 (2 for UsageError).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace raf {

/// Base of everything RAF reports to its user. `what()` is one line: lower case, no full stop,
/// prefixed with where it happened (file:line, file name or op) when that is known.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The request itself makes no sense (unknown option, unknown zoo key).
struct UsageError : Error {
  using Error::Error;
};

/// The model holds ops that RAF cannot compile; the message names every one with its source line.
struct UnsupportedError : Error {
  using Error::Error;
};

/// Shapes, dtypes or names of tensors do not fit each other.
struct ShapeError : Error {
  using Error::Error;
};

/// Bytes read from a file are not what their format asks for.
struct InvalidFileError : Error {
  using Error::Error;
};

/// The plan does not fit the memory budget; `leastBytes` is the least budget that works.
struct OutOfMemoryError : Error {
  OutOfMemoryError(const std::string &what, uint64_t least) : Error(what), leastBytes(least) {}
  uint64_t leastBytes = 0;
};

/// Another rank failed, hung or disagrees.
struct DistributedError : Error {
  using Error::Error;
};

} // namespace raf
