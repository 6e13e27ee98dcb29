"""CUDA's runtime and driver, as CuPy's modules call them, by functions of the host.

CuPy's compiled modules hand each other their C functions in tables. Two of them, the runtime's and the driver's, are imported
first, and get tables with other functions before the modules that read them are imported. What these do is below, in C, by
name; what is not there says so when it is called. Signatures are those that the tables tell.
"""

from __future__ import annotations

import ctypes
import re
import sysconfig
from pathlib import Path
from types import ModuleType
from typing import Any

from . import host

_OBJECT = "PyObject *"
_NONE = "Py_RETURN_NONE;"
# By name: what the function does. Arguments are a0, a1, ...
_BODIES = {
    # devices
    "getDeviceCount": "return devices;",
    "getDevice": "return device;",
    "setDevice": "if (a0 >= devices) return failed(101); device = a0; " + _NONE,
    "deviceGetAttribute": "return a0 == 75 ? 9 : a0 == 76 ? 0 : a0 == 1 ? 1024 : a0 == 8 ? 49152 : a0 == 10 ? 32 : a0 == 16 ? 132 : 1;",
    "deviceCanAccessPeer": "return 0;",
    "deviceSynchronize": _NONE,
    "getDeviceProperties": 'return PyObject_CallFunction(properties, "i", a0);',
    "driverGetVersion": "return 12090;",
    "runtimeGetVersion": "return 12090;",
    "get_build_version": "return PyLong_FromLong(12090);",
    "_getCUDAMajorVersion": "return 12;",
    "_ensure_context": _NONE,
    "_deviceEnsurePeerAccess": _NONE,
    "check_status": _NONE,
    "memGetInfo": 'return Py_BuildValue("(nn)", (Py_ssize_t)(memory - held[device]), (Py_ssize_t)memory);',
    # memory
    "malloc": "return allocated(a0);",
    "mallocAsync": "return allocated(a0);",
    "free": "if (!freed(a0)) return NULL; " + _NONE,
    "freeAsync": "if (!freed(a0)) return NULL; " + _NONE,
    "hostAlloc": "return (intptr_t)malloc(a0 + 64);",
    "freeHost": "free((void *)a0); " + _NONE,
    "memcpy": "memmove((void *)a0, (void *)a1, a2); " + _NONE,
    "memcpyAsync": "memmove((void *)a0, (void *)a1, a2); " + _NONE,
    "memcpyPeer": "memmove((void *)a0, (void *)a2, a4); " + _NONE,
    "memcpyPeerAsync": "memmove((void *)a0, (void *)a2, a4); " + _NONE,
    "memset": "memset((void *)a0, a1, a2); " + _NONE,
    "memsetAsync": "memset((void *)a0, a1, a2); " + _NONE,
    "pointerGetMemoryType": "return 0;",
    "hostRegister": _NONE,
    "hostUnregister": _NONE,
    "pointerGetAttributes": 'return PyObject_CallFunction(attributes, "inni", emu_owner(a0), (Py_ssize_t)a0, (Py_ssize_t)0, 2);',
    # streams and events: all is done when the call returns
    "streamCreate": "return ++numbers;",
    "streamCreateWithFlags": "return ++numbers;",
    "streamCreateWithPriority": "return ++numbers;",
    "streamDestroy": _NONE,
    "streamSynchronize": _NONE,
    "streamQuery": _NONE,
    "streamWaitEvent": _NONE,
    "streamIsCapturing": "return 0;",
    "streamGetFlags": "return 0;",
    "eventCreate": "return ++numbers;",
    "eventCreateWithFlags": "return ++numbers;",
    "eventDestroy": _NONE,
    "eventRecord": _NONE,
    "eventQuery": _NONE,
    "eventSynchronize": _NONE,
    "eventElapsedTime": "return 1;",
    # kernels
    "ctxGetCurrent": "return 64 + device;",
    "ctxGetDevice": "return device;",
    "ctxSetCurrent": _NONE,
    "moduleLoadData": "return answer(PyObject_CallFunction(loader, \"O\", a0));",
    "moduleGetFunction": "return answer(PyObject_CallFunction(finder, \"nO\", (Py_ssize_t)a0, a1));",
    "moduleUnload": _NONE,
    "funcGetAttribute": "return a0 == 0 ? 1024 : 32;",
    "funcSetAttribute": _NONE,
    "occupancyMaxActiveBlocksPerMultiprocessor": "return 4;",
    "occupancyMaxPotentialBlockSize": 'return Py_BuildValue("(ii)", 132, 256);',
    "launchKernel": "run((Kernel *)a0, a1, a2, a3, a4, a5, a6, a7, (void **)a9); " + _NONE,
}  # fmt: skip

