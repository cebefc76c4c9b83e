# Third-party libraries. scripts/setup installs them; a missing one is a configure error that says so.
find_package(MLIR 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/mlir)
find_package(LLVM 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/llvm)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# oneDNN from the pinned wheels in .venv, or any oneDNN >= 3.2 that CMake finds.
find_package(dnnl 3.2 CONFIG QUIET HINTS ${CMAKE_SOURCE_DIR}/.venv/lib/cmake/dnnl)
if(NOT dnnl_FOUND)
  message(FATAL_ERROR "oneDNN >= 3.2 not found; run scripts/setup")
endif()
get_target_property(RAF_DNNL_INCLUDE DNNL::dnnl INTERFACE_INCLUDE_DIRECTORIES)
get_target_property(RAF_DNNL_LIBRARY DNNL::dnnl LOCATION)
get_filename_component(RAF_DNNL_LIBDIR ${RAF_DNNL_LIBRARY} DIRECTORY)

find_package(Flatbuffers REQUIRED CONFIG NAMES FlatBuffers Flatbuffers flatbuffers)
find_program(RAF_FLATC flatc REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)
