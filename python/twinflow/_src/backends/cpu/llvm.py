"""Machine code by llvmlite: compilation, loops over arrays, ufuncs, and the arithmetic of formulas.

Imported where llvmlite is installed.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any

import llvmlite.binding as binding
import numpy as np
from llvmlite import ir

from twinflow._src.backends.cpu.native import for_range

_TYPES = {
    "f2": ir.HalfType(),
    "f4": ir.FloatType(),
    "f8": ir.DoubleType(),
    **{f"u{bytes}": ir.IntType(8 * bytes) for bytes in (1, 2, 4, 8)},
}
_INDEX, _WORD = _TYPES["u8"], ir.IntType(32)
# The machine code and descriptions of ufuncs, one for each ufunc in the source.
_ALIVE: list[Any] = []


@functools.cache
def _has_half_floats() -> bool:
    """True if the processor converts float16; LLVM would call functions that may be missing."""
    triple = binding.get_default_triple()
    return bool(
        triple.startswith(("aarch64", "arm64")) or binding.get_host_cpu_features().get("f16c")
    )


def compile_loop(keys: Sequence[str], body: Callable[..., None]) -> Callable[..., None] | None:
    """Compiles a function of the addresses of arrays, and of the first and last index of a loop.

    Args:
        keys: The dtypes of the arrays, such as "f4".
        body: Writes one iteration: of the ``ir`` module, the builder, the pointers and the index.

    Returns:
        The function, which releases the global interpreter lock; None if it is unsupported.
    """
    if ctypes.sizeof(ctypes.c_void_p) != 8 or ("f2" in keys and not _has_half_floats()):
        return None
    module = ir.Module("twinflow")
    types = [*(_TYPES[key].as_pointer() for key in keys), _INDEX, _INDEX]
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), types), "loop")
    *pointers, start, stop = function.args
    for pointer in pointers:
        pointer.add_attribute("noalias")
    b = ir.IRBuilder(function.append_basic_block())
    for_range(ir, b, start, stop, lambda index: body(ir, b, pointers, index))
    b.ret_void()
    engine, address = machine_code(module, "loop")
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(keys), *[ctypes.c_int64] * 2)
    native: Any = kind(address)
    native.engine = engine  # the machine code lives as long as the engine
    return native


def compile_ufunc(name: str, body: Callable[[Any, Any], Any]) -> Any:
    """Compiles a NumPy ufunc of one float32; ``body`` emits it for a builder and the value of x."""
    module, pointer = ir.Module("twinflow"), ir.IntType(8).as_pointer()
    types = [pointer.as_pointer(), *[_INDEX.as_pointer()] * 2, pointer]
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), types), "loop")
    b = ir.IRBuilder(function.append_basic_block())
    load = lambda array, i: b.load(b.gep(array, [ir.Constant(_INDEX, i)]))
    arrays, counts, strides, _ = function.args
    ends, count = [load(arrays, i) for i in (0, 1)], load(counts, 0)

    def loop(steps: Sequence[Any]) -> None:
        def work(index: Any) -> None:
            x, out = (
                b.bitcast(b.gep(end, [b.mul(index, step)]), _TYPES["f4"].as_pointer())
                for end, step in zip(ends, steps)
            )
            b.store(body(b, b.load(x)), out)

        for_range(ir, b, ir.Constant(_INDEX, 0), count, work)

    size, steps = ir.Constant(_INDEX, 4), [load(strides, i) for i in (0, 1)]
    is_dense = b.and_(*[b.icmp_signed("==", step, size) for step in steps])
    with b.if_else(is_dense) as (dense, other):
        with dense:
            loop([size, size])
        with other:
            loop(steps)
    b.ret_void()
    return _ufunc_of(name, *machine_code(module, "loop"))


def _ufunc_of(name: str, engine: Any, loop: int) -> Any:
    """Returns the ufunc of a loop, by ``PyUFunc_FromFuncAndData`` of NumPy's C API."""
    kind = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    capsule = importlib.import_module("numpy._core._multiarray_umath")._UFUNC_API
    address_of = kind(("PyCapsule_GetPointer", ctypes.pythonapi))
    api = ctypes.cast(address_of(capsule, None), ctypes.POINTER(ctypes.c_void_p))
    integers, strings = [ctypes.c_int] * 4, [ctypes.c_char_p] * 2
    create = ctypes.PYFUNCTYPE(
        ctypes.py_object, *[ctypes.c_void_p] * 3, *integers, *strings, ctypes.c_int
    )(api[1])
    loops, data = (ctypes.c_void_p * 1)(loop), (ctypes.c_void_p * 1)(None)
    dtypes = (ctypes.c_byte * 2)(*[np.dtype(np.float32).num] * 2)
    label = name.encode()
    ufunc = create(loops, data, dtypes, 1, 1, 1, -1, label, None, 0)
    _ALIVE.append((engine, loops, data, dtypes, label))  # the ufunc points to them
    return ufunc


