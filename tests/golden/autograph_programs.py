"""Programs for AutoGraph: statements of Python of all kinds, under conditions of Python and under tensors.

Recording: ``python tests/golden/autograph_programs.py tensorflow > tests/golden/autograph_programs.json``, in an environment
that has TensorFlow. The tests run the same programs and compare.
"""

# ruff: noqa

import collections
import contextlib
import dataclasses
import functools
import importlib
import json
import sys
import warnings
from typing import Any, Optional

import numpy as np

tf: Any = None  # what the programs run on
PROGRAMS: dict[str, tuple[Any, tuple[Any, ...]]] = {}
COUNT = 0


def program(*arguments):
    """Registers a program with its arguments, each a tuple or one number."""

    def registered(function):
        PROGRAMS[function.__name__] = (
            function,
            tuple(a if isinstance(a, tuple) else (a,) for a in arguments),
        )
        return function

    return registered


class Refused(Exception):
    """An error of a program's own."""


def refuse(x=None):
    raise Refused("refused")


def risky(value):
    """Refuses None."""
    if value is None:
        raise Refused("refused")
    return value


class Entered:
    """A context that notes what happens, and may swallow errors."""

    def __init__(self, notes, swallow=False):
        self.notes, self.swallow = notes, swallow

    def __enter__(self):
        self.notes.append("in")
        return self

    def __exit__(self, kind, error, trace):
        self.notes.append("out" if kind is None else kind.__name__)
        return self.swallow


# ------------------------------------------------------------------ try


@program(1, -1)
def return_in_handler_under_if(x):
    if x > 0:
        try:
            refuse()
        except Refused:
            return x + 10
    return x


@program(3, 0)
def return_in_handler_in_loop(x):
    for i in range(3):
        try:
            risky(None if i == 1 else i)
        except Refused:
            return x + i + 10
        x = x + 1
    return x


@program(3)
def return_in_handler_in_tensor_loop(x):
    for i in tf.range(3):
        try:
            refuse()
        except Refused:
            x = x + 1
    return x


@program(1, -1)
def if_on_argument_in_handler(x):
    try:
        refuse()
    except Refused:
        if x > 0:
            y = x * 2
        else:
            y = x * 3
        return y
    return x


@program(1, -1)
def return_in_both(x):
    if x > 0:
        try:
            return risky(x)
        except Refused:
            return x * 0
    return x - 1


@program(1, -1)
def return_in_else(x):
    try:
        y = risky(x)
    except Refused:
        return x
    else:
        if x > 0:
            return y + 5
    return y - 5


@program(1)
def else_is_left_out_after_return(x):
    notes = []
    try:
        return x, notes
    except Refused:
        notes.append("handler")
    else:
        notes.append("else")
    finally:
        notes.append("finally")
    return x, ["end"]


@program(1)
def else_is_left_out_after_return_under_if(x):
    notes = []
    if x is not None:
        try:
            risky(x)
            if len(notes) == 0:
                return x, notes
        except Refused:
            notes.append("handler")
        else:
            notes.append("else")
    return x, ["end"]


@program(1, -1)
def finally_runs(x):
    notes = []
    for i in range(3):
        try:
            if i == 1:
                continue
            if i == 2:
                break
            notes.append(i)
        finally:
            notes.append("f")
    return x, notes


@program(2)
def return_through_finally(x):
    notes = []
    for i in range(3):
        try:
            if i == 1:
                return x, notes
        finally:
            notes.append(i)
    return x, ["end"]


@program(1)
def return_in_finally(x):
    try:
        return x
    finally:
        return x + 1


@program(1)
def return_in_finally_swallows(x):
    try:
        refuse()
    finally:
        return x + 1


@program(1)
def return_value_raises(x):
    try:
        return risky(None)
    except Refused:
        x = x + 1
    return x


@program(1)
def return_value_raises_in_loop(x):
    for i in range(3):
        try:
            return risky(None if i < 2 else x)
        except Refused:
            x = x + 1
    return x * 100


@program(1)
def return_discarded_by_error_in_finally(x):
    try:
        try:
            return x
        finally:
            refuse()
    except Refused:
        x = x + 7
    return x


@program(1)
def break_discarded_by_error_in_finally(x):
    for i in range(4):
        try:
            try:
                break
            finally:
                if i < 2:
                    refuse()
        except Refused:
            x = x + 1
        x = x + 100
    return x


