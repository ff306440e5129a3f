"""Installs the Chromium that the browser tests drive, where there is none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from ui.bench.browser import find


def install() -> None:
    """Debian's package where we may install it, since it brings the libraries along; else playwright's own."""
    if shutil.which("apt-get") and os.geteuid() == 0:
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        subprocess.run(["apt-get", "install", "-qq", "--no-install-recommends", "chromium"], check=True)
    else:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=True)


if __name__ == "__main__":
    if find() is None:
        install()
    print(f"browser tests use {find()}")
