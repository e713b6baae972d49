#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What is installed does without the source tree, wherever it is moved: sweeps run by name, with figures, pages and
# published values; another project finds and links the library.
set -euo pipefail
work=$1
built=$2 # where toy_backend.sh has built, of a copy of the tree, and installed
rm -rf "$work"
mkdir -p "$work/consumer" "$work/elsewhere"
mv "$built/a root/opt/spring" "$work/it's [moved]"
rm -rf "$built"
installed="$work/it's [moved]"
data="$installed/share/springbench"

cd "$work/elsewhere"
springbench() { "$installed/bin/springbench" "$@"; }
springbench list sweeps | grep -w rope_blowup >/dev/null
springbench check "$data"/experiments/*/*.yaml >/dev/null # the published tables that they name are there
springbench run spring_anisotropy --progress none -f 'edge_load == 0.1 and springs == crossed' # its figure has a script in plots/
springbench run rope_blowup --quick --progress none -f 'integrator == symplectic_euler'
[ "$(ls)" = results ] # in the current folder
springbench table results/spring_anisotropy linear | grep 333 >/dev/null
springbench plot results/spring_anisotropy >/dev/null
for file in results/spring_anisotropy/figures/spring_anisotropy.svg results/rope_blowup/figures/*.svg; do [ -s "$file" ]; done
grep -qF "$(sed -n 2p "$data/plots/report.css")" results/rope_blowup/report.html
grep -q rope-symplectic-threshold results/REPRODUCED.md
for page in README.md LICENSE CITATION.cff CONTRIBUTING.md docs/command_line.md docs/reference/options.md results/README.md; do
  [ -s "$data/$page" ]
done
[ -s "$installed/share/man/man1/springbench-run.1" ]
[ -s "$installed/share/bash-completion/completions/springbench" ]
cd "$work"
mv "$installed" "$work/it's moved"
data="$work/it's moved/share/springbench"
plain=$(mktemp -d) # CMake looks for what belongs to a package by patterns, and [ would be one
trap 'rm -rf "$plain"' EXIT
ln -s "$work/it's moved" "$plain/spring"

cat >"$work/consumer/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES C)
find_package(springbench ${version} REQUIRED)
add_executable(consumer cloth_from_arrays.c)
target_link_libraries(consumer PRIVATE springbench::springbench)
CMAKE
cp "$data/examples/cloth_from_arrays.c" "$work/consumer"
version=$(sed -n 's/^version: //p' "$data/CITATION.cff")
cmake -S "$work/consumer" -B "$work/consumer/build" -G Ninja -DCMAKE_PREFIX_PATH="$plain/spring" -Dversion="$version" >/dev/null
cmake --build "$work/consumer/build" -- --quiet
"$work/consumer/build/consumer" | grep -F 'z = -0.' >/dev/null
# shellcheck disable=SC2046
PKG_CONFIG_PATH="$plain/spring/lib/pkgconfig" bash -c 'cc "$1/cloth_from_arrays.c" $(pkg-config --cflags --libs springbench) -o "$1/by_hand"' \
  _ "$work/consumer"
LD_LIBRARY_PATH="$plain/spring/lib" "$work/consumer/by_hand" | grep -F 'z = -0.' >/dev/null
(cd "$work/consumer" && PYTHONPATH="$plain/spring/share/springbench/python" /usr/bin/python3 "$data/examples/own_mesh.py")
[ -s "$work/consumer/hammock.h5" ]
