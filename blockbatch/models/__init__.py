"""Masked diffusion models behind the `Denoiser` protocol: the only part that knows torch modules and transformers."""

from blockbatch.models.fingerprint import fingerprint
from blockbatch.models.loading import Model, load_model, work_quietly_with_one_thread

__all__ = ["Model", "fingerprint", "load_model", "work_quietly_with_one_thread"]
