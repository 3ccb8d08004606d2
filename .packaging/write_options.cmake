# Writes the options that nvcc needs for an emitted unit of the flavour runtime (-use_fast_math and
# the like), as its manifest MANIFEST names them, into the file OUTPUT for nvcc's --options-file.
# All variants are compiled at once, so that they must agree.
file(READ "${MANIFEST}" manifest)
string(JSON variants LENGTH "${manifest}" variants)
math(EXPR last_variant "${variants} - 1")
foreach(v RANGE ${last_variant})
  string(JSON launches LENGTH "${manifest}" variants ${v} launches)
  math(EXPR last_launch "${launches} - 1")
  foreach(l RANGE ${last_launch})
    string(JSON options GET "${manifest}" variants ${v} launches ${l} options)
    if(DEFINED first AND NOT options STREQUAL first)
      message(FATAL_ERROR "variants of this unit want different options, '${first}' and '${options}', "
        "and nvcc compiles them as one file: take FLAVOUR driver, or recordings that agree")
    endif()
    set(first "${options}")
  endforeach()
endforeach()
file(WRITE "${OUTPUT}" "${first}\n")
