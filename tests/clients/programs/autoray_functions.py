"""autoray: NumPy-like functions dispatched to TensorFlow by the module of the argument's class."""

# needs: autoray

import json

import numpy as np
import tensorflow as tf
from autoray import do, infer_backend, to_backend_dtype

x = tf.constant(np.random.default_rng(0).normal(size=(3, 3)))
assert infer_backend(x) == "tensorflow"
q, r = do("linalg.qr", x)
results = {
    "sum": do("sum", x, axis=0),
    "qr": do("abs", r),
    "svd": do("linalg.svd", x)[1],
    "einsum": do("einsum", "ab,bc->ac", x, x),
    "tensordot": do("tensordot", x, x, axes=1),
    "transpose": do("transpose", x, (1, 0)),
    "reshape": do("reshape", x, (9,)),
    "concatenate": do("concatenate", (x, x), axis=0),
    "max": do("max", do("abs", x)),
    "stack": do("stack", (x, x)),
    "diag": do("diag", x),
    "eye": do("eye", 3, like=x),
    "where": do("where", x > 0, x, -x),
    "astype": do("astype", x, to_backend_dtype("float32", like=x)),
    "norm": do("linalg.norm", x),
    "exp": do("exp", x),
}
print(json.dumps({name: np.ravel(np.asarray(v)).tolist() for name, v in results.items()}))