@program(1, -1)
def nested_try(x):
    if x is not None:
        try:
            try:
                refuse()
            except KeyError:
                return x
            finally:
                x = x + 1
        except Refused:
            try:
                return x + 100
            finally:
                x = x + 1000
    return x


@program(5, 0)
def break_in_handler(x):
    for i in range(5):
        try:
            risky(None if i == 2 else i)
        except Refused:
            break
        x = x + i
    return x, i


@program(5)
def continue_in_handler(x):
    for i in range(5):
        try:
            risky(None if i % 2 else i)
        except Refused:
            continue
        else:
            x = x + 1
        x = x + 10
    return x


@program(5)
def while_with_handler(x):
    n = 0
    while True:
        n += 1
        try:
            if n < 3:
                refuse()
            return x + n
        except Refused:
            x = x + 10


@program(1)
def named_error_is_gone(x):
    e = 3
    try:
        refuse()
    except Refused as e:
        x = x + len(e.args)
    try:
        return e
    except NameError:
        return x


@program(1, -1)
def named_error_under_if(x):
    if x > 0:
        try:
            refuse()
        except Refused as error:
            y = x + len(str(error))
    else:
        y = x
    return y


@program(1)
def named_error_in_closure(x):
    try:
        refuse()
    except (KeyError, Refused) as error:
        text = (lambda: str(error))()
        return x + len(text)


@program(1)
def reraised(x):
    try:
        refuse()
    except Refused as e:
        raise ValueError("other") from e


@program(1)
def bare_raise(x):
    try:
        refuse()
    except Refused:
        x = x + 1
        raise


@program(1)
def nothing_catches(x):
    if x is not None:
        try:
            refuse()
        except KeyError:
            return x
    return x


@program(1, -1)
def try_inside_branch_on_argument(x):
    y = x
    if x > 0:
        try:
            y = risky(x) * 2
        except Refused:
            y = x
        finally:
            y = y + 1
    return y


@program(1)
def function_in_handler(x):
    try:
        refuse()
    except Refused:

        def inner(v):
            if v > 0:
                return v * 2
            return v * 3

        return inner(x)


@program(4)
def loop_in_finally(x):
    try:
        x = x + 1
    finally:
        for i in range(5):
            if i == 3:
                break
            x = x + i
    return x


# ------------------------------------------------------------------ with


@program(1, -1)
def return_in_with(x):
    notes = []
    with Entered(notes):
        if x > 0:
            return x + 1
        return x - 1


@program(1)
def with_notes(x):
    notes = []
    with Entered(notes) as one, Entered(notes):
        x = x + len(one.notes)
    return x, notes


@program(1)
def swallowed(x):
    if x is not None:
        with contextlib.suppress(Refused):
            x = risky(None)
            return x
    return x + 5


@program(1)
def swallowed_raise(x):
    if x is not None:
        with contextlib.suppress(Refused):
            raise Refused
    x = x + 6
    return x


@program(1)
def break_in_with(x):
    notes = []
    for i in range(4):
        with Entered(notes):
            if i == 1:
                continue
            if i == 2:
                break
            x = x + 1
    return x, notes


@program(1, -1)
def name_scope_return(x):
    if x > 0:
        with tf.name_scope("one"):
            return x * 2
    with tf.name_scope("two"):
        return x * 3


# ------------------------------------------------------------------ loops


@program(3, 10)
def while_break(x):
    i = 0
    while i < 10:
        if i * i > x:
            break
        i = i + 1
    return i


@program(3, 10)
def while_continue(x):
    i, total = 0, 0
    while i < x:
        i = i + 1
        if i % 2 == 0:
            continue
        total = total + i
    return total


@program(3, 0)
def for_return(x):
    for i in tf.range(5):
        if i > x:
            return i * 10
    return -1


@program(3)
def for_return_python(x):
    for i in range(5):
        if i > 3:
            return x * i
    return x


@program(3)
def for_else(x):
    for i in range(3):
        if i == 5:
            break
    else:
        x = x + 100
    return x


@program(3)
def for_else_break(x):
    for i in range(3):
        if i == 1:
            break
    else:
        x = x + 100
    return x


@program(3)
def while_else(x):
    i = 0
    while i < 3:
        i += 1
    else:
        x = x + 100
    return x + i


@program(3)
def nested_break_continue(x):
    total = x * 0
    for i in range(4):
        if i == 1:
            continue
        for j in range(4):
            if j == 2:
                continue
            if j > i:
                break
            total = total + i * 10 + j
    return total


