"""The op table is policed: what every op and every public function must have."""

import ast
import importlib
import importlib.util
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import twinflow as tf
from tests import derivatives, samples
from twinflow._src.api import describe
from twinflow._src.core import dtypes
from twinflow._src.dispatch import opdefs
from twinflow._src.dispatch.op import API, OPS
from twinflow._src.graph.signatures import attributes, signature

COMPOSITES = {
    function.__name__: function
    for _, function in sorted(API.items())
    if not hasattr(function, "op")
}
FUNCTIONS = {name: f for name, f in COMPOSITES.items() if inspect.isfunction(f)}
NO_ANSWER = {type for types in derivatives.NO_ANSWER.values() for type in types.split()}
# Ops whose attributes alone determine the shapes of results, or nothing does.
UNSHAPED = {"ParseSequenceExampleV2", "ParseTensor"}
SECTIONS = ("Args", "Returns", "Raises", "Attributes")


def sections(doc):
    """The parts of a docstring: the summary under "", and each section under its heading."""
    found, current = {"": []}, ""
    for line in doc.split("\n"):
        heading = line.rstrip(":")
        if line.endswith(":") and heading in SECTIONS:
            current = heading
            found[current] = []
        else:
            found[current].append(line)
    return found


def documented(lines):
    """The names that an ``Args:`` section explains."""
    return [m[1] for line in lines if (m := re.match(r" {4}\**(\w+): \S", line))]


def assert_documented(function, parameters, returns=True):
    doc = inspect.getdoc(function)
    assert doc, "has no docstring"
    summary, *rest = doc.split("\n")
    assert summary.endswith("."), "the first line is a sentence"
    assert not rest or rest[0] == "", "the summary is one line"
    found = sections(doc)
    assert documented(found.get("Args", [])) == parameters
    if returns:
        assert "".join(found.get("Returns", [])).strip(), "says nothing about what it returns"


def our_parameters(function):
    return [p for p in inspect.signature(function).parameters if p != "self"]


# What every op has; each is a check of its own in ``test_op``.


# Their samples are files that Pillow makes.
NEED_PILLOW = {"DecodeAndCropJpeg", "DecodeWebP", "EncodeJpeg", "EncodeJpegVariableQuality"}


def has_samples(type):
    if type in NEED_PILLOW and importlib.util.find_spec("PIL") is None:
        pytest.skip("its samples need Pillow, the extra [image]")
    assert samples.SAMPLES.get(type), (
        f"add samples of {type} to tests/samples, module {module(type)}"
    )


def is_documented(type):
    op = OPS[type]
    if op.api:
        assert_documented(op.kernel, [p.name for p in op.params])
    else:  # internal: ``tf.raw_ops`` derives arguments and results from the signature
        assert op.kernel.__doc__.partition("\n")[0].endswith(".")
    assert op.public.__doc__ == op.kernel.__doc__


def name_is_the_last_parameter(type):
    last = list(inspect.signature(OPS[type].public).parameters.values())[-1]
    assert (last.name, last.default) == ("name", None)


def has_a_signature(type):
    """Recorded from TensorFlow, or derived from the block: without one, an op cannot stand in a graph."""
    op, found = OPS[type], signature(type)
    assert found is not None and len(found.inputs) == len(op.tensors)
    if not opdefs.is_recorded(type):
        assert [arg.name for arg in found.inputs] == [p.name for p in op.tensors]
        assert attributes(type).keys() >= {p.name for p in op.attrs}


def has_its_rules(type):
    """Each rule stands on the block: there is a shape rule, and what rules name is there."""
    op = OPS[type]
    known = describe.rules(op)
    assert (known["shape"] is None) == (type in UNSHAPED), "add shape= to the block"
    if op.gradient is not None:
        assert {*known["reads"]} <= {*(p.name for p in op.tensors), "result"}, "reads="
    else:
        assert op.reads is None and not op.slices, "options of a gradient that is not there"
    assert len(op.layout) in (0, len(op.tensors) + 1), "a role for each input and the result"
    assert {*op.specialized} <= {*op.devices}
    assert not op.is_identity or len(op.tensors) == 1


def types_are_allowed_in_tensorflow(type):
    op = OPS[type]
    if op.dtypes == dtypes.ANY or not opdefs.is_recorded(type):
        return
    definition = opdefs.definition(type)
    lists = [
        set(opdefs._allowed(definition, a) or ())
        for a in re.findall(r"attr=(\w+):type", definition)
    ]
    assert not lists or any(not allowed or op.dtypes <= allowed for allowed in lists), op.dtypes


def public_names_lead_to_it(type):
    op = OPS[type]
    for name in op.api:
        assert API[name] is op.public
        assert resolved(name) is op.public


def says_what_its_gradient_is(type):
    op = OPS[type]
    answers = [op.gradient is not None, op.no_gradient, type in NO_ANSWER]
    assert sum(answers) == 1, "a gradient, no_gradient=True, or a line in tests/derivatives"


def is_described(type):
    op = OPS[type]
    (entry,) = [entry for entry in describe.table() if entry["type"] == type]
    assert entry["api"] == list(op.api)
    assert [p["name"] for p in entry["parameters"]] == our_parameters(op.public)[:-1]
    assert entry["summary"] == inspect.getdoc(op.public).split("\n")[0]
    for parameter, ours in zip(entry["parameters"], op.params, strict=True):
        assert ("default" in parameter) == (ours.default is not inspect.Parameter.empty)


