# GoogleTest programs. One line makes one from every .cpp of the calling folder:
#
#   raf_add_tests(runtime-tests LIBS raf_runtime)             # tests/unit/runtime/CMakeLists.txt
#   raf_add_tests(loops-tests SOURCES Atoms.cpp LIBS raf_compiler)
#
# The program lies in build/bin; ./run-tests runs whatever is named *-tests there.
if(RAF_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()

function(raf_add_tests name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
  if(NOT RAF_BUILD_TESTS)
    return()
  endif()
  if(NOT name MATCHES "-tests$")
    message(FATAL_ERROR "raf_add_tests: expected a name that ends in -tests, but got ${name}")
  endif()
  if(NOT arg_SOURCES)
    file(GLOB arg_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBS} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE RAF_SOURCE_DIR="${CMAKE_SOURCE_DIR}" RAF_BINARY_DIR="${CMAKE_BINARY_DIR}")
  add_test(NAME ${name} COMMAND ${name})
endfunction()
