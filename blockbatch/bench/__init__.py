"""The benchmark: decoders compared on held-out prompts of the task families.

    plan         which decoders on which prompts          jobs, calibration   what is done with one prompt
    workers      many prompts, on processes or on Ray      results             the NDJSON file a benchmark goes on from
    statistics   outcomes -> figures, pure functions       tables              figures -> Markdown, CSV, JSON
    sweep        one parameter or two over their values

`python -m blockbatch bench` mounts `add_arguments` and `run`.  Importing this package imports no torch.
"""

from blockbatch.bench.command import add_arguments, run

__all__ = ["add_arguments", "run"]
