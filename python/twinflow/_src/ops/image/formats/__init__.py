"""File formats of images: each module reads (and writes) one of them as NumPy arrays on the host."""
