"""Signal processing ops: Fourier and cosine transforms, frames, windows and mel scale."""