@program(4)
def nested_tensor_loops(x):
    total = 0
    for i in tf.range(x):
        for j in tf.range(i):
            if j == 2:
                break
            total = total + j
    return total


@program(4)
def return_in_nested_loop(x):
    for i in range(4):
        for j in range(4):
            if i * j == 6:
                return x + i * 10 + j
    return x


@program(7)
def collatz(x):
    n = 0
    while x != 1:
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        n = n + 1
    return n


@program(2)
def loop_variable_after(x):
    for i in range(3):
        pass
    return x + i


@program(2)
def unpacking_loop(x):
    for a, (b, c) in [(1, (2, 3)), (4, (5, 6))]:
        x = x + a * b * c
    return x


@program(2)
def enumerate_zip(x):
    for i, (a, b) in enumerate(zip([1, 2, 3], [4, 5, 6], strict=True), start=1):
        x = x + i * a * b
    return x


@program(2)
def loop_over_dict(x):
    for k, v in {"a": 1, "b": 2}.items():
        x = x + v * len(k)
    return x


@program(2)
def starred_target(x):
    for a, *rest in [(1, 2, 3), (4, 5)]:
        x = x + a * len(rest)
    return x


@program(2)
def loop_over_attribute(x):
    class Box:
        i = 0

    box = Box()
    for box.i in range(3):
        x = x + box.i
    return x + box.i


@program(3)
def while_walrus(x):
    items = [1, 2, 3, 0, 5]
    while n := items.pop(0):
        x = x + n
    return x


@program(3)
def modifies_while_iterating(x):
    items = [1]
    for i in items:
        if len(items) < 4:
            items.append(i + 1)
        x = x + i
    return x, items


# ------------------------------------------------------------------ expressions


@program((2, 3), (3, 2), (3, 3))
def chained(a, b):
    return 1 < a < b, a == b == 3


@program(2, 0)
def chained_evaluates_once(x):
    calls = []

    def middle():
        calls.append(1)
        return x

    found = 0 < middle() < 5
    return found, len(calls)


@program((1, 0), (0, 1), (1, 1))
def and_or_not(a, b):
    return (a > 0 and b > 0), (a > 0 or b > 0), not a > 0


@program(0, 5)
def values_of_and_or(x):
    return None or 3, 0 and x, "" or "text", [] or None


@program(3, -3)
def ternary(x):
    return x * 2 if x > 0 else x * 3


@program(3, -3)
def ternary_nested(x):
    return 1 if x > 5 else 2 if x > 2 else 3 if x > -2 else 4


@program(3)
def ternary_lazy(x):
    return x if x is not None else refuse()


@program(3)
def walrus_in_if(x):
    if (y := x * 2) > 3:
        return y
    return x


@program(3)
def walrus_in_comprehension(x):
    found = [last := i for i in range(4) if i != 2]
    return found, last, x


@program(3)
def comprehensions(x):
    squares = [i * i for i in range(4)]
    odd = {i for i in squares if i % 2}
    table = {k: v for k, v in zip("ab", squares)}
    total = sum(v for v in squares)
    pairs = [(i, j) for i in range(3) for j in range(i)]
    return x + total, sorted(odd), table, pairs


@program(3)
def comprehension_of_tensors(x):
    return [x * i for i in range(3)], sum(x * i for i in range(3))


@program(3)
def comprehension_scope(x):
    i = 10
    found = [i for i in range(3)]
    return i, found, x


@program(3)
def generator_inside(x):
    def items():
        for i in range(3):
            yield x + i

    return [item for item in items()]


@program(3)
def generator_send(x):
    def echo():
        got = yield 1
        while got is not None:
            got = yield got * 2

    g = echo()
    return next(g), g.send(5), x


@program(3)
def in_and_is(x):
    return 2 in [1, 2], 5 not in (1, 2), x is None, "a" in {"a": 1}


@program((3, 3), (3, 4))
def equality(a, b):
    return a == b, a != b


@program(3)
def slices_and_subscripts(x):
    items = list(range(6))
    items[1:3] = [7, 8, 9]
    del items[0]
    items[-1] += 5
    return x, items, items[::2]


@program(3)
def fstring(x):
    n = 3
    return f"{n:>4}|{n!r}|{n + 1}", x


@program(3)
def star_expressions(x):
    a, *b = [1, 2, 3]
    c = [*b, a]
    d = {**{"k": a}, "m": b}
    return c, d, x


