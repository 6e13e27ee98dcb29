"""Composite tensors: SparseTensor, RaggedTensor, IndexedSlices, their specs and gradients."""
