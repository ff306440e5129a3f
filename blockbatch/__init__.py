"""BlockBatch decoding for diffusion language models: rules, trace, models and benchmarks."""

__version__ = "0.1.0"
