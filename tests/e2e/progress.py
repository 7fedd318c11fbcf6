"""Long work with a waiting user: its output goes to a log, and every few seconds a line shows the progress."""

import contextlib
import subprocess
import sys
import threading
import time
from pathlib import Path


class Progress:
    def __init__(self, title: str, log: Path, interval: float = 5.0, shared: Path | None = None):
        """`shared` holds the last line, for another process that waits for the same work."""
        self.title, self.log, self.interval, self.shared = title, log, interval, shared
        self.phase, self.note, self.count = "starting", "", 0
        self.begin = time.monotonic()
        self._stop = threading.Event()

    def __enter__(self):
        self._thread = threading.Thread(target=self._tell, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()

    def enter(self, phase: str, say: bool = True):
        self.phase, self.note, self.count = phase, "", 0
        if say:
            self._line()

    def _line(self):
        elapsed = int(time.monotonic() - self.begin)
        line = f"{self.title}: {elapsed // 60}:{elapsed % 60:02d} {', '.join(filter(None, (self.phase, self.note)))}"
        print(line, file=sys.stderr, flush=True)
        if self.shared:
            with contextlib.suppress(OSError):
                new = self.shared.with_suffix(".new")
                new.write_text(line)
                new.rename(self.shared)

    def _tell(self):
        while not self._stop.wait(self.interval):
            self._line()

    def notice(self, line: str):
        """The progress according to a line of output."""

    def run(self, argv, **kwargs):
        with open(self.log, "ab") as log:
            with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **kwargs) as child:
                for line in child.stdout:
                    log.write(line)
                    self.notice(line.decode(errors="replace"))
        if child.returncode != 0:
            tail = b"\n".join(self.log.read_bytes().splitlines()[-30:]).decode(errors="replace")
            raise RuntimeError(f"{' '.join(map(str, argv))} failed with {child.returncode}; the end of its output:\n{tail}")
