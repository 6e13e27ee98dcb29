"""Random numbers: bits, seeds, distributions, generators."""
