"""The operations, a folder a family. An op is added in its family's folder and nowhere else."""

from __future__ import annotations

import importlib

# The modules that define ops or public functions; they import what else they need.
_MODULES = {
    "arrays": "approximate filling grids index_vectors indexing joining masking masks moving "
    "padding parallel partitioning passing picking scattering searching shapes slicing "
    "sorting stacking uniques",
    "control": "asserts calls folds graph_asserts loops order_asserts python_functions rank_asserts "
    "shape_asserts",
    "elementary": "arithmetic casting clipping compare complexes division fake_quantization guarded "
    "hyperbolic limits math operators quantizing requantizing rounding",
    "linalg": "banded contraction decompositions determinants diagonals dots eigenvalues "
    "least_squares lu_functions matrices more multiplying norms products solving "
    "tensor_diagonals tridiagonal tridiagonal_eigenvalues tridiagonal_functions",
    "nn": "accidental_hits activation_adjoints activations basics bias candidate_functions "
    "candidates cross_entropies decoding dropping embeddings isotonic loss_means losses "
    "moments normalization response sampled_losses softmaxes tables",
    "ragged": "dense fills ranges",
    "random": "algorithms counts counts_functions functions seeded seeds state stateless "
    "stateless_functions truncated",
    "reductions": "counting counts cumulative more reduce segments statistics unsorted",
    "signal": "cosine_transforms fourier fourier_any fourier_functions fourier_real fourier_shifts "
    "frames lapped_transforms mel_scale spectra windows",
    "sparse": "arithmetic basics bytes composite_counts counts crossing dense elementwise parts "
    "pieces places products reductions segment_functions segments sets shapes",
    "special": "bessel errorfunctions gammafunctions incomplete integrals",
    "state": "basics checkpoints files scatter",
    "strings": "basics bucketing csv_lines encoding examples hashing numbers patterns printing "
    "segments sequence_examples splitting tensor_bytes text unicode unicode_scripts",
    "windows": "argmax_pooling blocks convolution convolution_adjoints convolutions depthwise "
    "depthwise_functions dilated dilated_transposed max_pooling_adjoints morphology "
    "pooling pooling_adjoints pools pools_any transposed volume_adjoints",
}

for _family, _modules in _MODULES.items():
    for _module in _modules.split():
        importlib.import_module(f"{__name__}.{_family}.{_module}")
