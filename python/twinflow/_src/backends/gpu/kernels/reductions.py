"""GPU kernels of reductions, argmax and argmin, with fused elementwise operations.

An array is ``count`` rows of ``size`` elements, which are ``inner`` elements apart. A number of
threads of a block, its ``lanes``, reduce a row together: each adds up a strided subset, followed by
a tree reduction over the lanes. Sums are therefore as accurate as pairwise summation. CuPy's own
reductions take twice as long to launch; they are used for large arrays.

Argmax and argmin treat NaN as the lowest value, while CuPy's functions return its index.
"""

from __future__ import annotations

import functools
import math
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.backends.gpu.kernels.elementwise import PREAMBLE, numbers

# Kernel generator.


# C types by dtype character.
TYPES = {
    "?": "bool", "b": "signed char", "B": "unsigned char", "h": "short", "H": "unsigned short", "i": "int", "I": "unsigned int",
    "l": "long long", "L": "unsigned long long", "q": "long long", "Q": "unsigned long long", "f": "float", "d": "double",
}  # fmt: skip
# The type of value-index pairs, which the preamble of a kernel defines (``_PREAMBLE``).
PLACE = "place"
TYPES[PLACE] = "twinflow_place"
# By reduction: the combination of two values; ``a`` is the accumulator. NaN is propagated.
COMBINED = {
    "Sum": "a + b", "Prod": "a * b", "Max": "b != b || b > a ? b : a", "Min": "b != b || b < a ? b : a",
    "Any": "a || b", "All": "a && b", "Better": "twinflow_better(a, b)",
}  # fmt: skip
_FIRST = {"Better": "twinflow_place()", "Sum": "0", "Prod": "1", "Any": "false", "All": "true"}
# Threads per block; minimum number of elements per thread before more threads share a row.
_THREADS, _EACH = 256, 4
# Larger arrays and longer rows are left to CuPy, which splits a row over several blocks.
_MOST, _LONGEST, _MOST_GROUPS = 1 << 20, 1 << 13, 1 << 16

_TEXT = """{preamble}
struct twinflow_layout {{ long long count, size, inner, lanes, apart; }};
extern "C" __global__ void {name}({parameters}, twinflow_layout all_) {{
    const int t_ = threadIdx.x, lanes_ = (int)all_.lanes, apart_ = (int)all_.apart, lane_ = t_ / apart_ % lanes_;
    const int together_ = blockDim.x / lanes_, at_ = t_ / (apart_ * lanes_) * apart_ + t_ % apart_;
    for (long long first_ = (long long)blockIdx.x * together_; first_ < all_.count; first_ += (long long)gridDim.x * together_) {{
        const long long row_ = first_ + at_, start_ = row_ / all_.inner * all_.size * all_.inner + row_ % all_.inner;
        const bool there_ = row_ < all_.count;
        {body}
    }}
}}
"""
_LOOP = """if (there_) for (long long k_ = lane_; k_ < all_.size; k_ += lanes_) {{
            const long long i_ = start_ + k_ * all_.inner;
            {text}
        }}"""
