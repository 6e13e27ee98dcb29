"""Other libraries in the words that the rows use, so that one table measures them all.

Only what the rows need is there; ``lacks`` names the rows that a library has no fair answer to.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any


class _Optimizer:
    """PyTorch's stochastic gradient descent, asked as Keras' is."""

    def __init__(self, torch: Any, rate: float, momentum: float) -> None:
        self._make = lambda tensors: torch.optim.SGD(tensors, lr=rate, momentum=momentum)
        self._made: Any = None

    def apply_gradients(self, pairs: Any) -> None:
        """Takes one step; the slopes are in the variables already."""
        if self._made is None:
            self._made = self._make([variable for _, variable in pairs])
        self._made.step()


class _Tape:
    """Autograd of PyTorch, which records by itself."""

    def __enter__(self) -> _Tape:
        return self

    def __exit__(self, *error: Any) -> None:
        pass

    def gradient(self, of: Any, by: Any) -> Any:
        """The slopes, where PyTorch keeps them."""
        variables = by if isinstance(by, list) else [by]
        for variable in variables:
            variable.grad = None
        of.backward()
        return [v.grad for v in variables] if isinstance(by, list) else by.grad


def _convolution(torch: Any, x: Any, filters: Any, stride: int, padding: str) -> Any:
    """PyTorch's convolution of images with channels last, as it lies in memory."""
    turned = x.permute(0, 3, 1, 2), filters.permute(3, 2, 0, 1)
    return torch.nn.functional.conv2d(*turned, stride=stride, padding=padding.lower())


def torch_words(np: Any) -> Any:
    """PyTorch; ``torch.compile`` is left out, as it needs a compiler of C++ at hand."""
    torch = importlib.import_module("torch")
    torch.Tensor.assign = lambda self, value: self.data.copy_(value)
    torch.Tensor.assign_add = lambda self, value: self.data.add_(value)

    def variable(value: Any) -> Any:
        return torch.tensor(value, dtype=torch.float32).requires_grad_()

    return SimpleNamespace(
        constant=torch.tensor,
        Variable=variable,
        GradientTape=_Tape,
        add=torch.add,
        matmul=torch.matmul,
        reduce_sum=torch.sum,
        reduce_mean=torch.mean,
        exp=torch.exp,
        tanh=torch.tanh,
        square=torch.square,
        gather=lambda table, at: table[at],
        where=torch.where,
        cast=lambda x, dtype: x.to(dtype),
        float64=torch.float64,
        sigmoid=torch.sigmoid,
        reduce_max=torch.amax,
        reduce_prod=torch.prod,
        argmax=torch.argmax,
        cumsum=torch.cumsum,
        reshape=torch.reshape,
        transpose=lambda x, order=(1, 0): x.permute(*order).contiguous(),
        concat=torch.concat,
        einsum=torch.einsum,
        sort=lambda x: torch.sort(x)[0],
        linalg=SimpleNamespace(solve=torch.linalg.solve, inv=torch.linalg.inv),
        nn=SimpleNamespace(relu=torch.relu, conv2d=functools.partial(_convolution, torch)),
        random=SimpleNamespace(uniform=torch.rand, normal=torch.randn),
        keras=SimpleNamespace(
            optimizers=SimpleNamespace(SGD=functools.partial(_Optimizer, torch)),
        ),
        function=lambda function, jit_compile=False: function,
        finished=lambda function: function,
        lacks=frozenset(
            (
                "tf.Variable(a)",  # PyTorch warns of a tensor made of a tensor
                "40 operations in a function",
                "40 operations, jit_compile",
                "20 leapfrog steps, jit_compile",
                "1e7: tanh(a*a+a)*a, function",
                "training step, batch 32, traced",
                "training step, batch 4096, traced",
            )
        ),
    )


def jax_words(np: Any) -> Any:
    """JAX, which has no variables and no tapes; it answers when a result is there, as the others do."""
    jax = importlib.import_module("jax")
    jax.config.update("jax_cpu_enable_async_dispatch", False)
    jax.config.update("jax_enable_x64", True)
    jnp, key = jax.numpy, jax.random.key(1)
    convolution = functools.partial(
        jax.lax.conv_general_dilated, dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    named = (
        "add",
        "matmul",
        "exp",
        "tanh",
        "square",
        "where",
        "cumsum",
        "reshape",
        "einsum",
        "sort",
        "argmax",
        "transpose",
    )
    return SimpleNamespace(
        **{name: getattr(jnp, name) for name in named},
        constant=lambda value: jnp.asarray(
            np.asarray(value, "f4") if isinstance(value, list) else value
        ),
        Variable=jnp.asarray,
        reduce_sum=jnp.sum,
        reduce_mean=jnp.mean,
        reduce_max=jnp.max,
        reduce_prod=jnp.prod,
        gather=lambda table, at: table[at],
        cast=lambda x, dtype: x.astype(dtype),
        float64=jnp.float64,
        sigmoid=jax.nn.sigmoid,
        concat=jnp.concatenate,
        linalg=SimpleNamespace(solve=jnp.linalg.solve, inv=jnp.linalg.inv),
        nn=SimpleNamespace(
            relu=jax.nn.relu,
            conv2d=lambda x, filters, stride, padding: convolution(
                x, filters, (stride, stride), padding
            ),
        ),
        random=SimpleNamespace(
            uniform=lambda shape: jax.random.uniform(key, shape, np.float32),
            normal=lambda shape: jax.random.normal(key, shape, np.float32),
        ),
        keras=SimpleNamespace(optimizers=SimpleNamespace(SGD=lambda *given, **named: None)),
        function=lambda function, jit_compile=True: jax.jit(function),
        finished=lambda function: lambda: jax.block_until_ready(function()),
        while_loop=lambda cond, body, values: jax.lax.while_loop(
            lambda state: cond(*state), lambda state: body(*state), values
        ),
        lacks=frozenset(("v + a", "v + w", "tf.Variable(a)")),
    )


PEERS: dict[str, Callable[[Any], Any]] = {"torch": torch_words, "jax": jax_words}
