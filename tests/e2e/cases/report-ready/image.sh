# What docs/bootstrap.md asks of an image.
systemctl --quiet --root="$ROOT" enable aks-node-report-ready.service
cat >"$ROOT/etc/cloud/cloud.cfg.d/91-report.cfg" <<'END'
datasource: { Azure: { experimental_skip_ready_report: true } }
END
# cloud-init of the rows is older than the option: this is what newer ones do with it.
source=$ROOT/usr/lib/python3/dist-packages/cloudinit/sources/DataSourceAzure.py
grep -q experimental_skip_ready_report "$source" ||
  sed -i 's/^        if self._negotiated is False and self._is_ephemeral_networking_up():$/        if (self._negotiated is False and self._is_ephemeral_networking_up()\n                and not self.ds_cfg.get("experimental_skip_ready_report")):/' "$source"
grep -q experimental_skip_ready_report "$source"