def machine_code(module: ir.Module, name: str) -> tuple[Any, int]:
    """Compiles a module for this processor.

    Returns:
        The engine, which holds the machine code, and the address of the function of a name.
    """
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=binding.get_host_cpu_features().flatten(),
        opt=3,
        codemodel="jitdefault",
    )
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    parsed = binding.parse_assembly(str(module))
    parsed.verify()
    options = binding.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = True
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(parsed, builder)
    engine = binding.create_mcjit_compiler(parsed, machine)
    engine.finalize_object()
    return engine, engine.get_function_address(name)


class Register:
    """A number or a condition in a register, with the operators that formulas use on arrays."""

    dtype = np.dtype(np.float32)
    __array_ufunc__ = None  # NumPy's numbers leave operators to this class

    def __init__(self, builder: ir.IRBuilder, value: Any) -> None:
        self._builder, self.value = builder, value

    def _with(self, instruction: str, other: Any, is_swapped: bool = False) -> Register:
        operands = self.value, _value_of(other, self.value.type)
        operate = getattr(self._builder, instruction)
        return Register(self._builder, operate(*(reversed(operands) if is_swapped else operands)))

    def __add__(self, other: Any) -> Register:
        return self._with("fadd", other)

    def __sub__(self, other: Any) -> Register:
        return self._with("fsub", other)

    def __rsub__(self, other: Any) -> Register:
        return self._with("fsub", other, True)

    def __mul__(self, other: Any) -> Register:
        return self._with("fmul", other)

    def __rmul__(self, other: Any) -> Register:
        return self._with("fmul", other, True)

    def __truediv__(self, other: Any) -> Register:
        return self._with("fdiv", other)

    def __rtruediv__(self, other: Any) -> Register:
        return self._with("fdiv", other, True)

    def __and__(self, other: Register) -> Register:
        return self._with("and_", other)

    def __or__(self, other: Register) -> Register:
        return self._with("or_", other)

    def __invert__(self) -> Register:
        return Register(self._builder, self._builder.not_(self.value))

    def _compare(self, sign: str, other: Any) -> Register:
        number = _value_of(other, self.value.type)
        return Register(self._builder, self._builder.fcmp_ordered(sign, self.value, number))

    def __lt__(self, other: Any) -> Register:
        return self._compare("<", other)

    def __le__(self, other: Any) -> Register:
        return self._compare("<=", other)

    def __gt__(self, other: Any) -> Register:
        return self._compare(">", other)

    def __ge__(self, other: Any) -> Register:
        return self._compare(">=", other)

    def __eq__(self, other: Any) -> Register:  # type: ignore[override]
        return self._compare("==", other)

    __hash__ = None  # type: ignore[assignment]

    def astype(self, dtype: str) -> Register:
        """Converts between float32 and float64."""
        convert = self._builder.fpext if dtype == "float64" else self._builder.fptrunc
        return Register(
            self._builder, convert(self.value, _TYPES["f8" if dtype == "float64" else "f4"])
        )


