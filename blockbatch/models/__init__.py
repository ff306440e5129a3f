"""Masked diffusion models behind the `Denoiser` protocol: the only part that knows torch modules and transformers."""

from blockbatch.models.loading import Model, load_model

__all__ = ["Model", "load_model"]
