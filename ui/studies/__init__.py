"""The paper's studies of one run, as plotly figures: pure functions of its trace.

    agreement, parting, packing, trajectory   a study each        catalogue   all of them, in order
    look                                      what they share     command     `python -m ui.studies`

Every drawn point that belongs to a step carries `customdata` with the step first, counted from 1, then the block size
of its branch and its position, None where it has none.  A trace's `meta.colour` names its colour in the page's theme.
"""

from ui.studies.catalogue import STUDIES, Study

__all__ = ["STUDIES", "Study"]
