"""The output of the demo: titles, and milestones as they happen, in seconds since power-on."""

import sys
import threading
import time


def bold(text: str) -> str:
    return f"\033[1m{text}\033[0m" if sys.stdout.isatty() else text


def dim(text: str) -> str:
    return f"\033[2m{text}\033[0m" if text and sys.stdout.isatty() else text


def title(text: str):
    print(f"\n{bold(text)}", flush=True)


class Story:
    """Milestones, printed as they happen and kept for the timeline. Seconds since power-on."""

    def __init__(self):
        self.begin = 0.0
        self.told: list[tuple[float, str]] = []
        self._lock = threading.Lock()
        self._new = threading.Condition(self._lock)

    def tell(self, what: str, detail: str = "", when: float | None = None):
        at = (when or time.monotonic()) - self.begin
        with self._new:
            self.told.append((at, what))
            print(f"  {at:6.2f} s  {what:26} {dim(detail)}".rstrip(), flush=True)
            self._new.notify_all()

    def wait(self, *wanted: str, timeout: float) -> bool:
        with self._new:
            return self._new.wait_for(lambda: all(any(what == w for _, what in self.told) for w in wanted), timeout)
