"""What can go wrong, by name.  Every message is one sentence that says what was wrong and what to do.

BlockBatchError
    ConfigError (also a ValueError)   a setting out of its range; names the field, the value and the allowed range
    TraceError (also a ValueError)    a recorded run that cannot be read; names the line
    ModelError                        a checkpoint that cannot be loaded or used
    ForkError                         a recorded run that cannot be gone on from here
    PromptError (also a ValueError)   a prompt that cannot be decoded
"""


class BlockBatchError(Exception):
    """Anything this package raises on purpose."""


class ConfigError(BlockBatchError, ValueError):
    """A setting outside its allowed range."""

    def __init__(self, field: str, value: object, allowed: str) -> None:
        super().__init__(field, value, allowed)  # from these it is made again in another process
        self.field = field

    def __str__(self) -> str:
        field, value, allowed = self.args
        shown = repr(value) if len(repr(value)) <= 80 else repr(value)[:77] + "..."
        return f"{field} is {shown}, but must be {allowed}."


class TraceError(BlockBatchError, ValueError):
    """A recorded run that is malformed, truncated, too large or from a newer version."""


class ModelError(BlockBatchError):
    """A checkpoint that is missing, incomplete or of an unsupported kind."""


class ForkError(BlockBatchError):
    """A recorded run that cannot be gone on from here."""


class PromptError(BlockBatchError, ValueError):
    """A prompt that is empty or too long."""