@program(3)
def lambda_captures(x):
    functions = [lambda v, i=i: v + i for i in range(3)]
    late = [lambda: i for i in range(3)]
    return [f(x) for f in functions], [f() for f in late]


@program(3, -3)
def lambda_with_condition(x):
    f = lambda v: v * 2 if v > 0 else v * 3
    return f(x)


@program(3, -3)
def several_lambdas(x):
    f, g = lambda v: v + 1, lambda w: w * 2
    return f(x), g(x)


@program(3, -3)
def several_lambdas_alike(x):
    f, g = lambda v: v + 1, lambda v: v * 2
    return f(x), g(x)


@program(3)
def sort_key(x):
    return sorted([3, 1, 2], key=lambda v: -v), sorted("bca", reverse=True), x


# ------------------------------------------------------------------ assignments


@dataclasses.dataclass
class Box:
    """Holds a value."""

    value: Any = 0


@program(2, -2)
def attribute_in_branch(x):
    box = Box(1)
    if x > 0:
        box.value = x * 2
    else:
        box.value = x * 3
    return box.value


@program(2, -2)
def subscript_in_branch(x):
    d = {"a": x, "b": x}
    if x > 0:
        d["a"] = x * 2
    else:
        d["b"] = x * 3
    return d


@program(3)
def augmented_attribute_in_loop(x):
    box = Box(x * 0)
    for i in tf.range(4):
        box.value += i
    return box.value


@program(3)
def augmented_subscript(x):
    d = [x, x]
    for i in range(3):
        d[0] += i
        d[1] *= 2
    return d


@program(3, -3)
def augmented_name(x):
    y = x
    y += 1
    if x > 0:
        y -= 5
        y *= 2
    else:
        y //= 2
    return y


@program(3)
def annotated_in_loop(x):
    for i in range(2):
        y: Optional[int] = None
        z: int
        z = i
        x = x + z
    return x, y


@program(3, -3)
def annotated_in_branch(x):
    if x > 0:
        y: int = x * 2
        b: "no such type" = 5
    else:
        y: int = x * 3
    return y


@program(3)
def annotated_attribute(x):
    box = Box()
    if x is not None:
        box.value: int = x
    return box.value


@program(3)
def multiple_targets(x):
    a = b = x
    (c, d), e = (a + 1, b + 2), 5
    return a, b, c, d, e


@program(3)
def deleted(x):
    y = x
    del y
    try:
        return y
    except UnboundLocalError:
        return x + 1


@program(3, -3)
def deleted_in_branch(x):
    y = x
    if x is not None:
        del y
    y = x * 2
    return y


@program(3)
def global_counter(x):
    global COUNT
    COUNT = 5
    for i in range(3):
        COUNT += i
    found, COUNT = COUNT, 0
    return found, x


@program(3)
def nonlocal_counter(x):
    n = 0

    def more():
        nonlocal n
        n += 1
        if n > 1:
            n += 10
        return n

    return more(), more(), n, x


@program(3, -3)
def nonlocal_tensor(x):
    y = x

    def change():
        nonlocal y
        if x > 0:
            y = y * 2
        else:
            y = y * 5

    change()
    return y


@program(3)
def closure_sees_later_value(x):
    def get():
        return y

    y = x + 1
    a = get()
    if x is not None:
        y = x + 2
    return a, get()


@program(3, -3)
def undefined_in_one_branch(x):
    if x > 0:
        y = x
    return y


@program(3, -3)
def undefined_unused(x):
    if x > 0:
        y = x
    return x


@program(3)
def used_before_assignment(x):
    if x is None:
        y = 1
    return y


@program(3, -3)
def types_differ(x):
    if x > 0:
        y = 1
    else:
        y = 2.5
    return y


@program(3, -3)
def structures_differ(x):
    if x > 0:
        y = (x, x)
    else:
        y = [x, x]
    return y


@program(3, -3)
def none_in_one(x):
    if x > 0:
        y = x
    else:
        y = None
    return y


@program(3, -3)
def return_in_one(x):
    if x > 0:
        return x


@program(3, -3)
def return_without_value(x):
    if x > 0:
        return
    return


@program(3, -3)
def return_tuple(x):
    if x > 0:
        return x, {"a": [x]}
    return x * 2, {"a": [x * 3]}


