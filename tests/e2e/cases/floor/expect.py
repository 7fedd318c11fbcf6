"""Tests of what cases use besides the node: the stand-ins for Azure's services, and their configurable faults."""

IMDS = "http://169.254.169.254/metadata/instance?api-version=2021-02-01"


def curl(t, *words, patience=15):
    return t.node.run(["curl", "-s", "-m", str(patience), *words], timeout=180, check=False)


def check(t):
    status = ["-o", "/dev/null", "-w", "%{http_code}", "-H", "Metadata:true", IMDS]
    t.check(t.node.address in curl(t, "-H", "Metadata:true", IMDS).stdout, "the metadata service does not know the node's address")
    t.check(curl(t, "-o", "/dev/null", "-w", "%{http_code}", IMDS).stdout == "400", "a request without the header was not refused")
    t.node.azure.imds.script([{"status": 500, "times": 1}, {"body": "rubbish", "times": 1}, {"hang": True, "times": 1}])
    t.check(curl(t, *status).stdout == "500", "the metadata service did not fail as told")
    t.check(curl(t, "-H", "Metadata:true", IMDS).stdout == "rubbish", "the metadata service did not answer rubbish as told")
    t.check(curl(t, *status, patience=1).returncode == 28, "the metadata service did not hang as told")
    t.check(curl(t, *status).stdout == "200", "the metadata service did not recover")
    t.check(curl(t, "http://168.63.129.16:32526/vmSettings").stdout == "{}", "the wire server does not answer")
    found = t.node.run(["getent", "ahostsv4", "any.hcp.eastus.azmk8s.io"]).stdout
    t.check("10.224.0.1" in found, f"the API server's name resolves to {found!r}")
    t.check(t.node.run(["getent", "hosts", "nowhere.example"], check=False).returncode == 2, "a name that does not exist was found")
    outside = curl(t, "http://192.0.2.1/")
    t.check(outside.returncode == 7, f"the world outside was not refused at once: curl ended with {outside.returncode}")
    mac = t.node.run(["cat", "/sys/class/net/eth0/address"]).stdout.strip()
    t.check(mac.replace(":", "").upper() == t.node.azure.mac, f"/sys shows another machine's eth0: {mac}")

    api_server = ["-k", "-o", "/dev/null", "https://any.hcp.eastus.azmk8s.io/"]
    t.check(curl(t, *api_server).returncode == 0, "the API server does not answer")
    t.node.unplug()
    t.check(curl(t, *api_server, patience=1).returncode != 0, "the API server answers without a cable")
    t.node.plug_in()
    t.check(curl(t, "--retry", "20", "--retry-delay", "1", "--retry-all-errors", *api_server).returncode == 0,
            "the network does not come back with the cable")
