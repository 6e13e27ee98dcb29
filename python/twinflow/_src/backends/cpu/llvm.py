"""Machine code by llvmlite: compilation, and loops over arrays; imported where that is installed."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from typing import Any

import llvmlite.binding as binding
from llvmlite import ir

from twinflow._src.backends.cpu.native import for_range

_TYPES = {
    "f2": ir.HalfType(),
    "f4": ir.FloatType(),
    "f8": ir.DoubleType(),
    **{f"u{bytes}": ir.IntType(8 * bytes) for bytes in (2, 4, 8)},
}
_INDEX = _TYPES["u8"]


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
