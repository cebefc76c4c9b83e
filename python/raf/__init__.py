"""RAF: a compiler and runtime that trains neural networks."""

from raf.errors import (DistributedError, Error, InvalidFileError, OutOfMemoryError, ShapeError, UnsupportedError,
                        UsageError)

__all__ = ["DistributedError", "Error", "InvalidFileError", "OutOfMemoryError", "ShapeError", "UnsupportedError", "UsageError"]
