# Installed: the program; the libraries with their headers and lists; and in share/springbench what a clone has in the
# same places: sweeps, plot scripts, published data, pages, licence. The program finds these from where it stands, so that
# all of it may be moved. A consumer writes find_package(springbench) and links springbench::sb_solvers.
include(CMakePackageConfigHelpers)
set(package_directory "${CMAKE_INSTALL_LIBDIR}/cmake/springbench")

install(TARGETS sb_base sb_model sb_petsc_text sb_linear sb_minimize sb_bounded sb_integrate sb_solvers sb_openmp sb_petsc sb_cholmod sb_umfpack
        EXPORT springbench ARCHIVE)
install(EXPORT springbench NAMESPACE springbench:: DESTINATION "${package_directory}")
install(DIRECTORY base model solvers DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/springbench"
        FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
set(data_directory "${CMAKE_INSTALL_DATADIR}/springbench")
install(DIRECTORY docs plots DESTINATION "${data_directory}")
install(DIRECTORY experiments DESTINATION "${data_directory}" FILES_MATCHING PATTERN "*.yaml" PATTERN "*.csv")
install(DIRECTORY results/published DESTINATION "${data_directory}/results")
install(FILES results/README.md DESTINATION "${data_directory}/results")
install(FILES README.md CONTRIBUTING.md CITATION.cff LICENSE packages.txt DESTINATION "${data_directory}")
configure_package_config_file(cmake/springbench-config.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/springbench-config.cmake"
                              INSTALL_DESTINATION "${package_directory}")
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/springbench-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/springbench-config.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/springbench-config-version.cmake" DESTINATION "${package_directory}")
