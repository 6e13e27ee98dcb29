"""GPU kernels of reductions along axes, generated in one way.

Sums and their kin, argmax and argmin, softmax and cross entropies are sequences of reductions with
elementwise expressions around them. An array is ``count`` rows of ``size`` elements, which are
``inner`` elements apart. A number of threads of a block, its ``lanes``, reduce a row together: each
combines a strided subset, followed by a tree reduction over the lanes. Sums are therefore as
accurate as pairwise summation. A kernel reads a row once per reduction and once for the results.

CuPy's own reductions take twice as long to launch; they are used for large arrays.
"""

from __future__ import annotations

import functools
import math
import operator
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.backends.gpu.kernels.launch import compile_raw, pack_integers

# Generator.


# C types by dtype character.
TYPES = {
    "?": "bool", "b": "signed char", "B": "unsigned char", "h": "short", "H": "unsigned short", "i": "int", "I": "unsigned int",
    "l": "long long", "L": "unsigned long long", "q": "long long", "Q": "unsigned long long", "f": "float", "d": "double",
}  # fmt: skip
# The type of value-index pairs, which the preamble of a kernel defines (``_PAIR_PREAMBLE``).
PAIR = "pair"
TYPES[PAIR] = "twinflow_pair"
# By reduction: the combination of two values; ``a`` is the accumulator. NaN is propagated.
_COMBINED = {
    "Sum": "a + b", "Prod": "a * b", "Max": "b != b || b > a ? b : a", "Min": "b != b || b < a ? b : a",
    "Any": "a || b", "All": "a && b", "Better": "twinflow_better(a, b)",
}  # fmt: skip
_INITIAL = {"Better": "twinflow_pair()", "Sum": "0", "Prod": "1", "Any": "false", "All": "true"}
# Threads per block, for usual and for long rows; minimum number of elements per thread before more
# threads share a row.
_THREADS, _MAX_THREADS, _PER_THREAD = 256, 1024, 4
# Larger arrays and longer rows are left to CuPy where it has the reduction: it splits a row over
# several blocks.
_MAX_SIZE, _MAX_ROW, _MAX_BLOCKS = 1 << 20, 1 << 13, 1 << 16

_TEXT = """{preamble}
struct twinflow_layout {{ long long count, size, inner, lanes, apart; }};
extern "C" __global__ void __launch_bounds__({threads}) {name}({parameters}, twinflow_layout all_) {{
    const int t_ = threadIdx.x, lanes_ = (int)all_.lanes, apart_ = (int)all_.apart, lane_ = t_ / apart_ % lanes_;
    const int together_ = blockDim.x / lanes_, at_ = t_ / (apart_ * lanes_) * apart_ + t_ % apart_;
    for (long long first_ = (long long)blockIdx.x * together_; first_ < all_.count; first_ += (long long)gridDim.x * together_) {{
        const long long row_ = first_ + at_, start_ = row_ / all_.inner * all_.size * all_.inner + row_ % all_.inner;
        const bool inside_ = row_ < all_.count;
        {body}
    }}
}}
"""
_LOOP = """if (inside_) for (long long k_ = lane_; k_ < all_.size; k_ += lanes_) {{
            const long long i_ = start_ + k_ * all_.inner;
            {text}
        }}"""
_REDUCTION = """{type} {name} = {initial};
        {loop}
        __shared__ {type} {name}all[{threads}];
        {name}all[t_] = {name};
        __syncthreads();
        for (int step_ = lanes_ / 2; step_ > 0; step_ /= 2) {{
            if (lane_ < step_) {{ const {type} a = {name}all[t_], b = {name}all[t_ + step_ * apart_]; {name}all[t_] = ({type})({combined}); }}
            __syncthreads();
        }}
        {name} = {name}all[t_ - lane_ * apart_];
        __syncthreads();"""


class Reduction(NamedTuple):
    """A reduction of each row.

    Attributes:
        type: The reduction, such as ``"Sum"``.
        char: The dtype character of the result.
        name: The variable name of the result.
        value: The expression of an element that is reduced.
        then: Source that runs once per row afterwards.
    """

    type: str
    char: str
    name: str
    value: str
    then: str = ""


