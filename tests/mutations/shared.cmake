# For tests/mutations/mutate: the program's own static libraries become shared ones.  Then a changed
# file costs one compile and one link rather than a link of each test.
set(SHARED_ONES aptune_metrics aptune_tuner)
function(add_library name)
  set(arguments ${ARGN})
  if(name IN_LIST SHARED_ONES)
    list(TRANSFORM arguments REPLACE "^STATIC$" SHARED)
  endif()
  _add_library(${name} ${arguments})
  if(name IN_LIST SHARED_ONES)
    set_target_properties(${name} PROPERTIES C_VISIBILITY_PRESET default)
  endif()
  if(name STREQUAL aptune_metrics) # says which mutations a test reaches
    target_sources(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests/mutations/reached.c)
  endif()
  if(name STREQUAL aptune_tuner) # tests copy the program, and helpers lie beside it
    target_sources(${name} PRIVATE ${CMAKE_BINARY_DIR}/beside_program.c)
  endif()
endfunction()
file(WRITE ${CMAKE_BINARY_DIR}/beside_program.c "int dladdr1(void);\nint dladdr1(void) { return 0; }\n")
function(install) # nothing of this build is
endfunction()
set(CMAKE_LINK_DEPENDS_NO_SHARED ON)
link_libraries(m z zstd xxhash)
find_program(LLD ld.lld)
if(LLD)
  add_link_options(-fuse-ld=lld)
endif()
# What is lost fails a test, as in the sanitized suite.
add_link_options(-fsanitize=leak)