class RegisterArithmetic:
    """The functions of formulas (``numerics/float32_formulas.py``) on registers."""

    def __init__(self, builder: ir.IRBuilder) -> None:
        self._builder = builder

    def select(self, condition: Any, x: Any, y: Any) -> Register:
        """Returns one of two values."""
        value = self._builder.select(_value_of(condition), _value_of(x), _value_of(y))
        return Register(self._builder, value)

    def minimum(self, x: Register, y: Any) -> Register:
        """Returns the lesser one, or NaN if x is that."""
        return self.select(x > y, y, x)

    def maximum(self, x: Register, y: Any) -> Register:
        """Returns the greater one, or NaN if x is that."""
        return self.select(x < y, y, x)

    def clipped(self, x: Register, low: Any, high: Any) -> Register:
        """Returns a value between limits, or NaN if x is that."""
        return self.maximum(self.minimum(x, high), low)

    def reciprocal(self, x: Register) -> Register:
        """Returns 1 / x."""
        return Register(self._builder, _value_of(1)) / x

    def floor(self, x: Register) -> Register:
        """Returns the largest whole number that is not greater."""
        b = self._builder
        floor = b.module.declare_intrinsic("llvm.floor", [x.value.type])
        return Register(b, b.call(floor, [x.value]))

    def square_error(self, x: Register, square: Register) -> Register:
        """Returns x * x - square, without rounding."""
        b = self._builder
        wide, rounded = (b.fpext(value.value, _TYPES["f8"]) for value in (x, square))
        return Register(b, b.fptrunc(b.fsub(b.fmul(wide, wide), rounded), _TYPES["f4"]))

    def scaled(self, x: Register, exponent: Register) -> Register:
        """Returns x * 2^exponent by two powers of two, of which none is subnormal or infinite."""
        half = self.floor(exponent * 0.5)
        return x * self._power(half) * self._power(exponent - half)

    def _power(self, exponent: Register) -> Register:
        """Returns 2^exponent: added to 1.5 * 2^23, a whole number is in the low bits."""
        b = self._builder
        bits = b.bitcast((exponent + (1.5 * 2.0**23 + 127)).value, _WORD)
        return Register(b, b.bitcast(b.shl(bits, ir.Constant(_WORD, 23)), _TYPES["f4"]))

    def fraction(self, x: Register) -> tuple[Register, Register]:
        """Returns m and k of x = m * 2^k, 1/2 <= m < 1; anything if x is not positive and finite."""
        b, word = self._builder, lambda value: ir.Constant(_WORD, value)
        is_subnormal = x < 2.0**-126
        bits = b.bitcast(self.select(is_subnormal, x * 2.0**24, x).value, _WORD)
        exponent = b.sub(b.lshr(bits, word(23)), word(126))
        exponent = Register(b, b.sitofp(exponent, _TYPES["f4"]))
        mantissa = b.or_(b.and_(bits, word(0x7FFFFF)), word(0x3F000000))
        k = exponent - self.select(is_subnormal, _value_of(24), _value_of(0))
        return Register(b, b.bitcast(mantissa, _TYPES["f4"])), k


class RegisterNamespace(RegisterArithmetic):
    """NumPy's functions on registers, to the bit; of two zeros the second one is the greater and the lesser."""

    def where(self, condition: Any, x: Any, y: Any) -> Register:
        """Returns one of two values."""
        return self.select(condition, x, y)

    def minimum(self, x: Any, y: Any) -> Register:
        """Returns the lesser one, or NaN if one of them is that."""
        x = self._register(x)
        return self.select((x < y) | ~(x == x), x, y)

    def maximum(self, x: Any, y: Any) -> Register:
        """Returns the greater one, or NaN if one of them is that."""
        x = self._register(x)
        return self.select((x > y) | ~(x == x), x, y)

    def fmin(self, x: Register, y: Any) -> Register:
        """Returns the lesser one of two numbers, of which the second is not NaN."""
        return self.select(x < y, x, y)

    def fmax(self, x: Register, y: Any) -> Register:
        """Returns the greater one of two numbers, of which the second is not NaN."""
        return self.select(x > y, x, y)

    def clip(self, x: Register, low: Any, high: Any) -> Register:
        """Returns a number between limits, or NaN if x is that."""
        return self.clipped(x, low, high)

    def _register(self, x: Any) -> Register:
        return Register(self._builder, _value_of(x))

    def abs(self, x: Register) -> Register:
        """Returns the absolute value."""
        b = self._builder
        function = b.module.declare_intrinsic("llvm.fabs", [x.value.type])
        return Register(b, b.call(function, [x.value]))


def _value_of(x: Any, type: Any = _TYPES["f4"]) -> Any:
    """Returns the value of a register, or a constant of LLVM."""
    if isinstance(x, Register):
        return x.value
    if isinstance(x, ir.Value):
        return x
    return ir.Constant(type, float(np.float32(x)) if type is _TYPES["f4"] else float(x))
