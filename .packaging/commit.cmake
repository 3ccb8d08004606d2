# Writes the header OUTPUT, which names the commit of the checkout SOURCE; "" where there is none or
# no git.  An unchanged header is left alone, so that nothing is compiled again.
cmake_minimum_required(VERSION 3.25)
find_program(GIT git)
set(commit "")
if(GIT AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty=,\ modified --abbrev=12
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define APTUNE_COMMIT \"@commit@\"\n" @ONLY)
