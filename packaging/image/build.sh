#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# An image of the program for podman and docker: Debian of a suite, made from this machine's apt sources, with the
# project's packages. No registry is asked. As root; needs mmdebstrap and umoci. tests/package.sh makes the packages.
#
# usage: packaging/image/build.sh DEBS IMAGE.tar [SUITE]      DEBS: a folder with springbench_*.deb and others
#        podman load -i IMAGE.tar                             the image is localhost/springbench
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd) debs=$(realpath "$1") image=$(realpath -m "$2") suite=${3:-bookworm}
version=$(dpkg-deb -f "$debs"/springbench_*.deb Version)
SOURCE_DATE_EPOCH=$(git -C "$here" log -1 --format=%ct 2>/dev/null || date +%s)
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Sources of this machine, for the suite that is asked for.
own=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
mkdir "$work/sources" "$work/debs"
find /etc/apt \( -name sources.list -o -name debian.sources \) -size +0 -exec cp {} "$work/sources" \;
sed -i "s/\b$own\b/$suite/g" "$work"/sources/*
cp "$debs"/{springbench,libspringbench1}_*.deb "$work/debs"

# Pages, manuals and translations stay out, licences stay. The user is for a run without a folder of the caller.
# shellcheck disable=SC2016 # mmdebstrap gives $1 to its hooks
mmdebstrap --variant=minbase --include=ca-certificates,socat \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  --customize-hook="copy-in $work/debs /var/tmp" \
  --customize-hook='chroot "$1" sh -ec "apt-get install -y --no-install-recommends /var/tmp/debs/*.deb"' \
  --customize-hook='rm -r "$1/var/tmp/debs"' \
  --customize-hook='chroot "$1" useradd --create-home --home-dir /data springbench' \
  --customize-hook="copy-in $here/springbench-image /usr/bin" \
  --customize-hook='rm -rf "$1"/etc/apt/sources.list* "$1"/etc/resolv.conf "$1"/etc/hostname' \
  "$suite" "$work/root.tar" "$work"/sources/*

umoci init --layout "$work/layout"
umoci new --image "$work/layout:springbench"
umoci raw add-layer --image "$work/layout:springbench" "$work/root.tar"
umoci config --image "$work/layout:springbench" --config.entrypoint springbench-image --config.cmd --help \
  --config.workingdir /data --config.volume /data --config.exposedports 8000/tcp --config.env LANG=C.UTF-8 \
  --config.label org.opencontainers.image.version="$version" \
  --config.label org.opencontainers.image.licenses=GPL-3.0-or-later \
  --author 'The springbench authors'
umoci gc --layout "$work/layout"
tar -C "$work/layout" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 -cf "$image" .
echo "$image: springbench $version, $(du -h "$image" | cut -f1)"
