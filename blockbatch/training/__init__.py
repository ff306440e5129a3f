"""Trains the embedded model from nothing: generated data, tokenizer, masked diffusion objective, export.

`python -m blockbatch train` mounts `add_arguments` and `run`; from Python it is `blockbatch.training.loop.train`.
Importing this package imports no torch: the command's help and the process that makes the data do without it.
"""

from blockbatch.training.command import add_arguments, run
from blockbatch.training.recipe import Recipe

__all__ = ["Recipe", "add_arguments", "run"]