@program(3, -3)
def elif_chain(x):
    if x > 5:
        y = 1
    elif x > 2:
        y = 2
    elif x > -5:
        y = 3
    else:
        y = 4
    return y


@program(3, -3)
def early_returns(x):
    if x > 5:
        return x
    if x > 2:
        y = x * 2
        if y > 100:
            return y
        z = y + 1
        return z
    x = x - 1
    return x


@program(3)
def assert_true(x):
    assert x > 0, "positive"
    return x


@program(-3)
def assert_false(x):
    assert x > 0, "positive"
    return x


@program(3)
def assert_python_false(x):
    assert x is None


@program(3)
def import_inside(x):
    import math
    from os import path as p

    return x, math.floor(2.5), p.basename("a/b")


@program(3)
def docstring_and_pass(x):
    """Text."""
    pass
    ...
    return x


# ------------------------------------------------------------------ match


@program(1, 2, 7)
def match_number(x):
    n = 2
    match n:
        case 1:
            return x
        case 2 | 3:
            return x * 10
        case _:
            return x * 100


@program(1, -1)
def match_under_if(x):
    found = x
    if x is not None:
        match (1, [2, 3]):
            case (a, [b, *c]) if a > 5:
                return x
            case (a, [b, *c]):
                if x > 0:
                    found = x + a + b
                else:
                    found = x - a
    return found


@program(1)
def match_in_loop(x):
    for item in [{"k": 1}, Box(2), "text", 4]:
        match item:
            case {"k": v}:
                x = x + v
            case Box(value=v):
                x = x + v * 10
                continue
            case str():
                break
            case _:
                return x
        x = x + 100
    return x, v


@program(1)
def match_return_in_loop(x):
    for i in range(5):
        match i:
            case 3:
                return x + i
            case n:
                x = x + n
    return x


# ------------------------------------------------------------------ functions


def plain_default(a, b=2, *args, c=3, **kwargs):
    if a is None:
        return 0
    return a + b + sum(args) + c + sum(kwargs.values())


@program(1)
def star_args(x):
    return plain_default(x), plain_default(x, 1, 5, c=4, d=6), plain_default(*[x, 2], **{"c": 1})


def default_lambda(a, fn=lambda v: v * 2):
    if a is None:
        return 0
    return fn(a)


def default_comprehension(a, items=[i for i in range(3)], table={k: 1 for k in "ab"}):
    if a is None:
        return 0
    return a + len(items) + len(table)


def default_conditional(a, fn=lambda v: v if v > 0 else -v, *, g=lambda: 5):
    if a > 0:
        return fn(a) + g()
    return fn(a) - g()


@program(3, -3)
def defaults(x):
    return default_lambda(x), default_comprehension(x), default_conditional(x)


@program(3)
def own_default_lambda(x, fn=lambda v: v * 2):
    if x is None:
        return 0
    return fn(x)


@program(3)
def inner_defaults(x):
    def inner(v, fn=lambda w: w + 1, *, k=[i for i in range(2)]):
        if v is None:
            return 0
        return fn(v) + len(k)

    return inner(x)


@program((3, 4))
def positional_only(a, b, /):
    def inner(v, /, w, *, k=1):
        if v is None:
            return w
        return v + w * k

    return inner(a, w=b, k=2)


def twice(function):
    @functools.wraps(function)
    def called(*args, **kwargs):
        first = function(*args, **kwargs)
        if first is None:
            return None
        return first, function(*args, **kwargs)

    return called


def without_wraps(function):
    def called(x):
        return function(x) + 1

    return called


def with_options(n):
    def decorate(function):
        @functools.wraps(function)
        def called(x):
            for _ in range(n):
                x = function(x)
            return x

        return called

    return decorate


@twice
def decorated_condition(x):
    if x > 0:
        return x * 2
    return x * 3


@with_options(2)
@without_wraps
def decorated_several(x):
    if x > 0:
        return x * 2
    else:
        return x * 3


@program(3, -3)
def decorators(x):
    return decorated_condition(x), decorated_several(x)


@program(3, -3)
def inner_decorators(x):
    @without_wraps
    @with_options(2)
    def inner(v):
        if v > 0:
            return v - 1
        return v + 1

    return inner(x)


@program(3)
def recursion(x):
    def fact(n):
        if n <= 1:
            return 1
        return n * fact(n - 1)

    return fact(5) * x


@program(3, -3)
def partials(x):
    def inner(a, b, c=1):
        if a > 0:
            return a * b + c
        return a - b - c

    return functools.partial(inner, c=5)(x, 2), functools.partial(inner, x)(3)


