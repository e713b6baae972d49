#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Packs a finished build so that sweeps, and tests/device/device.c, run on an x86-64 Linux machine without PETSc:
#
#   tests/device/card/bundle.sh BUILD OUT.tar.xz
#   there: tar xf OUT.tar.xz && bundle/start.sh springbench run bundle/share/springbench/experiments/SWEEP.yaml
#
# That machine needs glibc, libstdc++, libgcc_s and libgomp, at least as new as here, and a libOpenCL.so.1. Cases of
# several ranks do not run there. Without gnuplot, the run of a whole sweep ends with status 5 after it has stored the
# results; `springbench run NAME -o DIR` draws the figures here. The programs of sweeps are not stripped, as results
# name a build by the digest of springbench-cases.
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: bundle.sh BUILD OUT.tar.xz" >&2; exit 2; }
root=$(cd "$(dirname "$0")/../../.." && pwd)
build=$1 out=$2
programs=("$build"/springbench/springbench{,-cases} "$build/tests/device/test_device")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
top=$work/bundle data=$work/bundle/share/springbench
# Cases inherit HOME, where Open MPI reads its parameters. USER_DEFAULT is the folder `components` beside them.
components=$top/home/.openmpi/components

# Prints the libraries that a program or component loads, except those that the machine has to provide: NAME FILE.
libraries() {
  local own='^(ld-linux-x86-64|lib(c|m|mvec|dl|pthread|rt|util|anl|resolv|stdc[+][+]|gcc_s|gomp|OpenCL))[.]so' loaded
  loaded=$(ldd "$@")
  if grep 'not found' <<<"$loaded" >&2; then return 1; fi
  awk -v own="$own" '$2 == "=>" && $1 !~ own {print $1, $3}' <<<"$loaded" | sort -u
}

mkdir -p "$top"/{bin,lib} "$components" "$data/results"
cp "${programs[@]}" "$top/bin/"
cp -r "$root"/{experiments,plots} "$data/"
cp -r "$root/results/published" "$data/results/"
libraries "${programs[@]}" >"$work/libraries"
while read -r name file; do cp -L "$file" "$top/lib/$name"; done <"$work/libraries"

# Components of Open MPI that need another library are for networks and launchers.
printf '%s\n' 'mca_base_component_path = USER_DEFAULT' 'ess_singleton_isolated = 1' >"$components/../mca-params.conf"
for component in "$(ompi_info --parsable --path pkglibdir | cut -d : -f 3)"/mca_*.so; do
  libraries "$component" >"$work/needed"
  [ "$(comm -23 "$work/needed" "$work/libraries")" ] || cp "$component" "$components/"
done
chmod u+w "$top"/lib/* "$components"/*
strip --strip-unneeded "$top/bin/test_device" "$top"/lib/* "$components"/*

cat >"$top/start.sh" <<'END'
#!/bin/bash
# Runs a program of this bundle, or another one with its libraries: start.sh springbench|test_device|PROGRAM [ARGUMENT...]
here=$(dirname "$(readlink -f "$0")")
program=${1:?program: springbench or test_device}
[ ! -f "$here/bin/$program" ] || program=$here/bin/$program
export LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} HOME=$here/home
exec "$program" "${@:2}"
END
chmod +x "$top/start.sh"
tar -C "$work" --sort=name --owner=0 --group=0 -cf - bundle | xz --x86 --lzma2=preset=9e >"$out"
echo "$out: $(du -h "$out" | cut -f 1), of $(du -sh "$top" | cut -f 1)"