class Kernel(NamedTuple):
    """The definition of a kernel.

    Attributes:
        name: Its name.
        inputs: The dtype character of each of ``x0_``, ``x1_``, ..., and True if it is per element,
            False if per row.
        results: The same for ``result0_``, ``result1_``, ...: per-row results are assigned in a
            reduction's ``then``.
        reductions: The reductions, in order.
        last: Source that runs for each element in the end.
        preamble: Source before the kernel.
    """

    name: str
    inputs: tuple[tuple[str, bool], ...]
    results: tuple[tuple[str, bool], ...]
    reductions: tuple[Reduction, ...]
    last: str = ""
    preamble: str = ""


def _initial(type: str, char: str) -> str:
    """Returns the identity element of a reduction."""
    if type in _INITIAL:
        return _INITIAL[type]
    if char in "fd":
        return "-1.0 / 0.0" if type == "Max" else "1.0 / 0.0"
    limits = np.iinfo(char)
    if type == "Min":
        return f"{limits.max}ULL"
    return f"-{limits.max}LL - 1" if limits.min else "0"


def text(kernel: Kernel, threads: int = _THREADS) -> str:
    """Returns the source of a kernel for blocks of at most so many threads."""

    def loop(text: str) -> str:
        """Returns a loop over the elements of a row, with the inputs that its body reads."""
        reads = [
            f"const {TYPES[char]} x{i}_ = x{i}[i_];"
            for i, (char, each) in enumerate(kernel.inputs)
            if each and re.search(rf"\bx{i}_\b", text)
        ]
        return _LOOP.format(text=" ".join([*reads, text]))

    body = [
        f"const {TYPES[char]} x{i}_ = inside_ ? x{i}[row_] : ({TYPES[char]})0;"
        for i, (char, each) in enumerate(kernel.inputs)
        if not each
    ]
    for type, char, name, value, then in kernel.reductions:
        c_type, combined = TYPES[char], _COMBINED[type]
        line = f"const {c_type} a = {name}, b = {value}; {name} = ({c_type})({combined});"
        body.append(_REDUCTION.format(
            type=c_type, name=name, initial=_initial(type, char), loop=loop(line), threads=threads, combined=combined
        ))  # fmt: skip
        body.append(then)
    stores = [
        (each, f"result{i}[{'i_' if each else 'row_'}] = result{i}_;")
        for i, (_, each) in enumerate(kernel.results)
    ]
    of_elements = " ".join(line for each, line in stores if each)
    of_rows = " ".join(line for each, line in stores if not each)
    body.append(loop(f"{kernel.last} {of_elements}") if kernel.last else "")
    body.append(f"if (inside_ && lane_ == 0) {{ {of_rows} }}" if of_rows else "")
    parameters = [f"const {TYPES[char]} *x{i}" for i, (char, _) in enumerate(kernel.inputs)]
    parameters += [f"{TYPES[char]} *result{i}" for i, (char, _) in enumerate(kernel.results)]
    return _TEXT.format(
        preamble=kernel.preamble,
        threads=threads,
        name=kernel.name,
        parameters=", ".join(parameters),
        body="\n        ".join(filter(None, body)),
    )


@functools.cache
def _compiled(cupy: Any, kernel: Kernel, threads: int) -> Any:
    """Compiles a kernel."""
    return compile_raw(cupy, text(kernel, threads), kernel.name)


class Layout(NamedTuple):
    """The launch configuration: grid and block size, struct argument, and threads to compile for."""

    grid: tuple[int]
    block: tuple[int]
    packed: Any
    threads: int

    def launch(self, cupy: Any, kernel: Kernel, *arrays: Any) -> None:
        """Launches a kernel on C-contiguous inputs and results."""
        _compiled(cupy, kernel, self.threads)(self.grid, self.block, (*arrays, self.packed))