@functools.lru_cache(None)
def cached(n):
    if n > 0:
        return n * 2
    return 0


@program(3)
def cached_function(x):
    return x + cached(4)


class Base:
    """A class with methods of all kinds."""

    scale = 2

    def __init__(self, start=0):
        self.start = start
        if start is None:
            self.start = 1

    def __call__(self, x):
        if x > 0:
            return self.method(x)
        return x

    def method(self, x):
        if x > 0:
            return x * self.scale + self.start
        return x - self.start

    @staticmethod
    def static(x):
        if x > 0:
            return x + 1
        return x - 1

    @classmethod
    def of_class(cls, x):
        if x > 0:
            return x * cls.scale
        return x

    @property
    def doubled(self):
        if self.start is None:
            return 0
        return self.start * 2

    @doubled.setter
    def doubled(self, value):
        self.start = value

    def __getitem__(self, key):
        return key + 1

    def __len__(self):
        return 7

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False

    def __contains__(self, x):
        return x == 1

    def __iter__(self):
        yield from (1, 2)


class Derived(Base):
    """A class that calls its base's methods."""

    scale = 3

    def method(self, x):
        found = super().method(x)
        if x > 0:
            return found + 100
        return found - super(Derived, self).method(x)

    @classmethod
    def of_class(cls, x):
        return super().of_class(x) + 1

    def with_class(self, x):
        if x > 0:
            return x + len(__class__.__name__)
        return x

    def __private(self, x):
        return x + 1

    def mangled(self, x):
        if x is not None:
            return self.__private(x)
        return x


@program(3, -3)
def methods(x):
    b = Base(5)
    return b(x), b.method(x), Base.static(x), b.static(x), Base.of_class(x), Base.method(b, x)


@program(3, -3)
def derived_methods(x):
    d = Derived(5)
    return d(x), d.method(x), Derived.of_class(x), d.with_class(x)


@program(3)
def mangled_name(x):
    return Derived(5).mangled(x)


@program(3)
def special_methods(x):
    b = Base(x)
    b.doubled = x + 1
    with b as c:
        return b.doubled, b[x], len(b), 1 in b, list(b), c is b


@program(3, -3)
def class_inside(x):
    class Local:
        k = [i for i in range(2)]

        def run(self, v):
            if v > 0:
                return v * len(self.k)
            return v

    return Local().run(x)


@program(3)
def named_tuples(x):
    Point = collections.namedtuple("Point", "a b")
    p = Point(x, b=2)
    return p.a + p.b, p._replace(b=5).b, Box(x).value


@program(3)
def method_as_value(x):
    f = Base(5).method
    g = [].append
    g(1)
    return f(x), (Base.static)(x)


@program(3)
def callable_in_dict(x):
    table = {"f": lambda v: v + 1, "g": Base(2)}
    return table["f"](x), table["g"](x)


@program(3)
def map_filter_reduce(x):
    def add(a, b):
        if a is None:
            return b
        return a + b

    return (
        list(map(lambda v: v * 2, [1, 2])),
        list(filter(None, [0, 1])),
        functools.reduce(add, [x, 1, 2]),
    )


@program(3, -3)
def map_with_condition(x):
    def f(v):
        if v > 0:
            return v * 2
        return v * 5

    return tf.map_fn(f, tf.stack([x, x + 1]))


@program(3, -3)
def cond_with_condition(x):
    def f():
        if x > 1:
            return x * 2
        return x * 5

    return tf.cond(tf.constant(True), f, lambda: x)


@program(3)
def inner_tf_function(x):
    @tf.function
    def inner(v):
        if v > 0:
            return v + 1
        return v

    return inner(x)


@program(3, -3)
def not_converted(x):
    @tf.autograph.experimental.do_not_convert
    def inner(v):
        return v if isinstance(v, int) else v + 1

    return inner(x)


@program(3)
def keyword_only_names(x):
    return dict(x=x, y=1)["x"], dict([("a", 1)])["a"]


# ------------------------------------------------------------------ builtins


@program(3)
def int_builtins(x):
    return int("ff", 16), int("12"), int(2.7), int(), int("0x1f", base=0), int(x)


@program(3)
def int_base_of_tensor(x):
    return int(tf.constant("12"), 16)


@program(3)
def int_of_text_tensor(x):
    return int(tf.constant("12")), float(tf.constant("1.5")), int(tf.constant("12"), 10)


