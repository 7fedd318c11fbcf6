"""No node boots here: the test is between `sunup resolve` and a kube-apiserver that starts and stops."""

import subprocess
import time

from resolving import DNS, Resolving, create, decoded, wait_until

FOUND = "auto-detected"


def drive(t):
    r = Resolving(t)
    r.write_settings()
    r.open_cluster()
    ca = (t.cp.dir / "ca.crt").read_text()
    finds_everything(t, r, ca)
    leaves_open_what_it_may_not_read(t, r)
    finds_the_ca_without_being_given_one(t, r, ca)
    refuses_another_ca(t, r)
    gives_up_in_time(t, r)
    waits_for_a_late_server(t, r, ca)


def finds_everything(t, r, ca):
    rows = r.explained(*r.trusted())
    version = t.cp.api.request("GET", "/version")["gitVersion"]
    expect(t, rows, "kubernetesVersion", version.removeprefix("v"), FOUND)
    expect(t, rows, "--cluster-dns", DNS, FOUND)
    expect(t, rows, "API_SERVER_NAME", t.api_server, "computed")
    t.check(decoded(row(t, rows, "KUBE_CA_CRT")["value"]) == ca, "the CA is not the cluster's")
    # Without a security group to read it from, the cluster's ID comes from its name.
    r.write_settings(network_security_group=None)
    cluster_id = subprocess.run([t.binaries / "sunup", "cluster-id", t.api_server], check=True, capture_output=True, text=True).stdout.strip()
    expect(t, r.explained(*r.trusted()), "ROUTE_TABLE", f"aks-agentpool-{cluster_id}-routetable", "computed")
    r.write_settings()


def leaves_open_what_it_may_not_read(t, r):
    done = r.run("--cluster", r.url)
    t.check(done.returncode == 0, f"ended with {done.returncode}: {done.stderr}")
    for said in ("the API server presents no CA certificate", "not allowed to read /api/v1/namespaces/kube-system/services/kube-dns",
                 "warning: ca-bundle:", "warning: dns-service-ip:"):
        t.check(said in done.stderr, f"does not say: {said}\n{done.stderr}")


def finds_the_ca_without_being_given_one(t, r, ca):
    # Readable without authentication, as cluster-info is in many clusters.
    rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/kube-public"
    create(t.cp.api, f"{rbac}/roles", {"metadata": {"name": "root-ca"}, "rules": [
        {"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["kube-root-ca.crt"], "verbs": ["get"]}]})
    create(t.cp.api, f"{rbac}/rolebindings", {
        "metadata": {"name": "root-ca"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "root-ca"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "system:unauthenticated"}]})
    review = {"kind": "SubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "spec": {
        "user": "system:anonymous", "groups": ["system:unauthenticated"],
        "resourceAttributes": {"namespace": "kube-public", "verb": "get", "resource": "configmaps", "name": "kube-root-ca.crt"}}}
    wait_until(lambda: t.cp.api.request("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review)["status"]["allowed"],
               "everybody may read kube-root-ca.crt")
    wait_until(lambda: t.cp.kubectl("get", "configmap", "--namespace=kube-public", "kube-root-ca.crt", "--ignore-not-found"),
               "kube-root-ca.crt is published")
    rows = r.explained("--cluster", r.url)
    t.check(decoded(row(t, rows, "KUBE_CA_CRT")["value"]) == ca, f"the CA of kube-root-ca.crt was not found: {rows['stderr']}")
    t.check("taken on trust" in rows["stderr"], f"does not say that nobody checked it: {rows['stderr']}")


def refuses_another_ca(t, r):
    other = r.dir / "other.crt"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-subj", "/CN=other",
                    "-keyout", r.dir / "other.key", "-out", other], check=True, capture_output=True)
    done = r.run("--cluster", r.url, "--cluster-ca", other, "--cluster-timeout", 600)
    t.check(done.returncode == 1 and "the server's certificate is not trusted" in done.stderr, f"{done.returncode}: {done.stderr}")


def gives_up_in_time(t, r):
    t.cp.stop_apiserver()
    refused_in_time(t, r, r.url, f"connecting to {t.api_server} port 443: Connection refused (asked ")
    # No machine has this address: packets to it are lost.
    refused_in_time(t, r, "https://10.224.255.250", "connecting to 10.224.255.250 port 443: ")


def refused_in_time(t, r, url, said):
    begin = time.monotonic()
    done = r.run("--cluster", url, "--cluster-timeout", 2)
    took = time.monotonic() - begin
    t.check(done.returncode == 1 and said in done.stderr, f"{done.returncode}: {done.stderr}")
    t.check("is the API server up" in done.stderr and not done.stdout, f"no hint, or output nobody asked for: {done.stderr}{done.stdout}")
    t.check(took < 10, f"took {took:.1f} s of 2")


def waits_for_a_late_server(t, r, ca):
    early = subprocess.Popen(r.command("--cluster", r.url, "--cluster-timeout", 100, "--explain", "--format", "json"),
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # From now on the server presents its CA too, as managed ones do.
    certificate = t.cp.dir / "apiserver.crt"
    alone = certificate.read_text()
    certificate.write_text(alone + ca)
    t.cp.start_apiserver()
    out, err = early.communicate(timeout=100)
    certificate.write_text(alone)
    t.check(early.returncode == 0, f"did not wait for the server: {err}")
    t.check("taken on trust" in err and "kubernetesVersion" in out, f"{err}{out[:500]}")


def row(t, rows, name) -> dict:
    t.check(name in rows, f"nothing is called {name}")
    return rows[name]


def expect(t, rows, name, value, source):
    found = row(t, rows, name)
    t.check((found["value"], found["source"]) == (value, source), f"{name} is {found['value']} by {found['source']}, not {value} by {source}")