@functools.lru_cache(1 << 12)
def layout(shape: tuple[int, ...], axes: tuple[int, ...], limited: bool = True) -> Layout | None:
    """Returns the launch configuration, or None if axes are not adjacent or CuPy is faster."""
    # ``limited`` is True if CuPy has the reduction, too.
    along = [i in axes for i, n in enumerate(shape) if n != 1]
    first, length = (along.index(True), sum(along)) if True in along else (0, 0)
    sizes = [n for n in shape if n != 1]
    size, inner = math.prod(sizes[first : first + length]), math.prod(sizes[first + length :])
    total = math.prod(sizes)
    if not all(along[first : first + length]) or not total:
        return None
    if limited and (total > _MAX_SIZE or size > _MAX_ROW):
        return None
    threads = _MAX_THREADS if size > _MAX_ROW else _THREADS
    lanes, count = min(_power_of_two(-(-size // _PER_THREAD)), threads), total // size
    together = min(threads // lanes, _power_of_two(count))
    packed = pack_integers(count, size, inner, lanes, 1 if inner == 1 else together)
    return Layout((min(-(-count // together), _MAX_BLOCKS),), (lanes * together,), packed, threads)


def _power_of_two(number: int) -> int:
    """Returns the smallest power of two that is at least ``number``."""
    return 1 << (number - 1).bit_length()


# Sums and their kin.


# CuPy's function by op type; L2Loss has none.
FUNCTIONS = {
    "Sum": "sum",
    "Mean": "mean",
    "Prod": "prod",
    "Max": "max",
    "Min": "min",
    "Any": "any",
    "All": "all",
    "L2Loss": None,
}
_FLOATS, _INTEGERS, _BOOLEANS = frozenset("fd"), frozenset("bBhHiIlLqQ"), frozenset("?")
# The reduction, its operand and its final expression, where they differ from the op.
_COMPOSED = {
    "Mean": ("Sum", "x0_", "total_ / all_.size"),
    "L2Loss": ("Sum", "x0_ * x0_", "total_ / 2"),
}


@functools.cache
def reduction(type: str, char: str) -> Kernel:
    """Returns the kernel of a reduction op for a dtype."""
    along, value, final = _COMPOSED.get(type, (type, "x0_", "total_"))
    step = Reduction(along, char, "total_", value, f"const auto result0_ = {final};")
    name = f"twinflow_{type}_{np.dtype(char).name}"
    return Kernel(name, ((char, True),), ((char, False),), (step,))


def reduction_kernel(cupy: Any, op: Any) -> Callable[..., Any]:
    """Returns the GPU kernel of a reduction op."""
    # The op's own kernel is the fallback for other dtypes and empty arrays; it also refuses axes.
    type, method, own_kernel, array = op.type, FUNCTIONS[op.type], op.kernel, cupy.ndarray
    chars = (
        _BOOLEANS if method in ("any", "all") else _FLOATS if type in _COMPOSED else _FLOATS | _INTEGERS
    )  # fmt: skip

    def fall_back(xp: Any, x: Any, axis: Any, keepdims: bool) -> Any:
        return own_kernel(xp, x) if method is None else own_kernel(xp, x, axis, keepdims=keepdims)

    def run(xp: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        if x.dtype.char not in chars:
            return fall_back(xp, x, axis, keepdims)
        return specialized(None if axis is None else tuple(axis.reshape(-1).tolist()), keepdims)(
            xp, x, axis
        )

    @functools.lru_cache(1 << 8)
    def specialized(axes: tuple[int, ...] | None, keepdims: bool) -> Callable[..., Any]:
        """Returns the reduction along axes, as a function of the array module, array and axis."""

        @functools.lru_cache(1 << 8)
        def plan(
            dtype: Any, shape: tuple[int, ...], is_contiguous: bool
        ) -> Callable[..., Any] | None:
            """Returns the reduction of arrays of one layout, or None for the op's own kernel."""
            rank = len(shape)
            normal = tuple(range(rank)) if axes is None else _normalized(rank, axes)
            if normal is None or 0 in shape:
                return None
            configuration = layout(shape, normal) if is_contiguous else None
            if configuration is None:
                if method is None or dtype.char in _INTEGERS:
                    return None
                return operator.methodcaller(method, axes and normal, keepdims=keepdims)
            kernel = reduction(type, dtype.char)
            reduced = tuple(
                [
                    1 if i in normal else n
                    for i, n in enumerate(shape)
                    if keepdims or i not in normal
                ]
            )

            def launch(x: Any) -> Any:
                out = array(reduced, dtype)
                configuration.launch(cupy, kernel, x, out)
                return out

            return launch

        def reduce(xp: Any, x: Any, axis: Any) -> Any:
            way = plan(x.dtype, x.shape, x.flags.c_contiguous)
            return fall_back(xp, x, axis, keepdims) if way is None else way(x)

        return reduce

    def specialize(
        xp: Any, dtype: Any, axis: Any = None, /, *, keepdims: bool = False
    ) -> Callable[..., Any] | None:
        """Returns the reduction specialized for axes, or None."""
        if dtype.char not in chars:
            return None
        axes = None if axis is None else tuple(axis.reshape(-1).tolist())
        reduce = specialized(axes, keepdims)
        return lambda x: reduce(xp, x, axis)

    run.specialized = specialize  # type: ignore[attr-defined]
    return run


def _normalized(rank: int, axes: tuple[int, ...]) -> tuple[int, ...] | None:
    """Returns the axes normalized to be non-negative; None if empty or invalid."""
    if not axes or not rank or min(axes) < -rank or max(axes) >= rank:
        return None
    normal = tuple([axis % rank for axis in axes])
    return normal if len(set(normal)) == len(normal) else None


# Argmax and argmin. They treat NaN as the lowest value, while CuPy's functions return its index.


_INDICES = {"h": "int16", "H": "uint16", "i": "int32", "l": "int64", "q": "int64"}
# The better of two pairs: the larger value, and among equal ones (or NaN) the first. ``next`` is 0
# in an empty pair.
_PAIR_PREAMBLE = """
struct twinflow_pair {{
    {type} value; long long next;
    twinflow_pair() = default;
    __device__ twinflow_pair({type} x, long long i) : value(x != x ? ({type})(-1.0 / 0.0) : x), next(i + 1) {{}}
}};
__device__ twinflow_pair twinflow_better(const twinflow_pair &a, const twinflow_pair &b) {{
    if (!a.next) return b;
    if (!b.next) return a;
    if (a.value == b.value) return a.next < b.next ? a : b;
    return a.value > b.value ? a : b;
}}
"""


@functools.cache
def arg_reduction(type: str, char: str, index: str) -> Kernel:
    """Returns the kernel of argmax or argmin for a float and an index dtype."""
    value = f"twinflow_pair({'-' if type == 'ArgMin' else ''}x0_, k_)"
    step = Reduction("Better", PAIR, "best_", value, "const long long result0_ = best_.next - 1;")
    preamble = _PAIR_PREAMBLE.format(type=TYPES[char])
    return Kernel(f"twinflow_{type}", ((char, True),), ((index, False),), (step,), "", preamble)


def arg_kernel(cupy: Any, op: Any) -> Callable[..., Any]:
    """Returns the GPU kernel of argmax or argmin, for floats."""
    # The op's own kernel is the fallback for other dtypes; it also refuses dimensions.
    own_kernel, array = op.kernel, cupy.ndarray

    def run(xp: Any, x: Any, dimension: Any, *, output_type: Any) -> Any:
        reduce = specialize(xp, x.dtype, dimension, output_type=output_type)
        if reduce is None or not x.size or not -x.ndim <= int(dimension) < x.ndim:
            return own_kernel(xp, x, dimension, output_type=output_type)
        return reduce(x)

    def specialize(
        xp: Any, dtype: Any, dimension: Any, /, *, output_type: Any
    ) -> Callable[..., Any] | None:
        index = output_type.np
        if dtype.char not in "efd" or index.char not in _INDICES or dimension.ndim:
            return None
        axis, char = int(dimension), "d" if dtype.char == "d" else "f"
        kernel = arg_reduction(op.type, char, index.char)

        def reduce(x: Any) -> Any:
            configuration = layout(x.shape, (axis % x.ndim,), limited=False) if x.ndim else None
            if configuration is None or not -x.ndim <= axis < x.ndim:
                raise ValueError(axis)  # the slow path raises the proper error
            out = array((*x.shape[: axis % x.ndim], *x.shape[axis % x.ndim + 1 :]), index)
            values = cupy.ascontiguousarray(x, np.dtype(char))
            configuration.launch(cupy, kernel, values, out)
            return out

        return reduce

    run.specialized = specialize  # type: ignore[attr-defined]
    return run


# Softmax and cross entropies, along the last axis.


# The maximum, and the sum of the exponentials.
_EXPONENTIALS = (("Max", "most_", "x0_"), ("Sum", "total_", "exp(x0_ - most_)"))
# By op: source after the sum, a further reduction and source after it, and the result of an element.
# An out-of-range label has a NaN loss and gradient.
_SOFTMAX: dict[str, tuple[str, tuple[tuple[str, str, str, str], ...], str]] = {
    "Softmax": (
        "const number scale_ = 1 / total_;",
        (),
        "const number result0_ = exp(x0_ - most_) * scale_;",
    ),
    "LogSoftmax": (
        "const number log_ = log(total_);",
        (),
        "const number result0_ = x0_ - most_ - log_;",
    ),
    "SoftmaxCrossEntropyWithLogits": (
        "const number log_ = log(total_);",
        (("Sum", "loss_", "-(x1_ * (x0_ - most_ - log_))", "const number result1_ = loss_;"),),
        "const number result0_ = exp(x0_ - most_ - log_) - x1_;",
    ),
    "SparseSoftmaxCrossEntropyWithLogits": (
        """const number log_ = log(total_), nan_ = (number)nan("");
        const bool known_ = inside_ && x1_ >= 0 && x1_ < all_.size;
        const number result1_ = known_ ? -(x0[start_ + x1_ * all_.inner] - most_ - log_) : nan_;""",
        (),
        "const number result0_ = known_ ? exp(x0_ - most_ - log_) - (number)(k_ == x1_) : nan_;",
    ),
}
SOFTMAX = frozenset(_SOFTMAX)


@functools.cache
def softmax(type: str, char: str, labels: str | None = None) -> Kernel:
    """Returns the kernel of a softmax op for the dtypes of the logits and of the labels."""
    after, more, last = _SOFTMAX[type]
    steps = [Reduction(kind, char, name, value) for kind, name, value in _EXPONENTIALS]
    steps[-1] = steps[-1]._replace(then=after)
    steps += [Reduction(kind, char, name, value, then) for kind, name, value, then in more]
    inputs, results = [(char, True)], [(char, True)]
    if labels is not None:
        inputs.append((labels, not type.startswith("Sparse")))
        results.append((char, False))
    preamble = f"typedef {TYPES[char]} number;"
    return Kernel(f"twinflow_{type}", tuple(inputs), tuple(results), tuple(steps), last, preamble)


def softmax_kernel(cupy: Any, op: Any) -> Callable[..., Any]:
    """Returns the GPU kernel of a softmax or cross-entropy op."""
    # The op's own kernel is the fallback for other dtypes and shapes.
    type, own_kernel, array, straight = op.type, op.kernel, cupy.ndarray, cupy.ascontiguousarray
    is_sparse = type.startswith("Sparse")

    def run(xp: Any, logits: Any, labels: Any = None) -> Any:
        shape, dtype = logits.shape, logits.dtype
        inputs = (logits,) if labels is None else (logits, labels)
        fits = dtype.char in _FLOATS and bool(shape)
        if labels is not None:
            fits = fits and len(shape) == 2 and labels.shape == (shape[:1] if is_sparse else shape)
        configuration = layout(shape, (len(shape) - 1,), limited=False) if fits else None
        if configuration is None:
            return own_kernel(xp, *inputs)
        out = [array(shape, dtype)]
        if labels is not None:
            out.append(array(shape[:1], dtype))
        kernel = softmax(type, dtype.char, None if labels is None else labels.dtype.char)
        configuration.launch(cupy, kernel, *map(straight, inputs), *out)
        return out[0] if labels is None else out[::-1]

    return run
