"""The benchmark: decoders compared on held-out prompts of the task families.

    plan         which decoders on which prompts          jobs, calibration   what is done with one prompt
    workers      many prompts, on processes or on Ray      results             the NDJSON file a benchmark goes on from
    statistics   outcomes -> figures, pure functions       tables              figures -> Markdown, CSV, JSON
    running      what the commands share: options, results on file, workers
    sweep        one parameter or two over their values    sweep_file, sweep_tables   its JSON, Markdown and CSV

`python -m blockbatch bench` mounts `add_arguments` and `run`, `sweep` those of `sweep_command`.
Importing this package imports no torch.
"""

from blockbatch.bench.command import add_arguments, run

__all__ = ["add_arguments", "run"]