CHECKS = (
    has_samples,
    is_documented,
    name_is_the_last_parameter,
    has_a_signature,
    has_its_rules,
    types_are_allowed_in_tensorflow,
    public_names_lead_to_it,
    says_what_its_gradient_is,
    is_described,
)


@pytest.mark.parametrize("type", OPS)
def test_op(type):
    for check in CHECKS:
        check(type)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_composite_is_documented(name):
    function = FUNCTIONS[name]
    annotations = getattr(inspect.unwrap(function), "annotations", {})
    gives_nothing = annotations.get("return") in ("None", None) or "Args:" not in (
        function.__doc__ or ""
    )
    assert_documented(
        function, our_parameters(function), returns=not gives_nothing and is_operation(function)
    )


def is_operation(function):
    """True if a function computes on tensors, rather than being a setting of the process."""
    return inspect.unwrap(function).__module__.startswith("twinflow._src.ops")


def test_names_are_optional():
    of_summaries = "twinflow._src.wings.summary."  # the name is a tag
    functions = [
        f for f in FUNCTIONS.values() if not inspect.unwrap(f).__module__.startswith(of_summaries)
    ]
    named = [f for f in functions if "name" in our_parameters(f)]
    assert len(named) > 300
    for function in named:
        default = inspect.signature(function).parameters["name"].default
        assert default is not inspect.Parameter.empty, function


def test_public_names():
    for name in API:
        assert resolved(name) is API[name], name


def resolved(name):
    thing = tf
    for part in name.split("."):
        thing = getattr(thing, part)
    return thing


def test_namespaces_are_modules():
    for path in sorted({name.rpartition(".")[0] for name in API} - {""}):
        assert importlib.import_module(f"twinflow.{path}") is resolved(path)
        assert resolved(path) is sys.modules[f"twinflow.{path}"]


def test_samples_are_of_ops():
    assert samples.SAMPLES.keys() <= OPS.keys()


def test_samples_are_where_their_ops_are():
    """The samples of the ops in ``ops/<family>/<module>.py`` are in ``samples/<family>/<module>.py``."""
    for name, found in samples.FAMILIES.items():
        assert found, f"samples.{name} is empty"
        assert {type: module(type) for type in found} == dict.fromkeys(found, name)


def module(type):
    return (
        OPS[type]
        .kernel.__module__.removeprefix("twinflow._src.ops.")
        .removeprefix("twinflow._src.wings.")
    )


def test_composites_are_described():
    entries = {entry["name"]: entry for entry in describe.composites()}
    assert entries.keys() == COMPOSITES.keys()
    for name, entry in entries.items():
        assert all(API[api] is COMPOSITES[name] for api in entry["api"])


def test_description_is_json():
    command = [sys.executable, "-m", "twinflow.describe"]
    printed = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert printed == json.loads(json.dumps(describe.everything()))
    assert [entry["type"] for entry in printed["ops"]] == sorted(OPS)


# Modules without blocks that name ops by string, other than as OPS["..."]: records of TensorFlow, names and forms of
# its graphs and files, the recognition of nodes in them, and the GPU's formulas.
NAMING = """
    backends.gpu.cupy_compat backends.gpu.kernels.products backends.gpu.kernels.reductions compat_v1.arguments
    compat_v1.saver.restore dispatch.signature_errors graph.opaque_calls graph.signatures graph.tf_exact.functions
    graph.tf_exact.gradients graph.tf_exact.name_tables graph_serialization.functions graph_serialization.messages
    graph_serialization.meta_graphs graph_serialization.node_def_text graph_serialization.nodes
    graph_serialization.function_calls graph_serialization.utilities variables.ref_variable variables.updates
    wings.ragged.dispatch wings.raw_ops.composite_functions wings.raw_ops.parameters wings.saved_model.save
    wings.saved_model.v1_functions
"""


def named_ops(tree):
    """The op types among the strings of a module, in lists of words too, but for docstrings and OPS["..."]."""
    skipped = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module)) and ast.get_docstring(
            node
        ):
            skipped.add(node.body[0].value)
        if isinstance(node, ast.arguments):  # the name of a scope
            given = zip(reversed([*node.posonlyargs, *node.args]), reversed(node.defaults))
            skipped.update(value for parameter, value in given if parameter.arg == "name")
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "OPS":
            skipped.add(node.slice)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            skipped.update(ast.walk(node))
    strings = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and n not in skipped]
    for words in (s.split() for s in strings if isinstance(s, str) and s == s.strip(" ")):
        types = [word for word in words if word in OPS and word != "Any"]
        if types and len(types) >= 0.6 * len(words) and "".join(words).isalnum():
            yield from types


def test_rules_are_on_the_blocks_of_ops():
    package = Path(tf.__file__).parent / "_src"
    blocks = {op.kernel.__module__.removeprefix("twinflow._src.") for op in OPS.values()}
    naming = set()
    for path in package.rglob("*.py"):
        name = ".".join(path.relative_to(package).with_suffix("").parts)
        if name.startswith("ops.") or name in blocks:
            continue
        text = path.read_text("utf-8")
        quoted = {word for string in re.findall('"([^"]*)"', text) for word in string.split()}
        if not quoted.isdisjoint(OPS) and any(named_ops(ast.parse(text))):
            naming.add(name)
    assert naming <= set(NAMING.split())
    assert len(naming) <= 25
