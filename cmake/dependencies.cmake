# SPDX-License-Identifier: GPL-3.0-or-later
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
# HDF5 for a program without MPI: the same library, linked statically, and what it needs to start.
find_library(HDF5_STATIC_LIBRARY libhdf5_openmpi.a)
find_library(HDF5_HL_STATIC_LIBRARY libhdf5_openmpi_hl.a)
find_library(SZ_LIBRARY sz)
find_library(Z_LIBRARY z)

# Targets with the property SB_LIGHT (springbench/CMakeLists.txt) are linked without the libraries that take 0.1 s to
# load: these, and those that they load.
set(light "$<BOOL:$<TARGET_PROPERTY:SB_LIGHT>>")
set(full "$<NOT:${light}>")
add_library(sb_cholmod INTERFACE)
target_include_directories(sb_cholmod SYSTEM INTERFACE "${CHOLMOD_INCLUDE_DIR}")
target_link_libraries(sb_cholmod INTERFACE "$<${full}:${CHOLMOD_LIBRARY}>")
add_library(sb_umfpack INTERFACE)
target_include_directories(sb_umfpack SYSTEM INTERFACE "${UMFPACK_INCLUDE_DIR}")
target_link_libraries(sb_umfpack INTERFACE "$<${full}:${UMFPACK_LIBRARY}>")
add_library(sb_hdf5 INTERFACE)
if(HDF5_STATIC_LIBRARY AND HDF5_HL_STATIC_LIBRARY AND SZ_LIBRARY AND Z_LIBRARY)
  target_link_libraries(sb_hdf5 INTERFACE "$<${full}:${HDF5_HL_LIBRARY};PkgConfig::HDF5>"
    "$<${light}:${HDF5_HL_STATIC_LIBRARY};${HDF5_STATIC_LIBRARY};${SZ_LIBRARY};${Z_LIBRARY}>")
else()
  message(STATUS "Commands load HDF5 with MPI: its static library, or libsz or libz for it, was not found")
  target_link_libraries(sb_hdf5 INTERFACE "${HDF5_HL_LIBRARY}" PkgConfig::HDF5)
endif()
# PETSc's module names no MPI include.
add_library(sb_petsc INTERFACE)
target_link_libraries(sb_petsc INTERFACE "$<${full}:PkgConfig::PETSC;MPI::MPI_C>")
add_library(sb_slepc INTERFACE)
target_link_libraries(sb_slepc INTERFACE "$<${full}:PkgConfig::SLEPC>")
# Threads (base/threads.h). Other compilers bring a runtime of their own, a second one beside that which the libraries
# above load: without OpenMP the same results come from one thread.
add_library(sb_openmp INTERFACE)
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
  find_package(OpenMP REQUIRED COMPONENTS C)
  target_link_libraries(sb_openmp INTERFACE OpenMP::OpenMP_C)
endif()

# Optional, for the stand-ins of driver peer: C++ and Eigen. C++ is compiled with the flags of C, and by the same
# compiler, which links programs then: sanitizers of two do not go together.
if(CMAKE_C_COMPILER_ID STREQUAL Clang AND NOT CMAKE_CXX_COMPILER)
  cmake_path(GET CMAKE_C_COMPILER FILENAME name)
  string(REPLACE clang clang++ name "${name}")
  find_program(CMAKE_CXX_COMPILER NAMES "${name}")
endif()
include(CheckLanguage)
check_language(CXX)
if(CMAKE_CXX_COMPILER)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" configuration)
  set(CMAKE_CXX_FLAGS_${configuration} "${CMAKE_C_FLAGS_${configuration}}" CACHE STRING "those of C")
  enable_language(CXX)
  find_package(Eigen3 3.3 CONFIG QUIET)
endif()
if(NOT TARGET Eigen3::Eigen)
  message(STATUS "Driver peer has no stand-ins: they need a C++ compiler and Eigen (g++, libeigen3-dev)")
endif()
