"""The limits of rows that take longer than another library's, named beside their measurements."""

from __future__ import annotations

import fnmatch

LIMITS = {
    "call": "Python around NumPy's call: dispatch, checks and a tensor take 1 to 5 us, in PyTorch C++ does it",
    "digits": "without llvmlite, up to 4,096 float32 are computed in double precision and rounded once, nearer to "
    "TensorFlow's digits; with it 1,000 take 2.6 to 2.8 us after the first two thousand calls, 1.1 to 1.3 of it the loop",
    "one thread": "below 131,072 elements one thread works: to wake another takes 30 to 60 us; the loop is NumPy's",
    "our threads": "OpenBLAS' threads spin and start at once, ours sleep and take 50 us; those multiply only where their bits "
    "are ours and ours are not in use; decompositions are on ours",
    "bandwidth": "memory: one pass over the array, as in the other libraries; see the column of the limit",
    "passes": "several of NumPy's loops, 0.04 to 0.15 ns an element each in the cache, where a compiled kernel "
    "passes once",
    "NumPy's loop": "one loop of NumPy, which is not vectorized for this case or reads short rows at 5 to 20 ns each",
    "GIL": "without llvmlite, 80 passes of Philox; threads wait for each other's GIL between them: less processor time "
    "than TensorFlow's, more wall time",
    "product": "the product of matrices in it takes as long by NumPy alone",
    "JAX": "compiled into one loop; here each operation is a call of NumPy",
    "disk": "saving waits until the disk has the data (fsync), as the plain write does; TensorFlow does not wait",
    "fresh memory": "pages that the kernel fills with zeros: 450 to 610 ms a gigabyte",
    "pipeline": "a dataset's elements pass from its threads to the consumer one by one; the bare work slices arrays",
    "many": "the bare work is the same operations in 100 short pieces",
}

# The first pattern that fits a row counts.
_ROWS = (
    ("40 operations in a function", "JAX"),
    ("1e7: tanh(a[*]a+a)[*]a, function", "JAX"),
    ("1e3: tf.[et]*", "digits"),
    ("1e3: *", "call"),
    ("1e5: tf.*", "one thread"),
    ("1e5: *", "call"),
    ("1e[78]: tf.tanh(a)", "passes"),
    ("1e[78]: tf.reduce_sum(a)", "bandwidth"),
    ("1e[78]: *", "bandwidth"),
    ("matmul, *times*", "call"),
    ("matmul, 64", "call"),
    ("matmul, *", "our threads"),
    ("einsum *", "passes"),
    ("inverse, *", "our threads"),
    ("solve, *", "our threads"),
    ("1e6: float16 *", "passes"),
    ("1e7 * numbers", "GIL"),
    ("sum of 1e3 *", "one thread"),
    ("max of 1e3 * along 0", "one thread"),
    ("max of 1e3 * along 1", "NumPy's loop"),
    ("prod of 1e3 * along 0", "one thread"),
    ("cumsum *", "NumPy's loop"),
    ("* of 1e* along [01]", "passes"),
    ("conv2d *", "product"),
    ("depthwise_conv2d *", "passes"),
    ("*_pool2d *", "passes"),
    ("batch norm, *", "passes"),
    ("segment sum *", "NumPy's loop"),
    ("sort *", "NumPy's loop"),
    ("training step, batch 32*", "call"),
    ("training step, *", "passes"),
    ("gradient of a loop, *", "call"),
    ("20 leapfrog steps, *", "JAX"),
    ("4096 rows: *", "pipeline"),
    ("save *", "disk"),
    ("restore *", "fresh memory"),
    ("tf.image.*", "passes"),
    ("5e4 operations *", "many"),
    ("assign_add beside *", "many"),
    ("1e[56] operations *", "many"),
)
_CALLS = ("a *", "v *", "v.*", "a.numpy()", "a[[]0]", "tf.*", "tape of *", "import*")


def limit_of(what: str) -> str | None:
    """Returns the name of the limit of a row, or None if none is known."""
    for pattern, name in (*_ROWS, *((pattern, "call") for pattern in _CALLS)):
        if fnmatch.fnmatchcase(what, pattern):
            return name
    return None
