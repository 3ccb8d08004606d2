# What `aptune --version` says of the build: commit, kind of build, CUDA headers.
set(generated ${CMAKE_BINARY_DIR}/generated)
add_custom_target(aptune_commit
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DOUTPUT=${generated}/commit.h
          -P ${CMAKE_CURRENT_LIST_DIR}/commit.cmake
  BYPRODUCTS ${generated}/commit.h
  COMMENT "" VERBATIM)
add_dependencies(aptune aptune_commit)
target_include_directories(aptune PRIVATE ${generated})

file(STRINGS ${CUDA_INCLUDE}/cuda.h cuda_version REGEX "^#define CUDA_VERSION [0-9]+$")
string(REGEX REPLACE "^.* ([0-9]+)0([0-9])0$" "\\1.\\2" cuda_version "${cuda_version}")
string(REPLACE GNU gcc kind "${CMAKE_BUILD_TYPE} by ${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}")
if(APTUNE_SANITIZE)
  string(APPEND kind " with sanitizers")
endif()
set_source_files_properties(tuner/main.c PROPERTIES COMPILE_DEFINITIONS
  "APTUNE_BUILD=\"${kind}\";APTUNE_CUDA_HEADERS=\"${cuda_version}\"")
