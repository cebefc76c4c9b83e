"""What RAF raises. Both extension modules raise these classes (python/src/Errors.h)."""

__all__ = ["DistributedError", "Error", "InvalidFileError", "OutOfMemoryError", "ShapeError", "UnsupportedError", "UsageError"]


class Error(RuntimeError):
    """Base of everything that RAF reports."""


class UsageError(Error):
    """The request itself makes no sense."""


class UnsupportedError(Error):
    """The model holds ops that RAF cannot compile; the message names every one with its source line."""


class ShapeError(Error):
    """Shapes, dtypes or names of tensors do not fit each other."""


class InvalidFileError(Error):
    """Bytes read from a file are not what their format asks for."""


class OutOfMemoryError(Error):
    """The plan does not fit the memory budget; `least_bytes` is the least budget that works."""

    least_bytes = 0


class DistributedError(Error):
    """Another rank failed, hung or disagrees."""
