#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs the simulators that the adapters of this folder need, and says how springbench finds them.
#   install.sh [NAME…]   all, or these: bullet cannon_es jolt mujoco numpy_euler rapier3d simbody
#   install.sh --list    only prints the line of the installed ones
# Debian packages come from apt. lock.json names four packages of npm: npm downloads them if it is here, otherwise curl
# does from the registry NPM_CONFIG_REGISTRY. Their SHA-512 is checked, and none of their scripts runs. All is left in
# build/ and node_modules/ here. The same command again does only what is missing.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here"
readonly all=(numpy_euler bullet simbody cannon_es rapier3d jolt mujoco)
readonly js='nodejs curl ca-certificates'
declare -rA apt=([numpy_euler]="python3-numpy" [bullet]="libbullet-dev g++ pkg-config"
  [simbody]="libsimbody-dev g++ pkg-config" [cannon_es]="$js" [rapier3d]="$js" [jolt]="$js" [mujoco]="$js")
declare -rA npm=([cannon_es]=cannon-es [rapier3d]=@dimforge/rapier3d-compat [jolt]=jolt-physics [mujoco]=mujoco-js)

is_installed() {
  case $1 in
  bullet | simbody) "build/$1" --version >/dev/null 2>&1 ;;
  numpy_euler) python3 -c 'import numpy' 2>/dev/null ;;
  springbench_python) python3 springbench_python.py --version >/dev/null 2>&1 ;;
  *) command -v node >/dev/null && [ -e "node_modules/${npm[$1]}/.integrity" ] ;;
  esac
}

list() {
  local name paths=()
  for name in "${all[@]}" springbench_python; do
    if is_installed "$name"; then paths+=("$here/$name.json"); fi
  done
  printf 'export SPRINGBENCH_SIMULATORS=%q\n' "$(IFS=: && echo "${paths[*]}")"
}

install_debian() {
  local name package missing=()
  for name in "$@"; do
    for package in ${apt[$name]}; do
      [[ " ${missing[*]} " == *" $package "* ]] ||
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  [ "$(id -u)" -eq 0 ] || { echo "please install: ${missing[*]}" >&2; exit 2; }
  apt-get update >/dev/null
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}" >/dev/null
}

compile() { # NAME
  local flags
  if [ "build/$1" -nt "$1.cpp" ] && [ "build/$1" -nt springbench_simulator.h ]; then return; fi
  echo "compiling $1" >&2
  mkdir -p build
  read -ra flags < <(pkg-config --cflags --libs "$1")
  g++ -O2 -o "$scratch/$1" "$1.cpp" "${flags[@]}"
  mv "$scratch/$1" "build/$1"
}

download() { # PACKAGE VERSION FILE
  if command -v npm >/dev/null; then
    mkdir -p "$scratch/npm"
    mv "$scratch/npm/$(cd "$scratch/npm" && npm pack --ignore-scripts --silent "$1@$2")" "$3"
  elif [ -n "${NPM_CONFIG_REGISTRY-}" ]; then
    curl --fail --silent --show-error --location --retry 3 --output "$3" "$NPM_CONFIG_REGISTRY/$1/-/${1##*/}-$2.tgz"
  else
    echo "$1 $2: install npm, or set NPM_CONFIG_REGISTRY to the address of the registry of npm" >&2
    exit 2
  fi
}

unpack() { # PACKAGE
  local entry line version expected found
  # An entry of lock.json is two lines: name and version, then the SHA-512.
  entry=$(grep -n -F -A 1 "\"name\": \"$1\"" lock.json)
  line=$(tail -n 1 <<<"$entry" | grep -o '^[0-9]*')
  version=$(sed -n 's/.*"version": "\([^"]*\)".*/\1/p' <<<"$entry")
  expected=$(sed -n 's/.*"integrity": "sha512-\([^"]*\)".*/\1/p' <<<"$entry" | base64 -d | od -An -v -tx1 | tr -d ' \n')
  if [ "$(cat "node_modules/$1/.integrity" 2>/dev/null)" = "$expected" ]; then return; fi
  echo "installing $1 $version" >&2
  download "$1" "$version" "$scratch/package.tgz"
  found=$(sha512sum "$scratch/package.tgz" | cut -d ' ' -f 1)
  if [ "$found" != "$expected" ]; then
    echo "$here/lock.json:$line: error: $1 $version has another SHA-512: $found" >&2
    exit 1
  fi
  mkdir "$scratch/package"
  tar --extract --gzip --file "$scratch/package.tgz" --directory "$scratch/package" --strip-components 1 --no-same-owner
  echo "$expected" >"$scratch/package/.integrity"
  rm -rf "node_modules/$1"
  mkdir -p "$(dirname "node_modules/$1")"
  mv "$scratch/package" "node_modules/$1"
}

[ "${1-}" != --list ] || { list && exit; }
names=("$@")
[ $# -gt 0 ] || names=("${all[@]}")
for name in "${names[@]}"; do
  [ -n "${apt[$name]-}" ] || { echo "no simulator '$name' to install; there are: ${all[*]}" >&2; exit 2; }
done
scratch=$(mktemp -d "$here/.installing.XXXXXX")
readonly scratch
trap 'rm -rf "$scratch"' EXIT
install_debian "${names[@]}"
for name in "${names[@]}"; do
  case $name in
  bullet | simbody) compile "$name" ;;
  numpy_euler) ;;
  *) unpack "${npm[$name]}" ;;
  esac
done
list
