# The declarations of an image builder, and their programs.
hooks="$ROOT/etc/aks-node-controller/steps.d"
install -d -m 0755 "$ROOT/etc/aks-node-controller" "$hooks"
declare_hook() { install -m 0644 /dev/stdin "$hooks/$1.json"; }
program() { install -m 0755 /dev/stdin "$ROOT/usr/local/bin/$1"; }

declare_hook site.before <<'JSON'
{"argv": ["/usr/local/bin/site-before", "two words"], "before": ["kubelet.started"], "environment": ["KUBERNETES_VERSION"], "deadline": "20s"}
JSON
program site-before <<'SCRIPT'
#!/bin/sh
mkdir -p /var/lib/site
echo "$1, kubelet is $(systemctl is-active kubelet), Kubernetes $KUBERNETES_VERSION, HOME=$HOME" >/var/lib/site/before
SCRIPT
# The network plugin comes with the cluster, so the node can be registered without it, but not be Ready.
mv "$ROOT/etc/cni/net.d/10-bridge.conflist" "$ROOT/usr/local/share/"
declare_hook site.network <<'JSON'
{"argv": ["/usr/bin/cp", "/usr/local/share/10-bridge.conflist", "/etc/cni/net.d/"], "needs": ["node.registered"]}
JSON
declare_hook site.joined <<'JSON'
{"argv": ["/usr/bin/touch", "/var/lib/site/joined"], "needs": ["node.ready"]}
JSON
declare_hook site.later <<'JSON'
{"argv": ["/usr/local/bin/site-later"], "needs": ["node.ready"], "deferred": true}
JSON
program site-later <<'SCRIPT'
#!/bin/sh
touch /var/lib/site/later
SCRIPT
declare_hook site.fails <<'JSON'
{"argv": ["/usr/local/bin/site-fails"], "after": ["site.joined"], "fatal": false, "retries": 1}
JSON
program site-fails <<'SCRIPT'
#!/bin/sh
mkdir -p /var/lib/site
echo once >>/var/lib/site/fails
echo "the inventory does not answer" >&2
exit 3
SCRIPT
