"""``tf.train.Checkpoint`` and ``tf.train.experimental.PythonState``."""

from __future__ import annotations

import abc
import os
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.checkpoint import distributed
from twinflow._src.checkpoint.functions import checkpoint_exists, write_state
from twinflow._src.checkpoint.object_graph import (
    GRAPH_KEY,
    ObjectGraph,
    View,
    graph_of,
    is_trackable,
)
from twinflow._src.checkpoint.options import DEFAULT, CheckpointOptions, make_progress_callback
from twinflow._src.checkpoint.reader import Reader
from twinflow._src.checkpoint.restore import (
    CheckpointLoadStatus,
    InitializationOnlyStatus,
    NameBasedSaverStatus,
    Restore,
    RestoreByName,
)
from twinflow._src.checkpoint.values import bytes_item, is_symbolic, items, session_for
from twinflow._src.core import dtypes
from twinflow._src.core.context import thread
from twinflow._src.core.errors import NotFoundError
from twinflow._src.dispatch.op import API, documented_like
from twinflow._src.io.local_files import path_text
from twinflow._src.trackable.trackable import AutoTrackable, Trackable
from twinflow._src.variables.variable import Variable

_variable: Any = Variable


def _assert_trackable(name: str, value: Any) -> None:
    if not is_trackable(value):
        raise ValueError(
            f"`Checkpoint` was expecting {name} to be a trackable object (an object derived from `Trackable`), got "
            f"{value}. If you believe this object should be trackable (i.e. it is part of the TensorFlow Python API "
            "and manages state), please open an issue."
        )


