install -d -m 0755 "$ROOT/etc/aks-node-controller/steps.d"
install -m 0644 /dev/stdin "$ROOT/etc/aks-node-controller/steps.d/site.licence.json" <<'JSON'
{"purpose": "asks for a licence", "argv": ["/usr/local/bin/site-licence"], "needs": ["kubelet.started"], "retries": 1, "environment": ["KUBERNETES_VERSION"]}
JSON
install -m 0755 /dev/stdin "$ROOT/usr/local/bin/site-licence" <<'SCRIPT'
#!/bin/sh
echo once >>/var/log/site-licence
echo "no licence for this node" >&2
exit 7
SCRIPT
