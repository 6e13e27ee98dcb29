"""Random numbers: bit generator, seeds, distributions, generators."""