@program(3)
def float_builtins(x):
    return float("1.5"), float(), float("inf"), float(x)


@program(3)
def other_numbers(x):
    return (
        complex(1, 2).imag,
        bool(1),
        str(5),
        round(2.567, 2),
        round(2.5),
        divmod(7, 2),
        pow(2, 5, 7),
        hash(1),
        ord("a"),
    )


@program(3)
def len_builtins(x):
    return len([1, 2]), len(""), len(tf.zeros([4, 2])), len({1: 2})


@program(3)
def len_of_scalar(x):
    return len(tf.constant(1))


@program(4)
def range_builtins(x):
    found = 0
    for i in range(x):
        found = found + i
    for i in range(1, x):
        found = found + i
    for i in range(x, 0, -1):
        found = found + i
    for i in range(-x):
        found = found + 1000
    for i in range(x, 1):
        found = found + 1000
    return found


@program(4)
def range_as_value(x):
    return list(range(3)), range(2, 9, 3)[1], len(range(10)), range(5) == range(0, 5)


@program(4)
def range_wrong(x):
    return range(1, 2, 3, 4)


@program(3, -3)
def abs_builtin(x):
    return abs(x), abs(-2.5)


@program(3)
def min_max(x):
    return max(1, 2), min([3, 1]), max([1, -5], key=abs), max([], default=4)


@program(3)
def min_max_of_arguments(x):
    return max(x, 1), min(x, 2)


@program(3)
def sum_any_all(x):
    return sum([1, 2], 5), any([0, 1]), all([]), any(i > 2 for i in [1, 3]), sum([x, x])


@program(3)
def any_of_tensor(x):
    return any(tf.constant([True, False]))


@program(3)
def zip_of_tensors(x):
    return [a + b for a, b in zip([x, x], [1, 2])], list(enumerate([x], 5))


@program(3)
def enumerate_tensor(x):
    total = 0
    for i, v in enumerate(tf.constant([1, 2])):
        total = total + v
    return total


@program(3)
def map_several(x):
    return list(map(lambda a, b: a + b, [x, 1], [2, 3])), list(map(len, ["a", "bc"]))


@program(3)
def sorted_builtins(x):
    return sorted([3, 1]), sorted([3, 1], reverse=True), sorted(["bb", "a"], key=len, reverse=False)


@program(3)
def sorted_tensor(x):
    t = tf.constant([3, 1, 2])
    return sorted(t), sorted(t, reverse=True), sorted(t, key=lambda v: -v)


@program(3)
def reversed_and_iter(x):
    it = iter([1, 2])
    return list(reversed([1, 2])), next(it), next(it), next(it, 9)


@program(3)
def isinstance_and_friends(x):
    b = Base(1)
    setattr(b, "other", 4)
    return (
        isinstance(b, Base),
        issubclass(Derived, Base),
        getattr(b, "start"),
        getattr(b, "no", 3),
        hasattr(b, "other"),
        callable(b),
    )


@program(3)
def type_of(x):
    return type(3)(4.5), type("T", (), {"a": 5}).a, type(b"") is bytes


@program(3)
def eval_of_locals(x):
    n = 4
    return eval("n + 1"), eval("k * 2", {"k": 3}), x


@program(3)
def locals_globals(x):
    n = 4
    return locals()["n"], "COUNT" in globals(), x


@program(3)
def locals_in_branch(x):
    n = 4
    if x is not None:
        n = 5
        found = locals()["n"]
    return found


@program(3)
def vars_and_dir(x):
    return vars(Box(3))["value"], "value" in dir(Box(3)), x


@program(3)
def exec_text(x):
    space = {}
    exec("a = 5", space)
    return space["a"], x


@program(3)
def print_to_file(x):
    import io

    text = io.StringIO()
    print("a", 1, sep="-", end="!", file=text)
    print(file=text, flush=True)
    return text.getvalue(), x


@program(3)
def open_and_format(x):
    return (
        format(3.14159, ".2f"),
        "{:>5}".format("a"),
        "%d" % 3,
        repr("a"),
        chr(97),
        bin(5),
        "a".join("bc"),
    )


@program(3)
def string_methods(x):
    return "a,b".split(","), "abc".replace("b", "x"), "a".upper(), b"ab".decode()


