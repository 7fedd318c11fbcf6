"""Checks the kernel's view (/proc/swaps), not only the file system."""


def check(t):
    look(t)
    t.node.shut_down()
    t.boot()
    t.node.wait_booted(t.case.timeout)
    look(t)
    t.check(t.node.unit_state("aks-swapfile.service") == "active", "aks-swapfile.service is not active")


def look(t):
    lines = [line.split() for line in t.node.read("/proc/swaps").splitlines()[1:]]
    t.check(len(lines) == 1 and lines[0][:2] == ["/swapfile", "file"], f"the kernel swaps to {lines}")
    # Megabytes of 1000 KiB, as AKS counts them; one page is the header's.
    wanted = t.config()["custom_linux_os_config"]["swap_file_size"] * 1000 - 4
    t.check(int(lines[0][2]) == wanted, f"the swap has {lines[0][2]} KiB, not {wanted}")
