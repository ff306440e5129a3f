"""`python -m ui.studies`."""

import sys

from ui.studies.command import main

sys.exit(main())
