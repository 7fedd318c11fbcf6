# The image forgot Kubernetes.
rm "$ROOT"/opt/bin/kubelet-* "$ROOT"/opt/bin/kubectl-*
