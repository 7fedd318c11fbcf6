#!/usr/bin/env bash
# Functions for all verbs of ./dev: messages, installation of packages, paths.

# Everything that is expensive to create and safe to keep (Kubernetes binaries, node images) is stored here.
SUNUP_CACHE=${SUNUP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/sunup}
export SUNUP_CACHE

say() {
  if [ -t 2 ]; then printf '\033[1m==>\033[0m %s\n' "$*" >&2; else printf '==> %s\n' "$*" >&2; fi
}
die() {
  printf 'dev: %s\n' "$*" >&2
  exit 1
}

# Debian packages of the named groups (tools/deps/GROUP.txt), one per line, without duplicates.
packages() {
  local g files=()
  for g in "$@"; do
    [ -f "tools/deps/$g.txt" ] || die "no package group '$g' in tools/deps/"
    files+=("tools/deps/$g.txt")
  done
  sed 's/#.*//' "${files[@]}" | tr -s ' \t' '\n' | awk 'NF && !seen[$0]++'
}

# need GROUP...: installs the missing packages of these groups, with a message. Takes a few milliseconds if none is missing.
need() {
  local p wanted missing=()
  wanted=$(packages "$@") || exit 1
  while read -r p; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || missing+=("$p")
  done <<<"$wanted"
  [ ${#missing[@]} -eq 0 ] && return 0
  [ "$(id -u)" = 0 ] || die "these Debian packages are missing and only root can install them: ${missing[*]}"
  say "installing ${#missing[@]} Debian packages (${*}): ${missing[*]}"
  local log
  log=$(mktemp)
  # RUNLEVEL=1: the daemon of a package (for example etcd) must not be started because of the installation. The lock timeout: another
  # process may be installing packages, too. `apt-get update` does not wait for its lock, so that two runs of ./dev take turns.
  mkdir -p "$SUNUP_CACHE"
  if ! { flock 9 && apt-get update -q && RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=600 "${missing[@]}"; } >"$log" 2>&1 9>"$SUNUP_CACHE/packages.lock"; then
    tail -n 30 "$log" >&2
    die "apt-get could not install the packages; the end of its output is above"
  fi
  rm -f "$log"
}

# build_preset PRESET [TARGET...]: configures (if need be) and compiles one lane, with ninja's own progress.
build_preset() {
  local preset=$1 log
  shift
  if [ ! -f "build/$preset/build.ninja" ]; then
    say "configuring build/$preset"
    log=$(mktemp)
    cmake --preset "$preset" >"$log" 2>&1 || {
      cat "$log" >&2
      die "cmake could not configure preset '$preset'"
    }
    rm -f "$log"
  fi
  say "compiling build/$preset${*:+ ($*)}"
  [ $# -eq 0 ] || set -- --target "$@"
  cmake --build --preset "$preset" "$@" >&2
}

# choose_arch VERB [--arch A]: sets arch, preset and bin (the directory of the programs), and installs the packages for compiling.
# shellcheck disable=SC2034
choose_arch() {
  local verb=$1 own
  shift
  own=$(dpkg --print-architecture)
  arch=$own preset=release bin=out/bin
  while [ $# -gt 0 ]; do
    case "$1" in
      --arch) arch=${2:-} && shift ;;
      --arch=*) arch=${1#--arch=} ;;
      *) die "$verb takes only --arch, not '$1'" ;;
    esac
    shift || die "--arch needs a value: amd64 or arm64"
  done
  need build test
  case "$arch" in
    "$own") ;;
    arm64) preset=release-arm64 bin=out/bin-arm64 && need arm64 ;;
    *) die "cannot build for '$arch' on $own; known: $own, arm64" ;;
  esac
}

# ready_for_nodes [GROUP...]: installs packages and builds programs that real nodes need. Only for root; otherwise a later check reports it.
ready_for_nodes() {
  [ "$(id -u)" = 0 ] || return 0
  need node package "$@"
  ./dev build
  build_preset release systemd-probe
}
