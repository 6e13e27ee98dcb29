"""Element-wise ops: arithmetic, math functions, comparisons, casts, quantization."""
