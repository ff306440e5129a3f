"""Finds the axe-core that judges whether the page is accessible; run as a module, it installs it with npm."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

FOLDER = Path(__file__).parent
SCRIPT = FOLDER / "node_modules" / "axe-core" / "axe.min.js"
LOCK = FOLDER / "package-lock.json"


def find() -> Path | None:
    """The script, if it is installed."""
    return SCRIPT if SCRIPT.is_file() else None


def current() -> bool:
    """Whether the installed version is the one that the lock names."""
    return SCRIPT.is_file() and SCRIPT.stat().st_mtime >= LOCK.stat().st_mtime


def install() -> None:
    """Exactly what the lock file names."""
    subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"], cwd=FOLDER, check=True)
    SCRIPT.touch()


if __name__ == "__main__":
    if not shutil.which("npm"):
        print("npm is not installed, so the check with axe-core is left out")
    elif not current():
        install()
