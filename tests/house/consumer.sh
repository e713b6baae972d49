#!/usr/bin/env bash
# What is installed can be found and linked by another project.
set -euo pipefail
source=$1
work=$2
rm -rf "$work"
mkdir -p "$work/consumer"
cmake -S "$source" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DSB_BUILD_TESTS=OFF \
  -DCMAKE_INSTALL_PREFIX="$work/prefix" >/dev/null
cmake --build "$work/build" -- --quiet
cmake --install "$work/build" >/dev/null
cat >"$work/consumer/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES C)
find_package(springbench 0.1 REQUIRED)
add_executable(consumer main.c)
target_link_libraries(consumer PRIVATE springbench::sb_solvers)
CMAKE
cat >"$work/consumer/main.c" <<'C'
#include <stdio.h>
#include "solvers/linear/linear_backend.h"
int main(void)
{
  printf("%zu backends, the first is %s\n", sb_linear_backend_count(), sb_linear_backend_at(0)->name);
  return sb_linear_backend_find("cholesky") ? 0 : 1;
}
C
cmake -S "$work/consumer" -B "$work/consumer/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/consumer/build" -- --quiet
"$work/consumer/build/consumer"
"$work/prefix/bin/springbench" list scenes | grep rope >/dev/null
