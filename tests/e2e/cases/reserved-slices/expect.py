"""The kernel shows which processes are in the slice and its memory limit, on the first boot and on the next."""

SLICE = "/kubereserved.slice"


def check(t):
    look(t)
    t.node.shut_down()
    # It registers again, so Ready is about this boot.
    t.cp.api.request("DELETE", f"/api/v1/nodes/{t.node.name}")
    t.boot()
    t.wait_ready()
    t.node.wait_booted(t.case.timeout)
    look(t)


def look(t):
    for unit in ("kubelet.service", "containerd.service"):
        pid = t.node.run(["systemctl", "show", "--property=MainPID", "--value", unit]).stdout.strip()
        cgroup = t.node.read(f"/proc/{pid}/cgroup").strip()
        t.check(cgroup == f"0::{SLICE}/{unit}", f"{unit} is in {cgroup}")
    reserved = t.config()["kubelet_config"]["kubelet_config_file_config"]["kube_reserved"]["memory"]
    wanted = int(reserved.removesuffix("Mi")) << 20
    limit = t.node.read(f"/sys/fs/cgroup{SLICE}/memory.max").strip()
    t.check(limit == str(wanted), f"memory.max of {SLICE} is {limit}, not {wanted}")
    pods = t.node.read("/sys/fs/cgroup/kubepods.slice/memory.max").strip()
    t.check(pods.isdigit(), f"memory.max of all pods is {pods}")
