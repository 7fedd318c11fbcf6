"""A server of the program under test, for as long as a test needs it."""

import contextlib
import os
import re
import subprocess
from pathlib import Path

SOURCE = Path(os.environ["SUNUP_SOURCE_DIR"])
EXAMPLES = SOURCE / "examples"
SUNUP = os.environ["SUNUP"]


@contextlib.contextmanager
def server():
    """Its URL. The port is one that was free."""
    with subprocess.Popen([SUNUP, "serve", "--port", "0"], stderr=subprocess.PIPE, text=True) as process:
        try:
            port = next(found[1] for line in process.stderr if (found := re.search(r"listening on \S*:(\d+)", line)))
            yield f"http://127.0.0.1:{port}/"
        finally:
            process.terminate()
            process.communicate()
