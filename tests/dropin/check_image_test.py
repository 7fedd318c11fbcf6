"""check-image, tested from outside: its exit codes, with an image that is built here, and with those of the real nodes of tests/e2e, if any are cached."""
import json
import os
import pathlib
import shutil
import unittest

from harness import SOURCE, NodeTest


class CheckImage(NodeTest):
    def image(self):
        for path in ("opt/azure/vhd-install.complete", "usr/bin/containerd", "usr/bin/runc", "usr/lib/systemd/system/containerd.service",
                     "opt/cni/bin/bridge", "opt/cni/bin/host-local", "opt/cni/bin/loopback", "opt/bin/kubelet-1.34.1",
                     "var/lib/kubelet/credential-provider/acr-credential-provider"):
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text("x")
        database = self.root / "var/lib/containerd/io.containerd.metadata.v1.bolt/meta.db"
        database.parent.mkdir(parents=True)
        shutil.copy(SOURCE / "tests/fuzz/seeds/image_database/pause.db", database)  # it has mcr.microsoft.com/oss/kubernetes/pause:3.9

    def test_exit_codes(self):
        self.image()
        self.assertEqual(self.run_program("check-image").returncode, 0)
        run = self.run_program("check-image", "--kubernetes-version", "1.34.1", "1.35.0")
        self.assertEqual(run.returncode, 2)
        self.assertIn("Kubernetes 1.35.0\n  absent   kubelet", run.stdout)
        for image, code in ("mcr.microsoft.com/oss/kubernetes/pause:3.9", 0), ("mcr.microsoft.com/oss/kubernetes/pause:3.10", 2):
            config = self.root / "node.json"
            config.write_text(json.dumps({"version": "v1", "kubernetes_version": "1.34.1", "kube_binary_config": {"pod_infra_container_image_url": image}}))
            run = self.run_program("check-image", "--provision-config", config)
            self.assertEqual((run.returncode, f"  {image}" in run.stdout or f"pulls {image}" in run.stdout), (code, True), run.stdout)
        config.write_text(json.dumps({"version": "v1"}))
        run = self.run_program("check-image", "--provision-config", config)
        self.assertEqual((run.returncode, "kubernetes_version is not a version" in run.stderr), (1, True), run.stderr)
        (self.root / "opt/bin/kubelet-1.34.1").rename(self.root / "opt/bin/kubelet")
        self.assertEqual(self.run_program("check-image", "--kubernetes-version=v1.34.1").returncode, 3)
        self.assertEqual(self.run_program("check-image", "--kubernetes-version", "new").returncode, 1)
        self.assertEqual(self.run_program("check-image", "--need", "everything").returncode, 1)
        self.assertEqual(self.run_program("check-image", "--format", "xml").returncode, 1)

    def test_a_repeated_flag_adds(self):
        self.image()
        run = self.run_program("check-image", "--format", "json", "--kubernetes-version", "1.34.1", "--kubernetes-version", "1.33.2",
                               "--need", "kubenet", "--need", "local-dns")
        self.assertEqual(run.returncode, 2)
        found = json.loads(run.stdout)
        self.assertEqual([v["version"] for v in found["versions"]], ["1.34.1", "1.33.2"])
        self.assertEqual([m["name"] for m in found["modes"] if m["needed"]], ["kubenet", "local-dns"])

    def test_it_changes_nothing(self):
        self.image()
        before = sorted(self.root.rglob("*"))
        self.run_program("check-image")
        self.assertEqual(sorted(self.root.rglob("*")), before)

    def needed_and_not_present(self, root, *versions):
        run = self.run_program("check-image", "--root", str(root), "--kubernetes-version", *versions, "--format", "json")
        found = json.loads(run.stdout)
        parts = found["parts"] + [part for version in found["versions"] for part in version["parts"]]
        return run.returncode, [p["name"] for p in parts if p["needed"] and p["state"] != "present"]

    def test_images_without_kubelet_and_pause_image(self):
        # The images of the real nodes lack both: kubelet is added to each node, and the images of pods are pulled.
        self.image()
        self.assertEqual(self.needed_and_not_present(self.root, "1.34.1"), (0, []))
        (self.root / "var/lib/containerd/io.containerd.metadata.v1.bolt/meta.db").unlink()
        (self.root / "opt/bin/kubelet-1.34.1").unlink()
        cache = pathlib.Path(os.environ.get("SUNUP_CACHE") or pathlib.Path.home() / ".cache/sunup")
        for image in self.root, *sorted(path for path in cache.glob("node-image-*") if path.is_dir()):
            with self.subTest(image.name):
                self.assertEqual(self.needed_and_not_present(image, "1.34.1"), (2, ["pause image", "kubelet"]))


if __name__ == "__main__":
    unittest.main()
