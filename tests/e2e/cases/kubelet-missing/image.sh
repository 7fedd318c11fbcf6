# The image forgot kubelet.
rm "$ROOT"/opt/bin/kubelet-*
