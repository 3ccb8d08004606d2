# What `cmake --install` brings, and where: the same folders below one prefix as below another, and
# everything finds the rest from where it lies itself, so that an installation may be moved.
include(GNUInstallDirs)
set(share ${CMAKE_INSTALL_DATADIR}/aptune)
set(package ${CMAKE_CURRENT_LIST_DIR})

# --- programs, and what they read -----------------------------------------------------------------
install(TARGETS aptune)
install(TARGETS aptune-compile aptune-gpu DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/aptune)
install(FILES metrics/thesis.metrics metrics/cycles.metrics DESTINATION ${share}/metrics)
install(FILES tuner/measure/compare.cu DESTINATION ${share}/tuner/measure)
