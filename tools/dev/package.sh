#!/usr/bin/env bash
# builds the Debian packages into out/: ./dev package
# aks-node-controller (for node images: program, units, manual page) and sunup (for whoever creates nodes). The same
# sources give the same bytes; times inside come from the last commit (or SOURCE_DATE_EPOCH).
. tools/dev/build.sh
[ -n "${SOURCE_DATE_EPOCH:-}" ] || SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 0)
export SOURCE_DATE_EPOCH

version=$(out/bin/sunup version)
arch=$(dpkg --print-architecture)

# pack NAME: out/package/NAME, already filled, becomes a package.
pack() {
  local name=$1 tree=out/package/$1 size
  mkdir -p "$tree/DEBIAN"
  size=$(du -sk --exclude=DEBIAN "$tree" | cut -f1)
  sed "s/@VERSION@/$version/; s/@ARCH@/$arch/; s/@SIZE@/$size/" "packaging/deb/$name.control" >"$tree/DEBIAN/control"
  find "$tree" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  dpkg-deb --root-owner-group -Zxz --build "$tree" "out/${name}_${version}_$arch.deb" >/dev/null
  say "out/${name}_${version}_$arch.deb: $(du -h "out/${name}_${version}_$arch.deb" | cut -f1)"
}

# put MODE FILE PATH: gzip -n for manual pages, so that they carry no time of their own.
put() { install -D -m "$1" "$2" "$3"; }
manual() {
  mkdir -p "$(dirname "$2")"
  gzip -9n <"$1" >"$2" && chmod 0644 "$2"
}

rm -rf out/package
node=out/package/aks-node-controller
put 0755 out/bin/aks-node-controller "$node/usr/bin/aks-node-controller"
# Where images and the custom script extension look for it.
mkdir -p "$node/opt/azure/containers" "$node/var/log/azure"
ln -s /usr/bin/aks-node-controller "$node/opt/azure/containers/aks-node-controller"
for unit in aks-node-controller.service aks-node-controller.path; do
  put 0644 "packaging/systemd/$unit" "$node/usr/lib/systemd/system/$unit"
done
put 0644 packaging/systemd/90-aks-node-controller.preset "$node/usr/lib/systemd/system-preset/90-aks-node-controller.preset"
put 0644 packaging/completions/aks-node-controller.bash "$node/usr/share/bash-completion/completions/aks-node-controller"
manual packaging/man/aks-node-controller.8 "$node/usr/share/man/man8/aks-node-controller.8.gz"
put 0644 LICENSE "$node/usr/share/doc/aks-node-controller/copyright"
put 0755 packaging/deb/postinst "$node/DEBIAN/postinst"
put 0755 packaging/deb/prerm "$node/DEBIAN/prerm"
pack aks-node-controller

client=out/package/sunup
put 0755 out/bin/sunup "$client/usr/bin/sunup"
put 0644 packaging/completions/sunup.bash "$client/usr/share/bash-completion/completions/sunup"
manual packaging/man/sunup.1 "$client/usr/share/man/man1/sunup.1.gz"
put 0644 LICENSE "$client/usr/share/doc/sunup/copyright"
pack sunup
rm -rf out/package