class _Checkpoint(AutoTrackable):
    """Base class of the checkpoints of TensorFlow 2 and 1."""

    def __init__(self, root: Any, named: dict[str, Any]) -> None:
        self.__dict__["_counter"] = None
        root = root() if isinstance(root, weakref.ref) else root
        if root is not None:
            _assert_trackable("root", root)
        attached = []
        for name, value in sorted(named.items()):
            setattr(self, name, value)
            child = getattr(self, name)
            _assert_trackable(name, child)
            if root is not None:
                existing = root._lookup_dependency(name)
                if existing is not None and existing is not child:
                    raise ValueError(
                        f"Cannot create a Checkpoint with keyword argument {name} if root.{name} already exists."
                    )
                attached.append((name, child))
        is_root = root is None
        self.__dict__["_view"] = None if is_root else View(root, [*attached, ("root", root)])

    def _objects(self) -> View:
        return self.__dict__["_view"] or View(self)

    @property
    def save_counter(self) -> Any:
        """The variable that counts the calls of ``save``; a child that is saved, too."""
        if self.__dict__["_counter"] is None:
            counter = _variable(0, dtype=dtypes.int64, trainable=False, name="save_counter")
            self.__dict__["_counter"] = counter
            view = self.__dict__["_view"]
            if view is None:
                self._track("save_counter", counter)
            else:
                view.attached.append(("save_counter", counter))
                view.root._restore_late("save_counter", counter)
        return self.__dict__["_counter"]

    # ---------------------------------------------------------------- saving
    def _write(
        self, file_prefix: Any, options: CheckpointOptions | None, session: Any = None
    ) -> Any:
        options = options or DEFAULT
        if file_prefix is None:
            raise ValueError(
                "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor."
            )
        if getattr(thread.scope.graph, "building_function", False):
            return self._write_in_graph(file_prefix, options)
        prefix = path_text(file_prefix.numpy() if hasattr(file_prefix, "numpy") else file_prefix)
        object_graph = ObjectGraph(self._objects(), not options.experimental_skip_slot_variables)
        graph = bytes_item(GRAPH_KEY, object_graph.proto.SerializeToString(deterministic=True))
        tensors = [*items(object_graph.saved, session), graph]
        progress = make_progress_callback(options.progress, "Saving")
        distributed.save(prefix, tensors, options.durable, progress)
        options.written(prefix)
        return prefix

    def _write_in_graph(self, file_prefix: Any, options: CheckpointOptions) -> Any:
        """Adds an operation to the function being traced that writes the checkpoint."""
        run = lambda prefix: self._write(np.asarray(prefix).item(), options).encode()
        return API["numpy_function"](run, [file_prefix], dtypes.string)

    def _save(
        self, file_prefix: Any, options: CheckpointOptions | None, session: Any = None
    ) -> str:
        if getattr(thread.scope.graph, "building_function", False):
            raise NotImplementedError(
                "Calling tf.train.Checkpoint.save() from a function is not supported, as save() modifies saving "
                "metadata in ways not supported by TensorFlow Operations. Consider using tf.train.Checkpoint.write(), "
                "a lower-level API which does not update metadata. tf.train.latest_checkpoint and related APIs will "
                "not see this checkpoint."
            )
        number = self._increment_counter(session)
        path = self._write(f"{path_text(file_prefix)}-{number}", options, session)
        durable = (options or DEFAULT).durable
        write_state(os.path.dirname(path), path, [path], relative=True, durable=durable)
        return path

    def _increment_counter(self, session: Any = None) -> int:
        """Increments the save counter; returns its value."""
        counter = self.save_counter
        if not is_symbolic(counter):
            counter.assign_add(1)
            return int(counter.numpy())
        owner = session_for([counter], session)
        number = owner.run(counter) + 1 if owner.run(counter.is_initialized()) else 1
        counter.load(number, owner)
        return int(number)

    # ---------------------------------------------------------------- restoring
    def _read(
        self,
        save_path: Any,
        options: CheckpointOptions | None,
        verify: Callable[[Any], None] | None = None,
    ) -> Any:
        """Restores; ``verify`` gets the restoration before the first value is assigned.

        With ``verify``, values that do not fit their variables are left out, in ``unfit``.
        """
        view, options = self._objects(), options or DEFAULT
        if getattr(thread.scope.graph, "building_function", False):
            raise NotImplementedError(
                "tf.train.Checkpoint.read() and restore() have no operation: a function would restore once, when it is "
                "traced. Call them outside of functions."
            )
        if save_path is None:
            return InitializationOnlyStatus(view)
        reader = Reader(_values_of(path_text(save_path)))
        if GRAPH_KEY not in reader:
            names = RestoreByName(reader, options)
            names.verify = verify
            names.unfit = None if verify is None else []
            names.restore(view.root, view.attached)
            names.verify = None  # objects created later are expected to be absent
            return NameBasedSaverStatus(names, view)
        restore = Restore(reader, graph_of(reader), options)
        restore.verify = verify
        restore.unfit = None if verify is None else []
        try:
            restore.restore(0, view.root, view.attached)
            restore.verify = None  # objects created later are expected to be absent
        except BaseException:
            restore.cancel()
            raise
        return CheckpointLoadStatus(restore, view)

    def _restore_latest(self, save_path: Any, options: CheckpointOptions | None) -> Any:
        try:
            status = self._read(save_path, options)
        except NotFoundError as error:
            path = path_text(save_path)
            if checkpoint_exists(path):  # only a part of it is missing
                raise
            raise NotFoundError(
                error.node_def,
                error.op,
                f"Error when restoring from checkpoint or SavedModel at {path}: {error.message}\n"
                "Please double-check that the path is correct. You may be missing the checkpoint suffix (e.g. the '-1' "
                "in 'path/to/ckpt-1').",
            ) from error
        counter = self.save_counter
        if isinstance(status, NameBasedSaverStatus):
            status.add_to_optionally_restored(counter)
        return status


def _values_of(path: str) -> str:
    """Returns the prefix of a checkpoint; for a SavedModel directory that of its variables."""
    inner = os.path.join(path, "variables", "variables")
    return inner if os.path.isfile(f"{inner}.index") else path


