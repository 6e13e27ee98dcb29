"""Programs: which kernels run one after the other in place of a call, for tensors of certain types and shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from twinflow._src.core.devices import Device
from twinflow._src.core.dtypes import DType
from twinflow._src.core.tensor import EagerTensor


class Step(NamedTuple):
    """A kernel, or a function of the array module.

    Attributes:
        run: Computes what the step gives.
        reads: The slots that it reads; a tuple of slots for a list.
        many: Whether it gives several arrays.
        dead: The slots that nothing reads afterwards.
    """

    run: Callable[..., Any]
    reads: tuple[Any, ...]
    many: bool
    dead: tuple[int, ...]


class Program:
    """How a call runs.

    Args:
        home: Where it runs.
        first: The first slot that a step fills: those before are given, or kept.
        kept: The arrays that no tensor changes, which come after those that are given.
        steps: The steps; each puts what it gives into the next slots.
        found: The slots of what the call gives.
        types: The types of these tensors.
        form: What makes the result of these tensors: ``None`` where it is one of them.

    Attributes:
        run: Takes the arrays of the call's tensors; gives the array of the result, or the arrays of several.
        dtype: The type of the result where it is a tensor.
    """

    def __init__(
        self, home: Device, first: int, kept: list[Any], steps: list[Step], found: list[int], types: list[DType], form: type | None
    ) -> None:
        self._home, self._kept, self._steps, self._found, self._types, self._form = home, kept, steps, found, types, form
        self.dtype, self._first = types[0] if form is None else None, first
        self.run = home.backend.placed(self._alone() or self._stepped, home.ordinal)

    def _alone(self) -> Callable[..., Any] | None:
        """The only step, where it takes all arrays in their order."""
        if len(self._steps) != 1 or self._form is not None:
            return None
        (run, reads, many, _), kept = self._steps[0], self._kept
        if many or reads != tuple(range(self._first)):
            return None
        return (lambda *arrays: run(*arrays, *kept)) if kept else run

    def results(self, arrays: list[Any]) -> Any:
        """The list or tuple that the call gives.

        Args:
            arrays: The arrays of the tensors.
        """
        assert self._form is not None
        return self._form([EagerTensor(x, self._home, dtype) for x, dtype in zip(arrays, self._types)])

    def _stepped(self, *arrays: Any) -> Any:
        slots = [*arrays, *self._kept]
        for run, reads, many, dead in self._steps:
            result = run(*[slots[i] if type(i) is int else [slots[j] for j in i] for i in reads])
            if many:
                slots += result
            else:
                slots.append(result)
            for i in dead:
                slots[i] = None
        return slots[self._found[0]] if self._form is None else [slots[i] for i in self._found]


def freeing(steps: list[Step], first: int, found: list[int]) -> list[Step]:
    """Steps that know which slots nothing reads after them.

    Args:
        steps: The steps.
        first: The first slot that a step gives.
        found: The slots that are read after all steps.
    """
    seen, made = set(found), []
    for step in reversed(steps):
        read = {i for each in step.reads for i in (each if type(each) is tuple else (each,))}
        made.append(step._replace(dead=tuple(i for i in read - seen if i >= first)))
        seen |= read
    return made[::-1]
