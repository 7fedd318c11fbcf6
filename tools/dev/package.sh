#!/usr/bin/env bash
# build all packages into out/: ./dev package [--arch amd64|arm64] [--twice]
# Builds aks-node-controller (for node images: program, units, manual page) and sunup (for machines that create nodes) as .deb, .rpm and
# .tar.gz, aks-node-controller as a system extension (.raw), the container image of `sunup serve` (.oci.tar; if out/ has those of both
# architectures, also one of both) and the Helm chart that deploys it (.tgz), a bill of materials (SPDX), and SHA256SUMS of all of them. Times in the
# packages are that of the last commit (or SOURCE_DATE_EPOCH), so the same sources give the same bytes. --twice verifies this: it compiles a copy
# of the sources in another directory, without a compiler cache, and compares (this takes as long as a first build).
twice='' words=() arch='' preset=''
for word in "$@"; do
  if [ "$word" = --twice ]; then twice=1; else words+=("$word"); fi
done
choose_arch package "${words[@]}"
need package
./dev build --arch "$arch"
[ -n "${SOURCE_DATE_EPOCH:-}" ] || SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 0)
export SOURCE_DATE_EPOCH
version=$(sed -n 's/^SUNUP_VERSION:STRING=//p' "build/$preset/CMakeCache.txt")

for package in $(packaging/build "build/$preset" out --arch "$arch" --version "$version" --prune); do
  say "${package#"$PWD/"}: $(du -h "$package" | cut -f1)"
done
[ -n "$twice" ] || return 0

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
say "compiling a copy of the sources in $copy"
git ls-files -z -co --exclude-standard | xargs -0 cp --parents -t "$copy"
mkdir "$copy/again"
# The image of all architectures is made from those of the others, too.
for image in out/sunup-"${version//-/\~}"-*.oci.tar; do
  [[ "$image" = *-"$arch".oci.tar ]] || cp "$image" "$copy/again/"
done
(cd "$copy" && cmake --preset "$preset" -DSUNUP_VERSION="$version" >/dev/null && CCACHE_DISABLE=1 build_preset "$preset" aks-node-controller sunup &&
  packaging/build "build/$preset" again --arch "$arch" --version "$version" >/dev/null)
differing=0
for package in "$copy"/again/*; do
  name=$(basename "$package")
  [ "$name" != SHA256SUMS ] || continue
  cmp "$package" "out/$name" || differing=1
done
[ $differing = 0 ] || die "the two builds differ"
say "both builds gave the same bytes"
