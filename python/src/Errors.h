// C++ errors as the classes of raf/errors.py: one set for both extension modules.
#pragma once

#include "common/Error.h"

#include <nanobind/nanobind.h>

namespace raf {

/// Raises the class `name` of raf.errors; an OutOfMemoryError carries its least budget.
inline void raisePythonError(const char *name, const Error &error) {
  namespace nb = nanobind;
  nb::object type = nb::module_::import_("raf.errors").attr(name);
  nb::object value = type(error.what());
  if (auto *memory = dynamic_cast<const OutOfMemoryError *>(&error))
    value.attr("least_bytes") = memory->leastBytes;
  PyErr_SetObject(type.ptr(), value.ptr());
}

/// Call once when a module is initialised.
inline void translateErrors() {
  nanobind::register_exception_translator([](const std::exception_ptr &pointer, void *) {
    try {
      std::rethrow_exception(pointer);
    } catch (const UsageError &e) {
      raisePythonError("UsageError", e);
    } catch (const UnsupportedError &e) {
      raisePythonError("UnsupportedError", e);
    } catch (const ShapeError &e) {
      raisePythonError("ShapeError", e);
    } catch (const InvalidFileError &e) {
      raisePythonError("InvalidFileError", e);
    } catch (const OutOfMemoryError &e) {
      raisePythonError("OutOfMemoryError", e);
    } catch (const DistributedError &e) {
      raisePythonError("DistributedError", e);
    } catch (const Error &e) {
      raisePythonError("Error", e);
    }
  });
}

} // namespace raf
