"""BlockBatch decoding for diffusion language models: rules, trace, models and benchmarks."""
