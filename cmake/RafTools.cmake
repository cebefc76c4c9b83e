# Compiler launcher, linker and warnings: what makes a one-line change rebuild in seconds.
find_program(RAF_CCACHE ccache)
if(RAF_CCACHE)
  # Hits in every checkout: paths are relative to the source folder and the working folder is not hashed.
  set(RAF_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${RAF_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${RAF_LAUNCHER})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${RAF_LAUNCHER})
endif()

find_program(RAF_MOLD mold)
find_program(RAF_LLD ld.lld-19)
if(RAF_MOLD)
  add_link_options(-fuse-ld=mold)
elseif(RAF_LLD)
  add_link_options(-fuse-ld=lld)
endif()

# Lets ccache hit on files that use a precompiled header.
add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
add_compile_options(-Wall -Wextra -Wno-unused-parameter -fno-semantic-interposition)
if(RAF_SANITIZE)
  add_compile_options(-fsanitize=${RAF_SANITIZE} -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${RAF_SANITIZE})
endif()

# Every source of a folder belongs to the library of that folder; tests lie in test/ folders beside
# what they test and belong to none.
function(raf_sources out)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER found EXCLUDE REGEX "/test/")
  set(${out} ${found} PARENT_SCOPE)
endfunction()
