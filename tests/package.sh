#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The packages as a user meets them: the commit is built and judged by lintian in a clean chroot, installed in a second
# one with the tools that the pages name, and used there as the pages say. Needs root and debootstrap, which takes
# Debian's packages from where this machine has them. FOLDER keeps the chroots, build.log, lintian.txt, the packages
# (build/src) and what the user made (user/home/user); a chroot that is there is used again. Takes half an hour.
#
# usage: tests/package.sh FOLDER [SUITE]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd) suite=${2:-bookworm}
mkdir -p "$1"
cd "$1"
version=$(sed -n '1s/.*(\(.*\)-.*/\1/p' "$root/debian/changelog")
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

finish() {
  for point in {build,user}/{proc,sys,dev}; do
    if mountpoint -q "$point"; then umount "$point"; fi
  done
}
trap finish EXIT

# Enters a chroot of a name, with a user of that name.
enter() {
  [ -d clean/usr ] || debootstrap --variant=minbase "$suite" clean >/dev/null
  if ! [ -d "$1/home/$1" ]; then
    cp -a clean "$1"
    echo force-unsafe-io >"$1/etc/dpkg/dpkg.cfg.d/unsafe-io"
    chroot "$1" apt-get update -q
    chroot "$1" useradd --create-home --shell /bin/bash "$1"
  fi
  mountpoint -q "$1/proc" || mount -t proc proc "$1/proc"
  mountpoint -q "$1/sys" || mount -t sysfs sys "$1/sys"
  mountpoint -q "$1/dev" || mount --bind /dev "$1/dev"
}

echo "== build"
enter build
rm -rf build/src
mkdir build/src
git -C "$root" archive --prefix="springbench-$version/" HEAD | tar -x -C build/src
chroot build sh -ec "cd /src/springbench-$version; apt-get build-dep -y -q --no-install-recommends ./
  apt-get install -y -q --no-install-recommends dpkg-dev fakeroot lintian; chown -R build /src" >/dev/null
chroot build su build -c "cd /src/springbench-$version && dpkg-buildpackage -us -uc -b" >build.log 2>&1 ||
  { tail -n 40 build.log; exit 1; }
tail -n 3 build.log
# No bug of Debian asks for these packages.
chroot build su build -c "cd /src && lintian --fail-on warning --suppress-tags initial-upload-closes-no-bugs \
  springbench_*.changes" | tee lintian.txt

echo "== install"
enter user
rm -rf user/packages user/home/user/*
mkdir user/packages user/home/user/pages
find build/src -name '*.deb' ! -name '*-dbgsym_*' -exec cp {} user/packages \;
cp -r "build/src/springbench-$version"/{README.md,docs,tests/house/typed.py} user/home/user/pages
chroot user sh -ec 'apt-get install -y -q bash-completion g++ gcc man-db pkg-config python3-matplotlib
  apt-get install -y -q --reinstall /packages/*.deb' >/dev/null

echo "== use"
cat >user/home/user/use.sh <<'USE'
set -euo pipefail
echo "-- manual pages"
man springbench | grep -A 2 SYNOPSIS
for page in /usr/share/man/man[17]/springbench*; do man --warnings "$page" 2>&1 >/dev/null | (! grep .); done
echo "-- completion"
. /usr/share/bash-completion/bash_completion
_completion_loader springbench || [ $? -eq 124 ]
COMP_LINE='springbench case scene=clo' COMP_POINT=26
compopt() { :; }
_springbench
printf '%s\n' "${COMPREPLY[@]}" | grep -x cloth
echo "-- commands of the pages"
ln -s /usr/share/doc/springbench/examples pages/examples
python3 pages/typed.py pages /usr/bin/springbench installed
echo "-- a figure with a plug-in: typed/results/own_solver/figures"
cp -rL pages/examples typed
cd typed
cc -O2 -shared -fPIC own_solver.c $(pkg-config --cflags springbench) -o own_solver.so
springbench --plugin ./own_solver.so run own_solver.yaml --progress none
ls /usr/share/doc/springbench/html/index.html
USE
chown -R --reference=user/home/user user/home/user
chroot user su - user -c 'bash use.sh'
