"""Values that are made of several tensors: sparse ones, indexed slices, and their gradients."""
