# `cmake --install BUILD --component gfx3d [--prefix P]`: the C library of the software renderer with its header, the shader
# gallery, and a package that find_package(gyre) finds; it brings the target gyre::gfx3d.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gyre)
install(TARGETS gyre_gfx3d EXPORT gyre_package COMPONENT gfx3d
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT gfx3d NAMELINK_COMPONENT gfx3d
        PUBLIC_HEADER DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT gfx3d)
set_target_properties(gyre_gfx3d PROPERTIES EXPORT_NAME gfx3d)
install(EXPORT gyre_package NAMESPACE gyre:: DESTINATION ${package_dir} FILE gyre-targets.cmake COMPONENT gfx3d)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/gyre-config.cmake CONTENT
"include(\${CMAKE_CURRENT_LIST_DIR}/gyre-targets.cmake)
" @ONLY)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/gyre-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/gyre-config.cmake ${CMAKE_BINARY_DIR}/gyre-config-version.cmake DESTINATION ${package_dir} COMPONENT gfx3d)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/scenes/shaders DESTINATION ${CMAKE_INSTALL_DATADIR}/gyre COMPONENT gfx3d)
