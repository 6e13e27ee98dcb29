"""Restoration of name-based checkpoints, such as those of ``Saver``."""

from __future__ import annotations

from typing import Any

from twinflow._src.checkpoint.functions import CheckpointOptions, make_progress_callback
from twinflow._src.checkpoint.object_graph import View
from twinflow._src.checkpoint.reader import Reader
from twinflow._src.checkpoint.values import assert_shape_fits, assign_array, is_symbolic
from twinflow._src.core.errors import invalid
from twinflow._src.trackable.trackable import BY_NAME, Trackable


class RestoreByName:
    """The restoration of a name-based checkpoint.

    Args:
        reader: The checkpoint.
        options: The options.

    Attributes:
        pending: Values of graph variables, to be loaded in sessions.
        unused: Variables without a value in the checkpoint, each with its name.
    """

    def __init__(self, reader: Reader, options: CheckpointOptions) -> None:
        self._reader, self._options = reader, options
        self.pending: list[tuple[Any, Any]] = []
        self.unused: list[tuple[Any, str]] = []

    def restore(self, root: Trackable, attached: Any = None) -> None:
        """Restores the variables below an object; those created later are restored on creation.

        Args:
            root: The object.
            attached: Its additional children in checkpoints.
        """
        wanted: list[tuple[Any, str]] = []
        for found, _ in View(root, attached).objects():
            vars(found).setdefault(BY_NAME, []).append(self)
            variable = found._saved_variable()
            if variable is not None:
                name = str(variable._shared_name)
                (wanted if name in self._reader else self.unused).append((variable, name))
        for variable, name in wanted:
            self._assert_fits(variable, name)
        arrays = self._reader.read_all(
            [name for _, name in wanted],
            make_progress_callback(self._options.progress, "Restoring"),
        )
        given = set()
        for variable, name in wanted:
            array = arrays[name].copy() if name in given else arrays[name]
            given.add(name)
            if is_symbolic(variable):
                self.pending.append((variable, array))
            else:
                assign_array(variable, array)

    def _assert_fits(self, variable: Any, name: str) -> None:
        dtype = self._reader.dtype(name)
        if dtype is not variable.dtype.base_dtype:
            raise invalid(
                f"Trying to assign variable with wrong dtype. Expected {variable.dtype.base_dtype.cname} got {dtype.cname}"
            )
        assert_shape_fits(variable, self._reader.shape(name), name)

    def __deepcopy__(self, memo: Any) -> RestoreByName:
        return self
