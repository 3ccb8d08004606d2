# aptune_add_kernel(TARGET SPEC FILE.spec [RECORDINGS FILE.times...] [NAME NAME] [PREFIX PREFIX]
#                   [FLAVOUR driver|driver-linked|runtime] [DEFAULT N] [ALLOW_STALE])
#
# Adds the tuned kernel of a spec to the library TARGET, which is made where there is none:
# `aptune emit` writes it when the project is built, from recordings that lie in the project, and
# needs no GPU.  What links TARGET can include "NAME.h".  It is written again when the spec, the
# template, one of their includes, a recording or aptune itself changes, and only then.
#
#   SPEC         the spec; a relative path is seen from the present source folder, as all are
#   RECORDINGS   NAME.times or NAME.times.zst, of one or several sizes and devices; without
#                them, those in the folder recordings beside the spec
#   NAME         of the files: NAME.h ... (default: the spec's)
#   PREFIX       of every symbol (default: NAME_)
#   FLAVOUR      driver: C, opens the CUDA driver when it runs (the default); driver-linked: C,
#                linked with the driver; runtime: CUDA, for which the language CUDA must be enabled
#   DEFAULT      number of the entry for sizes and devices that nothing else fits
#   ALLOW_STALE  recordings of an earlier state of spec or template are a warning, not an error
cmake_policy(PUSH)
cmake_policy(VERSION 3.20...3.25) # CMP0116: where the paths in a depfile begin

# Makes sure that TARGET is a library or program that sources can be added to: one of this folder,
# since what is generated here is known to CMake here alone.
function(_aptune_make_library target)
  if(NOT TARGET ${target})
    add_library(${target} STATIC)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(imported ${target} IMPORTED)
  get_target_property(type ${target} TYPE)
  if(imported OR type MATCHES "INTERFACE|UTILITY" OR NOT folder STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    message(FATAL_ERROR
      "aptune_add_kernel: '${target}' is no library or program of ${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
endfunction()

# The file that is compiled.
function(_aptune_name_source out name flavour)
  if(flavour STREQUAL runtime)
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    if(NOT CUDA IN_LIST languages)
      message(FATAL_ERROR "aptune_add_kernel: FLAVOUR runtime is CUDA source, so the project needs "
        "the language: project(... LANGUAGES C CUDA) or enable_language(CUDA)")
    endif()
    set(${out} ${name}.cu PARENT_SCOPE)
  elseif(flavour MATCHES "^driver(-linked)?$")
    set(${out} ${name}.c PARENT_SCOPE)
  else()
    message(FATAL_ERROR
      "aptune_add_kernel: FLAVOUR is driver, driver-linked or runtime, not '${flavour}'")
  endif()
endfunction()

# A file that changes when there are other recordings beside the spec than before.
function(_aptune_watch_recordings out spec folder)
  get_filename_component(beside "${spec}" DIRECTORY)
  file(GLOB there CONFIGURE_DEPENDS "${beside}/recordings/*.times" "${beside}/recordings/*.times.zst")
  file(CONFIGURE OUTPUT "${folder}.recordings" CONTENT "@there@\n" @ONLY)
  set(${out} "${folder}.recordings" PARENT_SCOPE)
endfunction()

# What the emitted unit has to be linked with.
function(_aptune_link target flavour)
  if(flavour STREQUAL runtime)
    return() # CMake links the runtime with what holds CUDA
  endif()
  set(THREADS_PREFER_PTHREAD_FLAG ON)
  find_package(Threads REQUIRED)
  target_link_libraries(${target} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
  if(flavour STREQUAL driver-linked)
    find_package(CUDAToolkit REQUIRED)
    target_link_libraries(${target} PRIVATE CUDA::cuda_driver)
  endif()
endfunction()

# Absolute paths of files that must be there.
function(_aptune_find_files out what)
  set(found)
  foreach(file IN LISTS ARGN)
    get_filename_component(path "${file}" ABSOLUTE)
    if(NOT EXISTS "${path}")
      message(FATAL_ERROR "aptune_add_kernel: no ${what} '${file}' (${path})")
    endif()
    list(APPEND found "${path}")
  endforeach()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

function(aptune_add_kernel target)
  cmake_parse_arguments(PARSE_ARGV 1 arg ALLOW_STALE "SPEC;NAME;PREFIX;FLAVOUR;DEFAULT" RECORDINGS)
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "aptune_add_kernel: what is meant by '${arg_UNPARSED_ARGUMENTS}"
      "${arg_KEYWORDS_MISSING_VALUES}'?")
  endif()
  if(NOT arg_SPEC)
    message(FATAL_ERROR "aptune_add_kernel: which spec? Say SPEC FILE.spec")
  endif()
  if(NOT arg_FLAVOUR)
    set(arg_FLAVOUR driver)
  endif()
  _aptune_find_files(spec spec "${arg_SPEC}")
  _aptune_find_files(recordings recording ${arg_RECORDINGS})
  if(NOT arg_NAME)
    get_filename_component(arg_NAME "${spec}" NAME_WLE)
    string(MAKE_C_IDENTIFIER "${arg_NAME}" arg_NAME)
  endif()
  _aptune_name_source(source ${arg_NAME} ${arg_FLAVOUR})

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/aptune/${arg_NAME}")
  set(command --space "${spec}" --output "${folder}" --name ${arg_NAME} --flavour ${arg_FLAVOUR})
  foreach(option PREFIX DEFAULT)
    if(DEFINED arg_${option})
      string(TOLOWER ${option} name)
      list(APPEND command --${name} ${arg_${option}})
    endif()
  endforeach()
  if(arg_ALLOW_STALE)
    list(APPEND command --stale)
  endif()
  if(NOT recordings)
    _aptune_watch_recordings(watched "${spec}" "${folder}")
  endif()

  if(arg_FLAVOUR STREQUAL runtime)
    set(options "${folder}.options")
    set(write_options COMMAND ${CMAKE_COMMAND} "-DMANIFEST=${folder}/${arg_NAME}.json"
      "-DOUTPUT=${options}" -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/write_options.cmake")
    set_source_files_properties("${folder}/${source}" PROPERTIES
      COMPILE_OPTIONS "--options-file;${options}")
  endif()

  add_custom_command(
    OUTPUT "${folder}/${arg_NAME}.h" "${folder}/${source}" # the depfile is about the first
    COMMAND aptune::program emit ${command} --depfile "${folder}.d" ${recordings}
    ${write_options}
    DEPENDS "${spec}" ${recordings} ${watched} $<TARGET_FILE:aptune::program>
    DEPFILE "${folder}.d"
    COMMENT "Emitting the kernel ${arg_NAME}"
    VERBATIM)
  _aptune_make_library(${target})
  target_sources(${target} PRIVATE "${folder}/${source}")
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${folder}>")
  _aptune_link(${target} ${arg_FLAVOUR})
endfunction()

cmake_policy(POP)