@program(3)
def numpy_calls(x):
    return (
        float(np.sum(np.arange(4))),
        int(np.float32(2.7)),
        len(np.zeros([3, 2])),
        abs(np.int32(-3)).item(),
        sorted(np.array([2, 1]))[0].item(),
    )


# ------------------------------------------------------------------ tensors and Python mixed


@program(3, -3)
def list_append_in_branch(x):
    items = []
    if x is not None:
        items.append(x)
    return items


@program(3)
def tensor_array(x):
    a = tf.TensorArray(tf.int32, 3)
    for i in tf.range(3):
        if i > 1:
            a = a.write(i, i * 10)
        else:
            a = a.write(i, i)
    return a.stack()


@program(3)
def while_with_dict(x):
    state = {"i": 0, "t": x}
    while state["i"] < 3:
        state["t"] = state["t"] * 2
        state["i"] += 1
    return state


@program(3)
def loop_shape_changes(x):
    v = tf.constant([x])
    for i in tf.range(2):
        v = tf.concat([v, v], 0)
    return v


@program(3)
def loop_type_changes(x):
    v = tf.constant(1)
    for i in tf.range(2):
        v = v * 1.5
    return v


@program(3)
def loop_none_before(x):
    v = None
    for i in tf.range(2):
        v = i
    return v


@program(3)
def loop_undefined_before(x):
    for i in tf.range(2):
        v = i * 5
    return v


@program(3)
def loop_over_tensor(x):
    total = tf.zeros([2], tf.int32)
    for row in tf.constant([[1, 2], [3, 4]]):
        total = total + row * x
    return total


@program(3)
def break_on_tensor_in_python_loop(x):
    for i in range(3):
        if tf.constant(i) > 1:
            break
    return i


@program(3)
def while_becomes_tensor(x):
    i = 0
    while i < 3:
        i = i + tf.constant(1)
    return i


@program(3, -3)
def assignment_in_nested_branch(x):
    y, z = x, x
    if x > 0:
        if x > 2:
            y = y + 1
        else:
            z = z + 1
        z = z * y
    else:
        while y < 0:
            y = y + 1
            if y == -1:
                z = z - 5
    return y, z


@program(3, -3)
def loop_and_return_in_branch(x):
    if x > 0:
        total = 0
        for i in tf.range(x):
            if i == 2:
                continue
            total += i
        return total
    else:
        return -x


@program(3)
def condition_is_none(x):
    y = None
    if y is None:
        y = x
    if not y is None:
        y = y + 1
    return y


@program(3)
def condition_vector(x):
    if tf.constant([True, False]):
        return 1
    return 2


@program(3)
def condition_integer_tensor(x):
    if tf.constant(3):
        return 1
    return 2


@program(3)
def unused_error_branch(x):
    if x is None:
        refuse()
    return x


@program(3)
def raise_in_branch(x):
    if x > 100:
        raise ValueError("large")
    return x


@program(3)
def variables_change(x):
    v = tf.Variable(1) if not VARIABLES else VARIABLES[0]
    VARIABLES[:] = [v]
    v.assign(1)
    for i in tf.range(3):
        v.assign_add(i)
        if v > 2:
            v.assign_add(10)
    return v.read_value()


VARIABLES: list[Any] = []


# ------------------------------------------------------------------ running


def _shown(x):
    if isinstance(x, dict):
        return {str(k): _shown(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return [_shown(v) for v in x]
    if hasattr(x, "numpy"):
        x = x.numpy()
        x = x.tolist() if hasattr(x, "tolist") else x
    return x.decode() if isinstance(x, bytes) else x


def outcome(function, arguments):
    """Returns what a traced program returns, or the class of its error."""
    del VARIABLES[:]
    try:
        return _shown(tf.function(function)(*arguments))
    except Exception as error:
        kinds = [k.__name__ for k in type(error).__mro__]
        return {"error": kinds[1] if kinds[0] == "StagingError" else kinds[0]}


def outcomes(module):
    """Returns what all programs return, with numbers and with tensors as arguments."""
    global tf
    tf = module
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, (function, cases) in PROGRAMS.items():
            for case in cases:
                found[f"{name}{case}"] = outcome(function, case)
                found[f"{name}{case} tensors"] = outcome(function, [tf.constant(c) for c in case])
    return found


if __name__ == "__main__":
    lines = [
        f"{json.dumps(k)}: {json.dumps(v)}"
        for k, v in outcomes(importlib.import_module(sys.argv[1])).items()
    ]
    print("{\n" + ",\n".join(lines) + "\n}")