_BEFORE = """
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int CUdevice;
typedef int cudaMemcpyKind;
typedef struct { unsigned x, y, z; } emu_dim3;
typedef struct { void (*run)(void **); int together; } Kernel;
void emu_launch(void (*)(void **), int, emu_dim3, emu_dim3, unsigned, void **);

static int devices = 1, device = 0;
static size_t memory, held[16];
static intptr_t numbers = 1000;
static PyObject *loader, *finder, *properties, *attributes, *error;

void emu_start(int count, Py_ssize_t bytes, PyObject *load, PyObject *find, PyObject *tell, PyObject *told, PyObject *raised) {
    devices = count, memory = bytes, loader = load, finder = find, properties = tell, attributes = told, error = raised;
}

static PyObject *failed(int status) {
    PyObject *one = PyObject_CallFunction(error, "i", status);
    if (one) PyErr_SetObject(error, one);
    return NULL;
}

static intptr_t answer(PyObject *found) {
    intptr_t number = found ? PyLong_AsSsize_t(found) : 0;
    Py_XDECREF(found);
    return number;
}

/* A piece of memory, with what is known of it before and a margin behind. Nothing in it is zero by chance. */
enum { MARGIN = 64, MADE = 0x7E57, GONE = 0xDEAD };
typedef struct { size_t size; int owner, state; char rest[48]; } Head;

static intptr_t allocated(size_t size) {
    if (held[device] + size > memory) { failed(2); return 0; }
    Head *head;
    if (posix_memalign((void **)&head, 512, 512 + size + MARGIN)) { failed(2); return 0; }
    char *at = (char *)head + 512;
    memset(at, 0xA5, size + MARGIN);
    head = (Head *)(at - sizeof(Head));
    head->size = size, head->owner = device, head->state = MADE;
    held[device] += size;
    return (intptr_t)at;
}

static int freed(intptr_t pointer) {
    if (!pointer) return 1;
    char *at = (char *)pointer;
    Head *head = (Head *)(at - sizeof(Head));
    if (head->state != MADE) { fprintf(stderr, "freed what was never allocated, or twice\\n"); abort(); }
    for (int i = 0; i < MARGIN; ++i)
        if (at[head->size + i] != (char)0xA5) { fprintf(stderr, "a kernel wrote behind its memory of %zu bytes\\n", head->size); abort(); }
    held[head->owner] -= head->size;
    head->state = GONE;
    memset(at, 0x5A, head->size);
    free(at - 512);
    return 1;
}

int emu_owner(intptr_t pointer) {
    Head *head = (Head *)((char *)pointer - sizeof(Head));
    return head->state == MADE ? head->owner : device;
}

static void run(Kernel *kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void **given) {
    emu_dim3 grid = {gx, gy, gz}, block = {bx, by, bz};
    emu_launch(kernel->run, kernel->together, grid, block, shared, given);
}
"""

_api = ctypes.pythonapi
_api.PyCapsule_GetName.restype = ctypes.c_char_p
_api.PyCapsule_GetName.argtypes = [ctypes.py_object]
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
# ctypes keeps no hold of what is only a name in C.
_kept: list[Any] = []


def _functions(module: ModuleType) -> dict[str, bytes]:
    """The signatures of a module's functions, but for those that take or give objects of its own."""
    found = {name: _api.PyCapsule_GetName(capsule) for name, capsule in module.__pyx_capi__.items()}
    return {
        name: text for name, text in found.items()
        if b"(" in text and (b"__pyx_obj" not in text or name in _BODIES) and not text.startswith(b"cuda")
    }  # fmt: skip


