# Finishes the files of the package, as Debian's policy has them: copyright and changelog (12.5,
# 12.7), manual pages and changelog compressed without a time (12.1).
set(root ${CPACK_TEMPORARY_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX})
file(COPY ${CPACK_APTUNE_DEBIAN_FILES} DESTINATION ${root}/share/doc/aptune)
file(GLOB compressed ${root}/share/man/man*/*.[1-9] ${root}/share/doc/aptune/changelog)
execute_process(COMMAND gzip -9 -n -f ${compressed} COMMAND_ERROR_IS_FATAL ANY)
