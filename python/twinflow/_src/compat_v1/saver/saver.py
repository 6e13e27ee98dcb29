"""``tf.compat.v1.train.Saver`` and its ``SaverDef`` message."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

from twinflow._src.checkpoint import functions as checkpoints
from twinflow._src.compat_v1.saver import graph as saver_graph
from twinflow._src.compat_v1.saver import restore as saver_restoring
from twinflow._src.compat_v1.saver.graph import all_saveable, specs_of
from twinflow._src.compat_v1.saver.restore import restore_now, save_now
from twinflow._src.compat_v1.session.session import SessionInterface, step_number
from twinflow._src.core import errors
from twinflow._src.core.scopes import get_logger
from twinflow._src.graph.default_graph import executing_eagerly, get_default_graph
from twinflow._src.graph_serialization.meta_graphs import export_meta_graph
from twinflow._src.io.atomic_write import make_folder
from twinflow._src.io.local_files import local, path_text
from twinflow._src.variables.variable_def import within_scope, without_scope

# SaverDef messages, and validation.


_NAMES = ("filename_tensor_name", "save_tensor_name", "restore_op_name")


def assert_supported(builder: Any, write_version: int) -> None:
    """Raises NotImplementedError for unsupported options of a saver."""
    if builder is not None:
        raise NotImplementedError(
            "Savers build their operations themselves: there are no builders."
        )
    if write_version != 2:
        raise NotImplementedError(
            "Checkpoints are written in their second format; those of the first one can be read."
        )


def assert_complete(saver_def: Any) -> None:
    """Raises ValueError if a message does not describe a saver."""
    if not hasattr(saver_def, "restore_op_name"):
        raise ValueError(f"saver_def must be a saver_pb2.SaverDef: {saver_def}")
    for field in ("save_tensor_name", "restore_op_name"):
        if not getattr(saver_def, field):
            raise ValueError(f"saver_def must specify the {field}: {saver_def}")


def unscoped(saver_def: Any, scope: str) -> Any:
    """Returns a SaverDef without the scope of its ops; None if they are in another scope."""
    names = {field: without_scope(getattr(saver_def, field), scope) for field in _NAMES}
    return None if None in names.values() else _with(saver_def, names)


def scoped(saver_def: Any, scope: str | None) -> Any:
    """Returns a SaverDef whose ops are in a scope."""
    return _with(
        saver_def, {field: within_scope(getattr(saver_def, field), scope) for field in _NAMES}
    )


def _with(saver_def: Any, names: dict[str, Any]) -> Any:
    proto = type(saver_def)()
    proto.CopyFrom(saver_def)
    for field, name in names.items():
        setattr(proto, field, name)
    return proto


def stem(path: str) -> str:
    """Returns a path without the shard suffix."""
    head, dash, tail = path.rpartition("-of-")
    return head.rpartition("-")[0] if dash and tail.isdigit() and "-" in head else path


# Saver.


class Saver:
    """Saves variables to checkpoints and restores them.

    Args:
        var_list: A list of variables, or a dictionary of variables by name in checkpoints; all
            variables of the graph if None.
        reshape: If True, restored values are reshaped to the shapes of variables.
        sharded: If True, each device has its own file.
        max_to_keep: The number of checkpoints to keep; all if None or 0.
        keep_checkpoint_every_n_hours: Interval of checkpoints that are kept permanently.
        name: The name scope of the ops, ``"save"`` if None.
        restore_sequentially: Accepted and without effect: all values are read before any is
            restored.
        saver_def: The message of a saver whose ops are in the graph, or None.
        builder: Not supported; None.
        defer_build: If True, ``build`` adds the ops later.
        allow_empty: If True, there may be no variables.
        write_version: The format; only version 2 is written.
        pad_step_number: If True, step numbers in file names have eight digits.
        save_relative_paths: If True, the state file holds relative paths.
        filename: The default file name of the save op.

    Raises:
        NotImplementedError: There is a builder, or another format is requested.
        RuntimeError: Eager execution is enabled and there is no list.
        TypeError: The list is invalid, or an item is not a variable.
        ValueError: There are no variables, or a name is duplicate.
    """

    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: Any = None,
        builder: Any = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: int = 2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        if defer_build and var_list:
            raise ValueError(
                "If `var_list` is provided then build cannot be deferred. Either set defer_build=False or "
                "var_list=None."
            )
        assert_supported(builder, write_version)
        self._var_list, self._reshape, self._sharded = var_list, reshape, sharded
        self._max_to_keep, self._keep_hours = max_to_keep, keep_checkpoint_every_n_hours
        self._name, self._filename, self._allow_empty = name, filename, allow_empty
        self._pad, self._relative = pad_step_number, save_relative_paths
        self._is_built = self._is_empty = False
        self._saved: list[tuple[str, float]] = []
        self._next_kept = time.time() + keep_checkpoint_every_n_hours * 3600
        self.saver_def = saver_def
        self._at_once = executing_eagerly()  # fixed for all later calls, in any thread
        if self._at_once:
            self._begin_eagerly()
        elif not defer_build:
            self.build()
        if self.saver_def is not None:
            self._take(self.saver_def)

    # ---------------------------------------------------------------- build
    def _begin_eagerly(self) -> None:
        get_logger().warning(
            "Saver finds variables by their names, which need not be unique when operations run at once; "
            "tf.train.Checkpoint is made for that."
        )
        if self._var_list is None:
            raise RuntimeError(
                "When eager execution is enabled, `var_list` must specify a list or dict of variables to save"
            )

    def build(self) -> None:
        """Adds the ops to the graph, for savers with deferred build.

        Raises:
            RuntimeError: Eager execution is enabled.
            ValueError: There are no variables.
        """
        if executing_eagerly():
            raise RuntimeError("Use save/restore instead of build in eager mode.")
        if self._is_built:
            return
        self._is_built = True
        if self.saver_def is not None:
            assert_complete(self.saver_def)
            self.saver_def = scoped(self.saver_def, self._name)
            return
        variables = all_saveable() if self._var_list is None else self._var_list
        specs = specs_of(variables)
        self._is_empty = not specs
        if not specs and not self._allow_empty:
            raise ValueError("No variables to save")
        self._specs = specs
        if specs:
            self.saver_def = saver_graph.build(specs, self)

    def _take(self, saver_def: Any) -> None:
        """Adopts the settings of a SaverDef."""
        self._sharded = saver_def.sharded
        self._max_to_keep, self._keep_hours = (
            saver_def.max_to_keep,
            saver_def.keep_checkpoint_every_n_hours,
        )
        self._next_kept = time.time() + self._keep_hours * 3600

    # ---------------------------------------------------------------- save
    def save(
        self,
        sess: Any,
        save_path: Any,
        global_step: Any = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str | None:
        """Saves the variables of a session.

        The checkpoint appears atomically. The values are written first, then the graph, then the
        state file; old checkpoints are removed last.

        Args:
            sess: The session; ignored in eager execution.
            save_path: The prefix of the files.
            global_step: A number, or a variable that holds it, appended to the prefix; or None.
            latest_filename: The name of the state file, ``"checkpoint"`` if None.
            meta_graph_suffix: The suffix of the graph file.
            write_meta_graph: If True, writes the graph file.
            write_state: If True, writes the state file.
            strip_default_attrs: If True, attributes with default values are removed from the graph.
            save_debug_info: Accepted and without effect.

        Returns:
            The prefix of the files; None if there are no variables.

        Raises:
            FailedPreconditionError: A variable is uninitialized.
            ResourceExhaustedError: The disk is full.
            RuntimeError: The saver has not been built.
            TypeError: There is no session.
            ValueError: A path is invalid, or the parent directory does not exist.
        """
        if not (self._is_built or self._at_once):
            raise RuntimeError("`build()` should be called before save if defer_build==True")
        latest = latest_filename or "checkpoint"
        path = self._path(path_text(save_path), global_step, latest, sess)
        if not self._at_once and not isinstance(sess, SessionInterface):
            raise TypeError(f"'sess' must be a Session; {sess}")
        if not self._is_empty:
            path = self._write(sess, path)
        if write_meta_graph and not self._at_once:
            self._write_graph(sess, f"{stem(path)}.{meta_graph_suffix}", strip_default_attrs)
        if self._is_empty:
            return None
        if write_state:
            self._record(path, latest, meta_graph_suffix)
        return path

    def _path(self, path: str, step: Any, latest: str, sess: Any) -> str:
        if os.path.split(latest)[0]:
            raise ValueError("'latest_filename' must not contain path components")
        if step is not None:
            number = step_number(step, sess)
            return f"{path}-{number:08d}" if self._pad else f"{path}-{number}"
        if os.path.basename(path) == latest and not self._sharded:
            raise ValueError(
                f"'latest_filename' collides with 'save_path': '{latest}' and '{path}'"
            )
        return path

    def _write(self, sess: Any, path: str) -> str:
        folder = os.path.dirname(local(path))
        if (
            folder
            and not os.path.isdir(folder)
            and not os.path.isdir(os.path.dirname(folder) or ".")
        ):
            raise ValueError(f"Parent directory of {path} doesn't exist, can't save.")
        make_folder(folder, durable=True)
        if self._at_once:
            save_now(path, specs_of(self._var_list))
            return path
        result = sess.run(
            self.saver_def.save_tensor_name, {self.saver_def.filename_tensor_name: path}
        )
        return path_text(result)

    def _write_graph(self, sess: Any, path: str, strip: bool) -> None:
        with sess.graph.as_default():
            try:
                self.export_meta_graph(path, strip_default_attrs=strip)
            except NotImplementedError as error:
                get_logger().warning("%s is not written; the values are saved. %s", path, error)

    def _record(self, path: str, latest: str, suffix: str) -> None:
        """Writes the state file, then removes old checkpoints."""
        self._saved = [entry for entry in self._saved if entry[0] != path]
        self._saved.append((path, time.time()))
        old = (
            self._saved.pop(0)
            if self._max_to_keep and len(self._saved) > self._max_to_keep
            else None
        )
        kept = self.last_checkpoints if self._max_to_keep else []
        folder = os.path.dirname(path)
        checkpoints.write_state(folder, path, kept, latest, relative=self._relative)
        if not self._max_to_keep:
            self._saved.clear()
        if old is not None:
            self._remove(*old, suffix)

    def _remove(self, path: str, when: float, suffix: str) -> None:
        if when > self._next_kept:
            self._next_kept += self._keep_hours * 3600
            return
        try:
            checkpoints.remove_checkpoint(path, meta_graph_suffix=suffix)
        except errors.OpError as error:
            get_logger().warning("The old checkpoint %s stays: %s", path, error)

    # ---------------------------------------------------------------- restore
    def restore(self, sess: Any, save_path: Any) -> None:
        """Restores the variables of a session from a checkpoint, all or none.

        Args:
            sess: The session; ignored in eager execution.
            save_path: The prefix of the files.

        Raises:
            DataLossError: The files are corrupted.
            InvalidArgumentError: A variable has another dtype or shape.
            NotFoundError: The checkpoint has no value for a variable.
            ValueError: There is no checkpoint.
        """
        if self._is_empty:
            return
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        prefix = path_text(save_path)
        if not checkpoints.checkpoint_exists(prefix):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {prefix}")
        get_logger().info("Restoring parameters from %s", prefix)
        if self._at_once:
            saver_restoring.wrapped(
                lambda: restore_now(prefix, specs_of(self._var_list), self._reshape)
            )
        else:
            saver_restoring.restore(sess, self.saver_def, prefix)

    # ---------------------------------------------------------------- saved checkpoints
    @property
    def last_checkpoints(self) -> list[str]:
        """The saved checkpoints that have not been removed, oldest first."""
        return [path for path, _ in self._saved]

    def set_last_checkpoints(self, last_checkpoints: Sequence[str]) -> None:
        """Sets the list of saved checkpoints, oldest first."""
        if not isinstance(last_checkpoints, list):
            raise AssertionError(f"a list of paths, not {last_checkpoints!r}")
        self._saved = [(path, float("inf")) for path in last_checkpoints]

    def set_last_checkpoints_with_time(
        self, last_checkpoints_with_time: Sequence[tuple[str, float]]
    ) -> None:
        """Sets the list of saved checkpoints and their times, oldest first."""
        if not isinstance(last_checkpoints_with_time, list):
            raise AssertionError(f"a list of pairs, not {last_checkpoints_with_time!r}")
        self._saved = list(last_checkpoints_with_time)

    def recover_last_checkpoints(self, checkpoint_paths: Sequence[str]) -> None:
        """Adopts checkpoints of another saver; missing ones are skipped.

        Args:
            checkpoint_paths: The prefixes of their files, oldest first.
        """
        there = [path for path in checkpoint_paths if checkpoints.checkpoint_exists(path)]
        self.set_last_checkpoints_with_time(
            list(zip(there, checkpoints.get_checkpoint_mtimes(there)))
        )

    # ---------------------------------------------------------------- messages
    def as_saver_def(self) -> Any:
        """Returns the ``SaverDef`` of the saver."""
        return self.saver_def

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Returns the SaverDef without a scope; None if its ops are in another scope.

        Args:
            export_scope: The scope to remove, or None.
        """
        if not export_scope:
            return self.saver_def
        return unscoped(self.saver_def, export_scope)

    @staticmethod
    def from_proto(saver_def: Any, import_scope: str | None = None) -> Saver:
        """Creates the saver described by a message.

        Args:
            saver_def: A ``SaverDef``.
            import_scope: The scope of its ops in this graph, or None.
        """
        return Saver(saver_def=saver_def, name=import_scope)

    def export_meta_graph(
        self,
        filename: Any = None,
        collection_list: Any = None,
        as_text: bool = False,
        export_scope: str | None = None,
        clear_devices: bool = False,
        clear_extraneous_savers: bool = False,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> Any:
        """Exports the default graph with this saver; see ``export_meta_graph``."""
        return export_meta_graph(
            filename,
            graph_def=get_default_graph().as_graph_def(add_shapes=True),
            saver_def=self.saver_def,
            collection_list=collection_list,
            as_text=as_text,
            export_scope=export_scope,
            clear_devices=clear_devices,
            clear_extraneous_savers=clear_extraneous_savers,
            strip_default_attrs=strip_default_attrs,
        )
