"""Random programs give what TensorFlow gave when they were recorded; see the package."""

import json
from pathlib import Path

import pytest

import twinflow as tf
from tests.fuzz import compare, generate, snapshot

HERE = Path(__file__).parent
PROGRAMS = json.loads((HERE / "programs.json").read_text("utf-8"))
# Programs that differ still; a line of one that agrees has to go.
WAITING = (HERE / "waiting.txt").read_text("utf-8").split()


def name_of(program):
    return f"{program['kind']}-{program['seed']}"


@pytest.mark.parametrize("program", PROGRAMS, ids=name_of)
def test_program(program):
    found = snapshot.run(tf, program)
    wrong = compare.differences(program, found, program["answers"], text=False)
    if name_of(program) in WAITING:
        assert wrong, "it agrees: its line in waiting.txt has to go"
        return
    assert not wrong, "\n".join(
        f"{program['lines'][i]}\n  {how}: {found[i]}\n  TensorFlow: {program['answers'][i]}"
        for i, how in wrong
    )


def test_programs_are_those_of_their_seeds():
    for kind in generate.KINDS:
        assert generate.program(7, kind) == generate.program(7, kind)
        assert generate.program(7, kind)["lines"] != generate.program(8, kind)["lines"]
    assert [generate.Writer(1).draws.below(1000) for _ in range(2)] == [
        generate.Writer(1).draws.below(1000)
    ] * 2


@pytest.mark.parametrize(
    ("mine", "other", "ulps", "how"),
    [
        (["Tensor", "float32", [1], "1"], ["Tensor", "float32", [1], "1.0000001"], 0, "values"),
        (["Tensor", "float32", [1], "1"], ["Tensor", "float32", [1], "1.0000001"], 1, ""),
        (["Tensor", "float32", [1], "-0"], ["Tensor", "float32", [1], "0"], 0, "values"),
        (["Tensor", "float32", [1], "nan"], ["Tensor", "float32", [1], "nan"], 0, ""),
        (["Tensor", "float32", [1], "inf"], ["Tensor", "float32", [1], "-inf"], 99, "values"),
        (["Tensor", "int32", [1], "1"], ["Tensor", "int32", [1], "2"], 99, "values"),
        (["Tensor", "int32", [1], "1"], ["Tensor", "int32", [], "1"], 0, "shape"),
        (["Tensor", "int32", [], "1"], ["Tensor", "int64", [], "1"], 0, "type"),
        (["Tensor", "int32", [], "1"], None, 0, "structure"),
        (
            {"error": "ValueError", "text": "a"},
            {"error": "TypeError", "text": "a"},
            0,
            "class of error",
        ),
        ({"error": "ValueError", "text": "a"}, {"error": "ValueError", "text": "b"}, 0, "text"),
        ({"error": "ValueError", "text": "a"}, ["Tensor", "int32", [], "1"], 0, "error"),
    ],
)
def test_comparison(mine, other, ulps, how):
    assert [h for _, h in compare.differences({"ulps": [ulps]}, [mine], [other])] == (
        [how] if how else []
    )
