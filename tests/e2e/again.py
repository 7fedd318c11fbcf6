"""A node that is provisioned repeatedly: it is reset to the state before provisioning, which is cheaper than a new node."""

SERVICE = "aks-node-controller.service"
COMPLETE = "/opt/azure/containers/provision.complete"


def reset(t):
    """Stops the units that provisioning has started and removes the files that it has written since boot."""
    node = t.node
    node.run(["systemctl", "stop", SERVICE, "kubelet.service", "containerd.service"])
    t.cp.kubectl("delete", "node", node.name, "--ignore-not-found")
    node.run(["sh", "-c", """
        umount -l /var/lib/kubelet 2>/dev/null
        for p in kubelet kubectl; do [ ! -e /opt/bin/$p ] || mv /opt/bin/$p /opt/bin/$p-@KUBERNETES@; done
        rm -rf /var/lib/kubelet/* /etc/kubernetes/* /etc/default/kubelet /etc/default/kubeletconfig.json /etc/containerd/* \
          /etc/systemd/system/kubelet.service.d /etc/systemd/system/containerd.service.d /run/systemd/system/kubelet.service.d \
          /run/systemd/system/containerd.service.d /run/systemd/system/containerd.service /etc/sysctl.d/99*-*.conf /etc/modules-load.d/* /run/aks-node-controller \
          /opt/azure/containers/provision.complete /opt/azure/containers/tls-bootstrap-start-time /var/log/azure/aks /opt/azure/containers/.??* \
          /var/log/azure/Microsoft.Azure.Extensions.CustomScript /var/lib/sunup
        systemctl disable kubelet.service containerd.service
        iptables-save -t filter | grep -v -e 168.63.129.16 | iptables-restore -T filter
        systemctl daemon-reload
        systemctl reset-failed
        journalctl --rotate --vacuum-time=1s
        """.replace("@KUBERNETES@", t.row.version)])
