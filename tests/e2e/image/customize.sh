#!/bin/bash
# Turns a plain Debian tree into something that looks like an AKS image to the node controller. $1: the tree, $2: the recipe's root/.
set -euo pipefail
tree=$1 files=$2

cp -r --preserve=mode "$files/." "$tree/"
chmod 0755 "$tree"/opt/azure/containers/*.sh
touch "$tree/opt/azure/vhd-install.complete" "$tree/opt/azure/cloud-init-files.paved"
mkdir -p "$tree/opt/bin" "$tree/opt/cni/bin" "$tree/var/log/azure" "$tree/etc/kubernetes/volumeplugins" "$tree/etc/systemd/network"
for plugin in "$tree"/usr/lib/cni/*; do ln -s "/usr/lib/cni/$(basename "$plugin")" "$tree/opt/cni/bin/"; done
mkdir -p "$tree/usr/libexec"
mv "$tree/usr/sbin/runc" "$tree/usr/libexec/runc.real"
ln -s /usr/local/libexec/runc-wrapper "$tree/usr/sbin/runc"
ln -sf /run/systemd/resolve/stub-resolv.conf "$tree/etc/resolv.conf"
# eth0 is eth0, as on Azure.
ln -s /dev/null "$tree/etc/systemd/network/99-default.link"

# Provisioning starts the first two; the boot mode azure starts Azure's agent.
systemctl --root="$tree" disable containerd.service kubelet.service walinuxagent.service
systemctl --root="$tree" enable systemd-networkd.service systemd-networkd-wait-online.service systemd-resolved.service \
  node-cgroups.service
# The console has no login, and nothing must happen unrequested during a test.
systemctl --root="$tree" mask console-getty.service getty.target apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer \
  e2scrub_reap.service fstrim.timer logrotate.timer
systemctl --root="$tree" set-default multi-user.target

# A fresh machine: its identity is made at first boot.
: >"$tree/etc/machine-id"
rm -f "$tree/etc/hostname" "$tree/var/lib/dbus/machine-id"
rm -rf "$tree"/var/lib/apt/lists/* "$tree"/var/cache/apt/*.bin "$tree"/var/log/*.log