_REDUCED = """{type} {name} = {first};
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


class Reduced(NamedTuple):
    """A reduction of each row.

    Attributes:
        type: The reduction, a key of ``COMBINED``.
        char: The dtype character of the result.
        name: The variable name of the result.
        text: Source that runs for each element before.
        value: The expression that is reduced.
        then: Source that runs once per row afterwards.
    """

    type: str
    char: str
    name: str
    text: str
    value: str
    then: str = ""


def _first(type: str, char: str) -> str:
    """Returns the identity element of a reduction."""
    if type in _FIRST:
        return _FIRST[type]
    if char in "fd":
        return "-1.0 / 0.0" if type == "Max" else "1.0 / 0.0"
    limits = np.iinfo(char)
    if type == "Min":
        return f"{limits.max}ULL"
    return f"-{limits.max}LL - 1" if limits.min else "0"


def text(
    name: str, inputs: Sequence[tuple[str, bool]], results: Sequence[tuple[str, bool]], steps: Sequence[Reduced], before: str = "", last: str = "",
    preamble: str = PREAMBLE,
) -> str:  # fmt: skip
    """Returns the source of a kernel.

    Args:
        name: Its name.
        inputs: The dtype character of each of ``x0_``, ``x1_``, ..., and True if it is per element,
            False if per row.
        results: The same for ``result0_``, ``result1_``, ...: per-row results are assigned in a
            step's ``then``.
        steps: The reductions, in order.
        before: Source that runs for each row before.
        last: Source that runs for each element in the end.
        preamble: Source before the kernel.
    """

    def loop(text: str) -> str:
        """Returns a loop over the elements of a row, with the inputs that its body reads."""
        given = [
            f"const {TYPES[c]} x{i}_ = x{i}[i_];"
            for i, (c, each) in enumerate(inputs)
            if each and re.search(rf"\bx{i}_\b", text)
        ]
        return _LOOP.format(text=" ".join([*given, text]))

    body = [
        f"const {TYPES[c]} x{i}_ = there_ ? x{i}[row_] : ({TYPES[c]})0;"
        for i, (c, each) in enumerate(inputs)
        if not each
    ]
    body.append(before)
    for step in steps:
        own = TYPES[step.char]
        line = f"{step.text} {{ const {own} a = {step.name}, b = {step.value}; {step.name} = ({own})({COMBINED[step.type]}); }}"
        body.append(_REDUCED.format(
            type=own, name=step.name, first=_first(step.type, step.char), loop=loop(line), threads=_THREADS, combined=COMBINED[step.type]
        ))  # fmt: skip
        body.append(step.then)
    stored = [(i, each) for i, (_, each) in enumerate(results)]
    if last:
        each = " ".join(f"result{i}[i_] = result{i}_;" for i, each in stored if each)
        body.append(loop(f"{last} {each}"))
    rows = " ".join(f"result{i}[row_] = result{i}_;" for i, each in stored if not each)
    body.append(f"if (there_ && lane_ == 0) {{ {rows} }}" if rows else "")
    parameters = [f"const {TYPES[c]} *x{i}" for i, (c, _) in enumerate(inputs)] + [
        f"{TYPES[c]} *result{i}" for i, (c, _) in enumerate(results)
    ]
    return _TEXT.format(
        preamble=preamble,
        name=name,
        parameters=", ".join(parameters),
        body="\n        ".join(filter(None, body)),
    )


# ------------------------------------------------------------------ launch configuration


class Layout(NamedTuple):
    """The launch configuration of a kernel: grid size, block size, and the struct argument."""

    groups: tuple[int]
    threads: tuple[int]
    told: Any


def layout(shape: tuple[int, ...], axes: Sequence[int]) -> Layout | None:
    """Returns the launch configuration, or None if axes are not adjacent or CuPy is faster.

    Args:
        shape: The shape of the C-contiguous array.
        axes: The reduced dimensions, non-negative.
    """
    along = [i in axes for i, n in enumerate(shape) if n != 1]
    first, length = (along.index(True), sum(along)) if True in along else (0, 0)
    sizes = [n for n in shape if n != 1]
    size, inner = math.prod(sizes[first : first + length]), math.prod(sizes[first + length :])
    whole = math.prod(sizes)
    if not all(along[first : first + length]) or not 0 < whole <= _MOST or size > _LONGEST:
        return None
    lanes, count = min(_power(-(-size // _EACH)), _THREADS), whole // size
    together = min(_THREADS // lanes, _power(count))
    told = numbers(count, size, inner, lanes, 1 if inner == 1 else together)
    return Layout((min(-(-count // together), _MOST_GROUPS),), (lanes * together,), told)


def _power(number: int) -> int:
    """Returns the smallest power of two that is at least ``number``."""
    return 1 << (number - 1).bit_length()


def kernel(
    xp: Any,
    inputs: Any,
    results: Any,
    steps: tuple[Reduced, ...],
    before: str,
    last: str,
    arrays: tuple[Any, ...],
    laid: Layout,
) -> Callable[..., Any]:
    """Returns a kernel as a function of arrays of one layout; see ``text``.

    Args:
        xp: The array module.
        inputs: As for ``text``.
        results: As for ``text``.
        steps: As for ``text``.
        before: As for ``text``.
        last: As for ``text``.
        arrays: The shapes and dtypes of the results.
        laid: The launch configuration.
    """
    launch, array, straight = (
        _compiled(xp, inputs, results, steps, before, last),
        xp.ndarray,
        xp.ascontiguousarray,
    )
    groups, threads, told = laid

    def run(*given: Any) -> Any:
        given = tuple([x if x.flags.c_contiguous else straight(x) for x in given])
        found = [array(*form) for form in arrays]
        launch(groups, threads, (*given, *found, told))
        return found if len(found) > 1 else found[0]

    return run


@functools.cache
def _compiled(
    xp: Any, inputs: Any, results: Any, steps: tuple[Reduced, ...], before: str, last: str
) -> Any:
    """Compiles the kernel of a source."""
    return xp.RawKernel(
        text("twinflow_rows", inputs, results, steps, before, last),
        "twinflow_rows",
        options=("--fmad=false",),
    )


# Reduction ops.


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
_FLOATS, _WHOLE, _BOOLEANS = frozenset("fd"), frozenset("bBhHiIlLqQ"), frozenset("?")
# The reduction, its operand and its final expression, where they differ from the op.
_OTHERS = {
    "Mean": ("Sum", "x0_", "total_ / all_.size"),
    "L2Loss": ("Sum", "x0_ * x0_", "total_ / 2"),
}
# Maximum number of cached launches per op, axes and dtype, by shape.
_KNOWN = 256


@functools.cache
def _kernel(cupy: Any, type: str, char: str) -> Any:
    """Returns the kernel of a reduction for a dtype."""
    name, (along, value, then) = (
        f"twinflow_{type}_{np.dtype(char).name}",
        _OTHERS.get(type, (type, "x0_", "total_")),
    )
    step = Reduced(along, char, "total_", "", value, f"const auto result0_ = {then};")
    return cupy.RawKernel(
        text(name, [(char, True)], [(char, False)], [step]), name, options=("--fmad=false",)
    )


def reduction_kernel(cupy: Any, type: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the GPU kernel of a reduction op.

    Args:
        cupy: The module.
        type: The type of the op.
        kernel: The op's own kernel, the fallback for other dtypes and empty arrays, which also
            validates axes.
    """
    method, array = FUNCTIONS[type], cupy.ndarray
    chars = (
        _BOOLEANS if method in ("any", "all") else _FLOATS if type in _OTHERS else _FLOATS | _WHOLE
    )

    def others(xp: Any, x: Any, axis: Any, keepdims: bool) -> Any:
        """Runs the op's own kernel."""
        return kernel(xp, x) if method is None else kernel(xp, x, axis, keepdims=keepdims)

    def run(xp: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        if x.dtype.char not in chars:
            return others(xp, x, axis, keepdims)
        return whole(xp, x) if axis is None and not keepdims else way_of(xp, x, axis, keepdims)(x)

    def specialize_axes(
        xp: Any, own: Any, axis: Any = None, /, *, keepdims: bool = False
    ) -> Callable[..., Any] | None:
        """Returns the reduction specialized for axes, or None."""
        return functools.partial(along(axis, keepdims), xp) if own.char in chars else None

    def along(axis: Any, keepdims: bool) -> Callable[..., Any]:
        """Returns a reduction for given axes with a cache of launches by array layout."""
        known: dict[Any, Callable[..., Any]] = {}

        def reduce(xp: Any, x: Any) -> Any:
            form = x.dtype, x.shape, x.strides
            way = known.get(form)
            if way is None:
                if len(known) >= _KNOWN:
                    known.clear()
                way = known[form] = way_of(xp, x, axis, keepdims)
            return way(x)

        return reduce

    def way_of(xp: Any, x: Any, axis: Any, keepdims: bool) -> Callable[..., Any]:
        """Returns the reduction of arrays with the layout of this one."""
        axes = tuple(range(x.ndim)) if axis is None else _axes(x.ndim, axis.reshape(-1).tolist())
        if axes is None or not x.size:
            return lambda x: others(xp, x, axis, keepdims)
        found = layout(x.shape, axes) if x.flags.c_contiguous else None
        if found is None:
            if method is None or x.dtype.char in _WHOLE:
                return lambda x: others(xp, x, axis, keepdims)
            return operator.methodcaller(method, None if axis is None else axes, keepdims=keepdims)
        (groups, threads, told), launch, dtype = found, _kernel(cupy, type, x.dtype.char), x.dtype
        shape = tuple(
            [1 if i in axes else n for i, n in enumerate(x.shape) if keepdims or i not in axes]
        )

        def way(x: Any) -> Any:
            out = array(shape, dtype)
            launch(groups, threads, (x, out, told))
            return out

        return way

    whole = along(None, False)
    run.settled = specialize_axes  # type: ignore[attr-defined]
    return run


def _axes(rank: int, axes: list[int]) -> tuple[int, ...] | None:
    """Returns the axes normalized to be non-negative; None if empty or invalid."""
    fit = (
        axes
        and rank
        and -rank <= min(axes)
        and max(axes) < rank
        and len({a % rank for a in axes}) == len(axes)
    )
    return tuple([a % rank for a in axes]) if fit else None


# Argmax and argmin.


_TYPES = {"e": "float16", "f": "float32", "d": "float64"}
_RESULTS = {"h": "int16", "H": "uint16", "i": "int32", "l": "int64", "q": "int64"}
_WIDE = {"e": "float", "f": "float", "d": "double"}
# The better of two pairs: the larger value, and among equal ones (or NaN) the first. ``next`` is 0
# in an empty pair.
_PREAMBLE = """
struct twinflow_place {{
    {wide} value; long long next;
    twinflow_place() = default;
    __device__ twinflow_place({wide} x, long long i) : value(x != x ? ({wide})(-1.0 / 0.0) : x), next(i + 1) {{}}
}};
__device__ twinflow_place twinflow_better(const twinflow_place &a, const twinflow_place &b) {{
    if (!a.next) return b;
    if (!b.next) return a;
    if (a.value == b.value) return a.next < b.next ? a : b;
    return a.value > b.value ? a : b;
}}
"""


@functools.cache
def _argminmax_kernel(cupy: Any, type: str, char: str, result: str) -> Any:
    """Returns CuPy's reduction kernel for a float and an index dtype.

    CuPy may substitute names in the source, hence the trailing underscores.
    """
    sign = "-" if type == "ArgMin" else ""
    return cupy.ReductionKernel(
        f"{_TYPES[char]} element_", f"{_RESULTS[result]} found_", f"twinflow_place({sign}({_WIDE[char]})element_, _J)",
        "twinflow_better(a, b)", "found_ = a.next - 1", "twinflow_place()", f"twinflow_{type}", reduce_type="twinflow_place", preamble=_PREAMBLE.format(wide=_WIDE[char]),
    )  # fmt: skip


@functools.cache
def _quick(cupy: Any, type: str, char: str, result: str) -> Any:
    """Returns the row kernel for float32 and float64."""
    value = f"twinflow_place({'-' if type == 'ArgMin' else ''}x0_, k_)"
    step = Reduced(
        "Better", PLACE, "best_", "", value, "const long long result0_ = best_.next - 1;"
    )
    code = text(
        f"twinflow_{type}",
        [(char, True)],
        [(result, False)],
        [step],
        preamble=_PREAMBLE.format(wide=_WIDE[char]),
    )
    return cupy.RawKernel(code, f"twinflow_{type}")


def extreme_kernel(cupy: Any, type: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the GPU kernel of argmax or argmin.

    Args:
        cupy: The module.
        type: The type of the op.
        kernel: The op's own kernel, the fallback for other dtypes, which also validates the
            dimension.
    """

    def run(xp: Any, x: Any, dimension: Any, *, output_type: Any) -> Any:
        made = (
            specialize_dimension(xp, x.dtype, dimension, output_type=output_type)
            if x.size
            else None
        )
        if made is None or not -x.ndim <= int(dimension) < x.ndim:
            return kernel(xp, x, dimension, output_type=output_type)
        return made(x)

    def specialize_dimension(
        xp: Any, own: Any, dimension: Any, /, *, output_type: Any
    ) -> Callable[..., Any] | None:
        if own.char not in _TYPES or output_type.np.char not in _RESULTS or dimension.ndim:
            return None
        axis, result, array = int(dimension), output_type.np, cupy.ndarray
        whole = functools.partial(_argminmax_kernel(cupy, type, own.char, result.char), axis=axis)

        @functools.lru_cache(_KNOWN)
        def way_of(shape: tuple[int, ...]) -> tuple[Any, tuple[int, ...]] | None:
            """Returns the launch configuration of the row kernel and the result shape, or None."""
            fits = own.char in "fd" and -len(shape) <= axis < len(shape)
            laid = layout(shape, (axis % len(shape),)) if fits else None
            return (
                None
                if laid is None
                else (laid, (*shape[: axis % len(shape)], *shape[axis % len(shape) + 1 :]))
            )

        def reduce_rows(x: Any) -> Any:
            if not x.size:
                raise ValueError("no elements")  # run() then raises the proper error
            way = way_of(x.shape) if x.flags.c_contiguous else None
            if way is None:
                return whole(x)
            (groups, threads, told), out = way[0], array(way[1], result)
            _quick(cupy, type, own.char, result.char)(groups, threads, (x, out, told))
            return out

        return reduce_rows

    run.settled = specialize_dimension  # type: ignore[attr-defined]
    return run
