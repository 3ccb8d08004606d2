# A Debian package of what is installed: `cpack -G DEB` in the build folder.  Its dependencies are
# read off the programs by dpkg-shlibdeps.
set(APTUNE_MAINTAINER "aptune <aptune@localhost.localdomain>" CACHE STRING
  "Who answers for the Debian package: Name <address>")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "${APTUNE_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${package}/debian/finish.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${package}/debian/use_trigger.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${package}/debian/triggers)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Takes a CUDA kernel template and a space of configurations, compiles every
configuration, reads what the compiler made of it, prunes the space by static
metrics to the few configurations that can be the fastest, times only those
on the GPU, and writes the tuned kernel out for use in another project.
.
It compiles with NVIDIA's NVRTC (CUDA 12 or later), which is not in this
package and is looked for when the program runs; tuning without recordings
needs NVIDIA's driver, too.")

# The date of the changelog is that of configuring (or SOURCE_DATE_EPOCH's, which CMake heeds).
string(TIMESTAMP APTUNE_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)

# The copyright and the changelog go where Debian looks for them, and only into the package.
configure_file(${package}/debian/changelog.in ${CMAKE_BINARY_DIR}/debian/changelog @ONLY)
set(CPACK_APTUNE_DEBIAN_FILES ${package}/debian/copyright ${CMAKE_BINARY_DIR}/debian/changelog)
include(CPack)
