"""The API server is unavailable until the node has tried to reach it."""


def drive(t):
    t.cp.stop_apiserver()
    try:
        t.boot()
        t.node.wait_booted(t.case.timeout)
        t.check(not t.node.path("/var/lib/kubelet/pki/kubelet-client-current.pem").exists(), "the node joined a cluster that is not there")
    finally:
        t.cp.start_apiserver()
