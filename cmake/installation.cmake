# SPDX-License-Identifier: GPL-3.0-or-later
# Installed: the programs; the library with its header, its CMake package and its pkg-config file; the Python module and
# examples; and in share/springbench what a clone has in the same places: sweeps, plot scripts, published data, pages,
# licence. The program finds these from where it stands, so that all of it may be moved. Another project writes
# find_package(springbench) and links springbench::springbench, or asks pkg-config for springbench.
include(CMakePackageConfigHelpers)
# What is built to be installed; run_all.sh builds it.
add_custom_target(installed)
add_dependencies(installed springbench springbench-cases springbench_library)
if(TARGET manual)
  add_dependencies(installed manual)
endif()
set(package_directory "${CMAKE_INSTALL_LIBDIR}/cmake/springbench")

install(TARGETS springbench_library EXPORT springbench)
install(EXPORT springbench NAMESPACE springbench:: DESTINATION "${package_directory}")
file(RELATIVE_PATH prefix_from_pc "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
configure_file(cmake/springbench.pc.in "${CMAKE_CURRENT_BINARY_DIR}/springbench.pc" @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/springbench.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
set(data_directory "${CMAKE_INSTALL_DATADIR}/springbench")
install(DIRECTORY docs plots examples python DESTINATION "${data_directory}"
        PATTERN __pycache__ EXCLUDE PATTERN *.egg-info EXCLUDE PATTERN python/build EXCLUDE PATTERN node_modules EXCLUDE PATTERN examples/simulators/build EXCLUDE)
install(DIRECTORY experiments DESTINATION "${data_directory}"
        FILES_MATCHING PATTERN "*.yaml" PATTERN "*.csv" PATTERN "*.obj")
install(DIRECTORY results/published DESTINATION "${data_directory}/results")
install(FILES results/README.md DESTINATION "${data_directory}/results")
install(FILES README.md CONTRIBUTING.md CODE_OF_CONDUCT.md SECURITY.md CHANGELOG.md CITATION.cff LICENSE packages.txt
        DESTINATION "${data_directory}")
configure_package_config_file(cmake/springbench-config.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/springbench-config.cmake"
                              INSTALL_DESTINATION "${package_directory}")
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/springbench-config-version.cmake"
                                 COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/springbench-config.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/springbench-config-version.cmake" DESTINATION "${package_directory}")
