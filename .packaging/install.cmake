# What `cmake --install` brings, and where: the same folders below one prefix as below another, and
# everything finds the rest from where it lies itself, so that an installation may be moved.
include(GNUInstallDirs)
set(share ${CMAKE_INSTALL_DATADIR}/aptune)
set(package ${CMAKE_CURRENT_LIST_DIR})

# --- programs, and what they read -----------------------------------------------------------------
set_target_properties(aptune PROPERTIES EXPORT_NAME program)
install(TARGETS aptune EXPORT aptune-targets)
install(TARGETS aptune-compile aptune-gpu DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/aptune)
install(FILES metrics/thesis.metrics metrics/cycles.metrics metrics/platform.models DESTINATION ${share}/metrics)
install(FILES tuner/gpu/compare.cu DESTINATION ${share}/tuner/gpu)
install(FILES ${CMAKE_BINARY_DIR}/aptune-rival-cub.so OPTIONAL
  DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/aptune)

# --- spaces to begin with: specs, their templates, recordings of them -----------------------------
install(DIRECTORY spaces templates DESTINATION ${share} PATTERN README.md EXCLUDE)

# --- documentation --------------------------------------------------------------------------------
install(FILES README.md SECURITY.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES tuner/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME manual.md)
install(FILES spaces/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME specs.md)
install(FILES metrics/device/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME devices.md)
install(FILES templates/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME templates.md)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${package}/completion/aptune
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${package}/completion/_aptune
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${package}/completion/aptune.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# The pages are made by running the program, which a cross-compiled one does not do here.
if(NOT CMAKE_CROSSCOMPILING)
  set(man ${CMAKE_BINARY_DIR}/man)
  add_custom_command(OUTPUT ${man}/aptune.1
    COMMAND ${package}/man/pages.sh $<TARGET_FILE:aptune> ${PROJECT_VERSION} ${CMAKE_SOURCE_DIR} ${man}
    DEPENDS aptune spaces/README.md ${package}/man/pages.sh ${package}/man/roff.awk
            ${package}/man/help.awk ${package}/man/markdown.awk ${package}/man/header.awk
            ${package}/man/aptune.md
    COMMENT "Making the manual pages" VERBATIM)
  add_custom_target(aptune_man ALL DEPENDS ${man}/aptune.1)
  install(DIRECTORY ${man}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN *.1)
  install(DIRECTORY ${man}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 FILES_MATCHING PATTERN *.3)
  install(DIRECTORY ${man}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man5 FILES_MATCHING PATTERN *.5)
endif()

# --- for other projects ---------------------------------------------------------------------------
# The shared library is exported as aptune::aptune; of the static one, whose parts lie in libraries
# without targets, aptune-config.cmake says what it needs.
set(sanitizers)
if(APTUNE_SANITIZE) # what links a library needs the sanitizers' run-time library
  set(sanitizers -fsanitize=address,undefined)
endif()
if(TARGET libaptune)
  set_target_properties(libaptune PROPERTIES EXPORT_NAME aptune)
  set_target_properties(aptune_interface PROPERTIES EXPORT_NAME interface)
  install(TARGETS libaptune aptune_interface EXPORT aptune-targets)
  target_link_options(libaptune INTERFACE ${sanitizers})
endif()
install(TARGETS libaptune_static)
install(FILES tuner/gpu/rival.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/aptune)
file(RELATIVE_PATH from_pkgconfig /${CMAKE_INSTALL_LIBDIR}/pkgconfig /) # to the prefix
string(REGEX REPLACE "/$" "" from_pkgconfig ${from_pkgconfig})
configure_file(${package}/aptune.pc.in ${CMAKE_BINARY_DIR}/package/aptune.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/package/aptune.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

include(CMakePackageConfigHelpers)
set(config ${CMAKE_BINARY_DIR}/package)
set(cmakedir ${CMAKE_INSTALL_LIBDIR}/cmake/aptune)
configure_package_config_file(${package}/aptune-config.cmake.in ${config}/aptune-config.cmake
  INSTALL_DESTINATION ${cmakedir} PATH_VARS share CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${config}/aptune-config-version.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT aptune-targets NAMESPACE aptune:: DESTINATION ${cmakedir})
install(FILES ${config}/aptune-config.cmake ${config}/aptune-config-version.cmake
              ${package}/aptune_add_kernel.cmake ${package}/write_options.cmake
  DESTINATION ${cmakedir})

include(${package}/debian.cmake)
