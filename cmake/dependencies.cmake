# Libraries, all Debian packages (packages.txt). HDF5 is the MPI flavour that PETSc links, found by pkg-config because
# find_package(HDF5) takes the serial one when both are there; CHOLMOD and UMFPACK have neither module nor config.
find_package(PkgConfig REQUIRED)
find_package(MPI REQUIRED COMPONENTS C)
foreach(pair PETSC:PETSc SLEPC:SLEPc HDF5:hdf5-openmpi YAML:yaml-0.1 JANSSON:jansson GCRYPT:libgcrypt XXHASH:libxxhash
             HWLOC:hwloc MUPARSER:muparser CMARK:libcmark-gfm)
  string(REPLACE ":" ";" pair "${pair}")
  list(GET pair 0 target)
  list(GET pair 1 module)
  pkg_check_modules(${target} REQUIRED IMPORTED_TARGET "${module}")
endforeach()
find_path(CHOLMOD_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse REQUIRED)
find_library(CHOLMOD_LIBRARY cholmod REQUIRED)
find_path(UMFPACK_INCLUDE_DIR umfpack.h PATH_SUFFIXES suitesparse REQUIRED)
find_library(UMFPACK_LIBRARY umfpack REQUIRED)
find_library(HDF5_HL_LIBRARY hdf5_openmpi_hl REQUIRED)

add_library(sb_cholmod INTERFACE)
target_include_directories(sb_cholmod SYSTEM INTERFACE "${CHOLMOD_INCLUDE_DIR}")
target_link_libraries(sb_cholmod INTERFACE "${CHOLMOD_LIBRARY}")
add_library(sb_umfpack INTERFACE)
target_include_directories(sb_umfpack SYSTEM INTERFACE "${UMFPACK_INCLUDE_DIR}")
target_link_libraries(sb_umfpack INTERFACE "${UMFPACK_LIBRARY}")
add_library(sb_hdf5 INTERFACE)
target_link_libraries(sb_hdf5 INTERFACE "${HDF5_HL_LIBRARY}" PkgConfig::HDF5)
# PETSc's module names no MPI include.
add_library(sb_petsc INTERFACE)
target_link_libraries(sb_petsc INTERFACE PkgConfig::PETSC MPI::MPI_C)