class Checkpoint(_Checkpoint):
    """Saves and restores objects and everything reachable from them.

    Children are identified by attribute names, so that the objects of a program can be restored in
    any order of creation. Objects created after the restoration are restored on creation.

    Args:
        root: The object whose children are saved; this one where None.
        **kwargs: Further children.

    Raises:
        ValueError: A value is not trackable.
    """

    __module__ = "twinflow.train"

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        super().__init__(root, kwargs)

    def write(self, file_prefix: Any, options: CheckpointOptions | None = None) -> Any:
        """Writes a checkpoint without an update of the state file.

        Args:
            file_prefix: The prefix of its files.
            options: A ``tf.train.CheckpointOptions``.

        Returns:
            The prefix; a tensor within a function being traced.

        Raises:
            ValueError: An object cannot be saved.
            OpError: A file cannot be written. An old checkpoint of the prefix is unchanged.
        """
        return self._write(file_prefix, options)

    def save(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Writes a numbered checkpoint, and makes it the latest one of its directory.

        Args:
            file_prefix: The prefix of its files, before the number.
            options: A ``tf.train.CheckpointOptions``.

        Returns:
            The prefix with the number.

        Raises:
            NotImplementedError: A function is being traced.
            ValueError: An object cannot be saved.
            OpError: A file cannot be written. Old checkpoints are unchanged.
        """
        return self._save(file_prefix, options)

    def read(self, save_path: Any, options: CheckpointOptions | None = None) -> Any:
        """Restores a checkpoint of ``write``: everything or, if a file is damaged, nothing.

        Args:
            save_path: The prefix; nothing is restored where None.
            options: A ``tf.train.CheckpointOptions``.

        Returns:
            A load status object.

        Raises:
            NotFoundError: The checkpoint does not exist.
            DataLossError: The files are damaged.
            InvalidArgumentError: A value and its variable differ in dtype.
            ValueError: A value and its variable differ in shape.
        """
        return self._read(save_path, options)

    def restore(self, save_path: Any, options: CheckpointOptions | None = None) -> Any:
        """Restores a checkpoint of ``save``, including the save counter; see ``read``."""
        return self._restore_latest(save_path, options)

    def sync(self) -> None:
        """Does nothing: a save is complete when the call returns."""


@documented_like(Checkpoint)
class CheckpointV1(_Checkpoint):
    """``tf.compat.v1.train.Checkpoint``: like ``tf.train.Checkpoint``, with sessions.

    Args:
        **kwargs: The children.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(None, kwargs)

    def write(
        self, file_prefix: Any, session: Any = None, options: CheckpointOptions | None = None
    ) -> Any:
        """Writes a checkpoint; see ``tf.train.Checkpoint.write``.

        Args:
            file_prefix: The prefix of its files.
            session: The session with the values of graph variables; the default session where None.
            options: A ``tf.train.CheckpointOptions``.
        """
        return self._write(file_prefix, options, session)

    def save(
        self, file_prefix: Any, session: Any = None, options: CheckpointOptions | None = None
    ) -> str:
        """Writes a numbered checkpoint; see ``tf.train.Checkpoint.save``.

        Args:
            file_prefix: The prefix of its files, before the number.
            session: The session with the values of graph variables; the default session where None.
            options: A ``tf.train.CheckpointOptions``.
        """
        return self._save(file_prefix, options, session)

    def restore(self, save_path: Any) -> Any:
        """Restores a checkpoint of ``save``; see ``tf.train.Checkpoint.restore``."""
        return self._restore_latest(save_path, None)


# ------------------------------------------------------------------ Python state


class PythonState(Trackable, abc.ABC):
    """Abstract base class of objects whose state is saved as a string."""

    __module__ = "twinflow.train.experimental"

    _saves = "py_state"

    @abc.abstractmethod
    def serialize(self) -> str | bytes:
        """Returns the state as a string."""

    @abc.abstractmethod
    def deserialize(self, string_value: bytes) -> None:
        """Restores the state.

        Args:
            string_value: The result of ``serialize``.
        """
