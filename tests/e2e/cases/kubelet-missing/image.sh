# The image forgot kubelet. It calls itself Ubuntu, where kubelet would come from a package repository.
rm "$ROOT"/opt/bin/kubelet-*
rm "$ROOT/etc/os-release"
printf 'ID=ubuntu\nVERSION_ID="24.04"\nVERSION_CODENAME=noble\nPRETTY_NAME="Ubuntu 24.04 LTS"\n' >"$ROOT/etc/os-release"
