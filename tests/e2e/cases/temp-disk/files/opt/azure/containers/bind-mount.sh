#!/bin/bash
# Moves kubelet's files to the temporary disk once (a file on the OS disk remembers), and shows them at their usual place at every boot.
set -euo pipefail
there=/mnt/aks/kubelet here=/var/lib/kubelet moved=/opt/azure/containers/bind-sentinel
mkdir -p /mnt/aks
if [ ! -e "$moved" ]; then
  # The data belongs to another node: the OS disk was replaced.
  rm -rf --one-file-system "$there"
  mv "$here" "$there"
  touch "$moved"
fi
mkdir -p "$here"
mount --bind "$there" "$here"
chmod go-w "$here"
