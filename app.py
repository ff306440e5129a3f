"""The web page: environment -> settings -> page."""

import os
import sys

from blockbatch.errors import BlockBatchError
from blockbatch.reading import MAX_BYTES
from ui.engine import load_engine
from ui.interface import create_ui
from ui.settings import Settings
from ui.theme import FAVICON, head, theme

try:
    settings = Settings.from_environment(os.environ)
    demo = create_ui(load_engine(settings), settings)
except BlockBatchError as error:
    sys.exit(f"blockbatch: {error}")

if __name__ == "__main__":
    demo.launch(
        theme=theme(), head=head(), favicon_path=FAVICON, footer_links=[], run_history=False, max_file_size=MAX_BYTES,
        mcp_server=settings.mcp, max_threads=settings.threads,
    )  # fmt: skip
