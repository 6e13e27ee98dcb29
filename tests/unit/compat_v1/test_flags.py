"""Command line flags: bounds, enums, other names and validators."""

import enum

import pytest

from twinflow._src.compat_v1 import flags as module
from twinflow._src.compat_v1.flags import IllegalFlagValueError


class Color(enum.Enum):
    RED = 1
    BLUE = 2


@pytest.fixture
def flags(monkeypatch):
    """The module with flags of its own."""
    monkeypatch.setitem(vars(module.FLAGS), "_flags", {})
    monkeypatch.setitem(vars(module.FLAGS), "_parsed", False)
    return module


def parse(flags, *words):
    return flags.FLAGS(["program", *words])


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        ({"lower_bound": 0}, "a non-negative integer"),
        ({"lower_bound": 1}, "a positive integer"),
        ({"upper_bound": 0}, "a non-positive integer"),
        ({"upper_bound": -1}, "a negative integer"),
        ({"lower_bound": 2}, "integer >= 2"),
        ({"lower_bound": 2, "upper_bound": 4}, "an integer in the range [2, 4]"),
    ],
)
def test_bounds_of_integers(flags, bounds, said):
    wrong = 7 if "upper_bound" in bounds else -7
    flags.DEFINE_integer("n", None, "", **bounds)
    with pytest.raises(IllegalFlagValueError) as error:
        parse(flags, f"--n={wrong}")
    assert str(error.value) == f"flag --n={wrong}: {wrong} is not {said}"
    with pytest.raises(IllegalFlagValueError, match="flag --m="):
        flags.DEFINE_integer("m", wrong, "", **bounds)


def test_bounds_of_numbers(flags):
    flags.DEFINE_float("x", 0.5, "", upper_bound=1.0)
    with pytest.raises(IllegalFlagValueError, match=r"2\.0 is not number <= 1\.0"):
        parse(flags, "--x=2.0")


def test_defaults_are_set_until_there_is_a_value(flags):
    n = flags.DEFINE_integer("n", 1, "", upper_bound=9)
    flags.set_default(n, 4)
    assert parse(flags) == ["program"] and flags.FLAGS.n == 4
    with pytest.raises(IllegalFlagValueError, match="40 is not integer <= 9"):
        flags.set_default(n, 40)
    parse(flags, "--n=7")
    flags.set_default(n, 5)
    assert (flags.FLAGS.n, n.default) == (7, 5)


def test_required_flags(flags):
    flags.DEFINE_string("a", None, "")
    flags.DEFINE_string("b", None, "")
    flags.mark_flags_as_required(["a", "b"])
    with pytest.raises(IllegalFlagValueError) as error:
        parse(flags, "--a=x")
    assert str(error.value) == "flag --b=None: Flag --b must have a value other than None."
    assert parse(flags, "--a=x", "--b=y", "rest") == ["program", "rest"]
    with pytest.raises(KeyError, match="absent"):
        flags.mark_flag_as_required("absent")


def test_flags_that_exclude_each_other(flags):
    for name in "ab":
        flags.DEFINE_string(name, None, "")
    flags.mark_flags_as_mutual_exclusive(["a", "b"], required=True)
    said = r"^flags a=None, b=None: Exactly one of \(a, b\) must have a value other than None\.$"
    with pytest.raises(IllegalFlagValueError, match=said):
        parse(flags)
    parse(flags, "--b=1")
    with pytest.raises(IllegalFlagValueError, match="flags a=1, b=1: Exactly one"):
        flags.FLAGS.a = "1"
    assert flags.FLAGS.a is None  # a value that is refused is not taken


def test_validators(flags):
    flags.DEFINE_integer("n", 1, "")

    @flags.validator("n", message="must be small")
    def is_small(value):
        if value == 13:
            raise flags.ValidationError("not this one")
        return value < 10

    assert is_small(3)
    with pytest.raises(IllegalFlagValueError, match=r"^flag --n=50: must be small$"):
        parse(flags, "--n=50")
    with pytest.raises(IllegalFlagValueError, match="not this one"):
        parse(flags, "--n=13")
    flags.register_multi_flags_validator(["n"], lambda values: values["n"] != 5, "five")
    with pytest.raises(IllegalFlagValueError, match="five"):
        parse(flags, "--n=5")


def test_enums_and_other_names(flags):
    flags.DEFINE_enum_class("color", "RED", Color, "")
    flags.DEFINE_multi_enum("sizes", ["s"], ["s", "m"], "")
    flags.DEFINE_alias("colour", "color")
    assert (flags.FLAGS.color, flags.FLAGS.sizes) == (Color.RED, ["s"])
    parse(flags, "--colour=BLUE", "--sizes=m", "--sizes=s")
    assert (flags.FLAGS.color, flags.FLAGS.sizes) == (Color.BLUE, ["m", "s"])
    with pytest.raises(IllegalFlagValueError, match=r"value should be one of <RED\|BLUE>"):
        parse(flags, "--color=GREEN")
