"""Sums, means, products and extreme elements on a GPU: by one kernel of ours, or CuPy's own for large arrays.

Kernels that go along dimensions of a GPU's arrays: sums and their like, and what is computed of them, in one launch.

An array is ``count`` rows of ``size`` elements each, which lie ``inner`` elements apart. Some threads of a group, its ``lanes``,
have a row together: each adds up every so many elements, then halves of the lanes give to the others. So a sum is
as exact as one of pairs. CuPy's own reductions take twice as long to be asked for.

Where the extreme elements of floats are on a GPU, by one kernel: a number that is none is less than all others.

CuPy's function takes such a number for the extreme one.
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

# Kernels that go along dimensions of a GPU's arrays: sums and their like, and what is computed of
# them, in one launch.


# C's names of types, by NumPy's letters.
TYPES = {
    "?": "bool", "b": "signed char", "B": "unsigned char", "h": "short", "H": "unsigned short", "i": "int", "I": "unsigned int",
    "l": "long long", "L": "unsigned long long", "q": "long long", "Q": "unsigned long long", "f": "float", "d": "double",
}  # fmt: skip
# Places of numbers: which type that is, the text of a kernel says before (``PLACES`` in ``cupy_extremes.py``).
PLACE = "place"
TYPES[PLACE] = "twinflow_place"
# By the type of an operation: what two numbers become; ``a`` is the one so far. A number that is none stays.
COMBINED = {
    "Sum": "a + b", "Prod": "a * b", "Max": "b != b || b > a ? b : a", "Min": "b != b || b < a ? b : a",
    "Any": "a || b", "All": "a && b", "Better": "twinflow_better(a, b)",
}  # fmt: skip
_FIRST = {"Better": "twinflow_place()", "Sum": "0", "Prod": "1", "Any": "false", "All": "true"}
# Threads of a group; a thread adds up so many elements before more threads have the row.
_THREADS, _EACH = 256, 4
# Arrays of more elements, and longer rows, are left to CuPy, which shares a row among many groups.
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
    """A number that is found of each row.

    Attributes:
        type: The type of the operation, a key of ``COMBINED``.
        char: The letter of the number's type.
        name: What the number is called afterwards.
        text: What is computed of each element before.
        value: What is reduced.
        then: What is computed of the number, once for each row.
    """

    type: str
    char: str
    name: str
    text: str
    value: str
    then: str = ""


def _first(type: str, char: str) -> str:
    """What changes no number when it is combined."""
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
    """The text of a kernel.

    Args:
        name: Its name.
        inputs: The letters of the types of ``x0_``, ``x1_``, ..., and whether each is there for each element, or for each row.
        results: The same of ``result0_``, ``result1_``, ...: what is there for each row is assigned in a step's ``then``.
        steps: What is found of rows, one after the other.
        before: What is computed for each row before.
        last: What is computed of each element in the end.
        preamble: What stands before the kernel.
    """

    def loop(text: str) -> str:
        """A text that runs for each element, after what it reads."""
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


# ------------------------------------------------------------------ how arrays lie


class Layout(NamedTuple):
    """How a kernel is asked for: the numbers of groups and of threads, and what the kernel is told, as one argument."""

    groups: tuple[int]
    threads: tuple[int]
    told: Any


def layout(shape: tuple[int, ...], axes: Sequence[int]) -> Layout | None:
    """How an array is shared among threads; None where the axes are no neighbours, or others do it better.

    Args:
        shape: The sizes of the array, which lies in C order.
        axes: The dimensions that are rows, not negative.
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
    """The least power of two that is not less."""
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
    """A function of arrays that lie in one way; see ``text``.

    Args:
        xp: The array module.
        inputs: As for ``text``.
        results: As for ``text``.
        steps: As for ``text``.
        before: As for ``text``.
        last: As for ``text``.
        arrays: The shapes and types of the results.
        laid: How the arrays lie whose rows these are.
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
    """The kernel of a text."""
    return xp.RawKernel(
        text("twinflow_rows", inputs, results, steps, before, last),
        "twinflow_rows",
        options=("--fmad=false",),
    )


# Sums, means, products and extreme elements on a GPU: by one kernel of ours, or CuPy's own for
# large arrays.


# CuPy's function, by the type of the operation; of halves of sums of squares there is none.
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
# What is reduced and what becomes of it, where that is more than the reduction.
_OTHERS = {
    "Mean": ("Sum", "x0_", "total_ / all_.size"),
    "L2Loss": ("Sum", "x0_ * x0_", "total_ / 2"),
}
# Calls are known by shapes, so many of each operation, axes and type.
_KNOWN = 256


@functools.cache
def _kernel(cupy: Any, type: str, char: str) -> Any:
    """The kernel of a reduction on a type."""
    name, (along, value, then) = (
        f"twinflow_{type}_{np.dtype(char).name}",
        _OTHERS.get(type, (type, "x0_", "total_")),
    )
    step = Reduced(along, char, "total_", "", value, f"const auto result0_ = {then};")
    return cupy.RawKernel(
        text(name, [(char, True)], [(char, False)], [step]), name, options=("--fmad=false",)
    )


def reduction_kernel(cupy: Any, type: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel of a reduction.

    Args:
        cupy: The module.
        type: The type of the operation.
        kernel: The operation's own, which runs on other types and on nothing, and says which axes cannot be.
    """
    method, array = FUNCTIONS[type], cupy.ndarray
    chars = (
        _BOOLEANS if method in ("any", "all") else _FLOATS if type in _OTHERS else _FLOATS | _WHOLE
    )

    def others(xp: Any, x: Any, axis: Any, keepdims: bool) -> Any:
        """What the operation's own kernel gives."""
        return kernel(xp, x) if method is None else kernel(xp, x, axis, keepdims=keepdims)

    def run(xp: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        if x.dtype.char not in chars:
            return others(xp, x, axis, keepdims)
        return whole(xp, x) if axis is None and not keepdims else way_of(xp, x, axis, keepdims)(x)

    def settled(
        xp: Any, own: Any, axis: Any = None, /, *, keepdims: bool = False
    ) -> Callable[..., Any] | None:
        """The same for certain axes."""
        return functools.partial(along(axis, keepdims), xp) if own.char in chars else None

    def along(axis: Any, keepdims: bool) -> Callable[..., Any]:
        """A function of the module and an array, which remembers how arrays lay."""
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
        """What reduces arrays that lie like this one."""
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
    run.settled = settled  # type: ignore[attr-defined]
    return run


def _axes(rank: int, axes: list[int]) -> tuple[int, ...] | None:
    """The axes, not negative; None for none, and for those that cannot be."""
    fit = (
        axes
        and rank
        and -rank <= min(axes)
        and max(axes) < rank
        and len({a % rank for a in axes}) == len(axes)
    )
    return tuple([a % rank for a in axes]) if fit else None


# Where the extreme elements of floats are on a GPU, by one kernel: a number that is none is less
# than all others.


_TYPES = {"e": "float16", "f": "float32", "d": "float64"}
_RESULTS = {"h": "int16", "H": "uint16", "i": "int32", "l": "int64", "q": "int64"}
_WIDE = {"e": "float", "f": "float", "d": "double"}
# The better one of two: the larger number, and of equal ones, as of those that are none, the first. There is none yet where ``next`` is 0.
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
    """CuPy's kernel for a type of floats and one of places; CuPy may replace names in the texts, which are no part of others."""
    sign = "-" if type == "ArgMin" else ""
    return cupy.ReductionKernel(
        f"{_TYPES[char]} element_", f"{_RESULTS[result]} found_", f"twinflow_place({sign}({_WIDE[char]})element_, _J)",
        "twinflow_better(a, b)", "found_ = a.next - 1", "twinflow_place()", f"twinflow_{type}", reduce_type="twinflow_place", preamble=_PREAMBLE.format(wide=_WIDE[char]),
    )  # fmt: skip


@functools.cache
def _quick(cupy: Any, type: str, char: str, result: str) -> Any:
    """The kernel of rows for float32 and float64."""
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
    """The kernel that finds extreme elements along a dimension.

    Args:
        cupy: The module.
        type: The type of the operation.
        kernel: The operation's own, which runs on other types, and says which dimensions cannot be.
    """

    def run(xp: Any, x: Any, dimension: Any, *, output_type: Any) -> Any:
        made = settled(xp, x.dtype, dimension, output_type=output_type) if x.size else None
        if made is None or not -x.ndim <= int(dimension) < x.ndim:
            return kernel(xp, x, dimension, output_type=output_type)
        return made(x)

    def settled(
        xp: Any, own: Any, dimension: Any, /, *, output_type: Any
    ) -> Callable[..., Any] | None:
        if own.char not in _TYPES or output_type.np.char not in _RESULTS or dimension.ndim:
            return None
        axis, result, array = int(dimension), output_type.np, cupy.ndarray
        whole = functools.partial(_argminmax_kernel(cupy, type, own.char, result.char), axis=axis)

        @functools.lru_cache(_KNOWN)
        def way_of(shape: tuple[int, ...]) -> tuple[Any, tuple[int, ...]] | None:
            """How the quick kernel is asked for, and the shape of what it gives; None where there is none."""
            fits = own.char in "fd" and -len(shape) <= axis < len(shape)
            laid = layout(shape, (axis % len(shape),)) if fits else None
            return (
                None
                if laid is None
                else (laid, (*shape[: axis % len(shape)], *shape[axis % len(shape) + 1 :]))
            )

        def found(x: Any) -> Any:
            if not x.size:
                raise ValueError("no elements")  # what runs then says in which words
            way = way_of(x.shape) if x.flags.c_contiguous else None
            if way is None:
                return whole(x)
            (groups, threads, told), out = way[0], array(way[1], result)
            _quick(cupy, type, own.char, result.char)(groups, threads, (x, out, told))
            return out

        return found

    run.settled = settled  # type: ignore[attr-defined]
    return run