def _parts(signature: bytes) -> tuple[str, list[str]]:
    """The result type and argument types of a driver function."""
    match = re.fullmatch(r"(.*?) ?\((.*)\)", signature.decode())
    assert match, signature
    returned, given = match.groups()
    types = [] if given == "void" else [part.strip() for part in given.split(",")]
    return (_OBJECT if "Py" in returned or "__pyx_obj" in returned else returned), types


def _text(module: str, name: str, signature: bytes) -> str:
    """A function in C."""
    returned, types = _parts(signature)
    named = [
        "int skipped"
        if "__pyx_skip_dispatch" in type
        else "void *optional"
        if "optional" in type
        else f"{type} a{i}"
        for i, type in enumerate(types)
    ]
    missing = f'PyErr_SetString(PyExc_NotImplementedError, "{name} is not there on the host"); return {-1 if returned == "int" else 0};'
    return f"{returned} emu_{module}_{name}({', '.join(named) or 'void'}) {{ {_BODIES.get(name, missing)} }}"


_C_TYPES = {"int": ctypes.c_int, "intptr_t": ctypes.c_ssize_t, "size_t": ctypes.c_size_t, "unsigned int": ctypes.c_uint, "float": ctypes.c_float}  # fmt: skip


def _for_python(function: Any, signature: bytes) -> Any:
    """A function as Python calls it: without what only C passes."""
    returned, types = _parts(signature)
    own = [type for type in types if "__pyx_skip" not in type and "optional" not in type]
    more = tuple(0 if "__pyx_skip" in type else None for type in types if type not in own)
    kinds = [
        ctypes.py_object if "PyObject" in type else _C_TYPES.get(type, ctypes.c_ssize_t)
        for type in own
    ]
    kinds += [ctypes.c_int if one == 0 else ctypes.c_void_p for one in more]
    prototype = ctypes.PYFUNCTYPE(
        ctypes.py_object if returned == _OBJECT else _C_TYPES.get(returned, ctypes.c_ssize_t),
        *kinds,
    )
    call = prototype(ctypes.cast(function, ctypes.c_void_p).value)

    def run(*given: Any) -> Any:
        return call(*given[: len(own)], *more)

    return run


def install(
    modules: dict[str, ModuleType],
    folder: Path,
    devices: int,
    memory: int,
    load: Any,
    find: Any,
    tell: Any,
) -> ctypes.PyDLL:
    """Gives CuPy's modules of the runtime and the driver the host's functions.

    Args:
        modules: The two modules by name, before any other of CuPy is imported.
        folder: Where files may lie.
        devices: How many GPUs there are.
        memory: How many bytes each of them has.
        load: Called with what was compiled of a text; gives a number.
        find: Called with such a number and a name; gives the address of a ``Kernel``.
        tell: Called with the number of a GPU; gives its properties.
    """
    signatures = {
        (key, name): text
        for key, module in modules.items()
        for name, text in _functions(module).items()
    }
    texts = [_text(key, name, signature) for (key, name), signature in signatures.items()]
    file = host.compiled(
        "\n".join([_BEFORE, *texts]),
        folder,
        ["-w", "-fPIC", f"-I{sysconfig.get_paths()['include']}"],
        language="c",
    )
    library = ctypes.PyDLL(str(file), mode=ctypes.RTLD_GLOBAL)
    for (key, name), signature in signatures.items():
        function = getattr(library, f"emu_{key}_{name}")
        _kept.append(signature)
        modules[key].__pyx_capi__[name] = _api.PyCapsule_New(
            ctypes.cast(function, ctypes.c_void_p), signature, None
        )
        if hasattr(modules[key], name):
            setattr(modules[key], name, _for_python(function, signature))
    own = (
        load,
        find,
        tell,
        modules["runtime"].PointerAttributes,
        modules["runtime"].CUDARuntimeError,
    )
    _kept.extend([own, library])
    library.emu_start.argtypes = [ctypes.c_int, ctypes.c_ssize_t, *[ctypes.py_object] * len(own)]
    library.emu_start.restype = None
    library.emu_start(devices, memory, *own)
    return library
