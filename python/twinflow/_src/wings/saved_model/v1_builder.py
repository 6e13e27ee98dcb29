"""``tf.compat.v1.saved_model``: SavedModels of graphs and sessions, written."""

from __future__ import annotations

import filecmp
import os
import shutil
from collections.abc import Iterable, Mapping
from typing import Any

from twinflow._src.compat_v1.saver.graph import all_saveable
from twinflow._src.compat_v1.saver.saver import Saver
from twinflow._src.core.context import entered, thread
from twinflow._src.core.protos import message
from twinflow._src.core.scopes import get_logger
from twinflow._src.dispatch.op import API
from twinflow._src.graph.default_graph import get_default_graph
from twinflow._src.graph.static_values import array_of
from twinflow._src.graph.symbolic import Operation, SymbolicTensor
from twinflow._src.graph_serialization.meta_graphs import export_meta_graph
from twinflow._src.io.local_files import local, path_text
from twinflow._src.variables import v1_collections as collections
from twinflow._src.wings.saved_model import constants
from twinflow._src.wings.saved_model.signature_defs import predict_signature_def, write_saved_model

_RESERVED = {
    constants.INIT_OP_SIGNATURE_KEY: "reserved for initialization",
    constants.TRAIN_OP_SIGNATURE_KEY: "reserved for the train op",
}
_TYPE_URL = "type.googleapis.com/tensorflow.AssetFileDef"


class SavedModelBuilder:
    """Writes a SavedModel of graphs, with the variables of a session.

    Args:
        export_dir: The directory, which is created; it must not exist, or be empty.

    Raises:
        AssertionError: The directory has files.
    """

    def __init__(self, export_dir: Any) -> None:
        self._saved_model = message("SavedModel")()
        self._saved_model.saved_model_schema_version = constants.SAVED_MODEL_SCHEMA_VERSION
        self._export_dir = path_text(export_dir)
        folder = local(self._export_dir)
        if os.path.exists(folder) and os.listdir(folder):
            raise AssertionError(
                f"Export directory {self._export_dir} already exists, and isn't empty. Please choose a different export "
                "directory, or delete all the contents of the specified directory."
            )
        os.makedirs(folder, exist_ok=True)
        self._has_saved_variables = False

    def add_meta_graph_and_variables(
        self,
        sess: Any,
        tags: Iterable[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Any = None,
        legacy_init_op: Any = None,
        clear_devices: bool = False,
        main_op: Any = None,
        strip_default_attrs: bool = False,
        saver: Any = None,
    ) -> None:
        """Adds the graph of a session, and writes the values of its variables.

        Args:
            sess: The session.
            tags: The tags of the graph.
            signature_def_map: ``SignatureDef`` messages by name, or None.
            assets_collection: String tensors with the paths of files to copy, or None.
            legacy_init_op: The older name of ``main_op``.
            clear_devices: Whether to omit the devices of operations.
            main_op: The operation to run when the graph is loaded, or None.
            strip_default_attrs: Whether to omit attributes with default values.
            saver: A ``tf.compat.v1.train.Saver``; one for all variables where None.

        Raises:
            AssertionError: Variables have been written already, or a signature is incomplete.
            KeyError: The name of a signature is reserved.
            TypeError: The operation is none.
            ValueError: The graph has such an operation already.
        """
        if self._has_saved_variables:
            raise AssertionError(
                "Graph state including variables and assets has already been saved. Please invoke `add_meta_graph()` "
                "instead."
            )
        self._check_signatures(signature_def_map)
        assets = self._copied_assets(assets_collection)
        self._add_collections(assets, main_op, legacy_init_op)
        folder = os.path.join(self._export_dir, constants.VARIABLES_DIRECTORY)
        os.makedirs(local(folder), exist_ok=True)
        saver = saver or _saver()
        path = os.path.join(folder, constants.VARIABLES_FILENAME)
        saver.save(sess, path, write_meta_graph=False, write_state=False)
        self._add(saver, tags, signature_def_map, clear_devices, strip_default_attrs)
        self._has_saved_variables = True

    def add_meta_graph(
        self,
        tags: Iterable[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Any = None,
        legacy_init_op: Any = None,
        clear_devices: bool = False,
        main_op: Any = None,
        strip_default_attrs: bool = False,
        saver: Any = None,
    ) -> None:
        """Adds the default graph, which shares the variables that have been written.

        Args:
            tags: The tags of the graph.
            signature_def_map: ``SignatureDef`` messages by name, or None.
            assets_collection: String tensors with the paths of files to copy, or None.
            legacy_init_op: The older name of ``main_op``.
            clear_devices: Whether to omit the devices of operations.
            main_op: The operation to run when the graph is loaded, or None.
            strip_default_attrs: Whether to omit attributes with default values.
            saver: A ``tf.compat.v1.train.Saver``; one for all variables where None.

        Raises:
            AssertionError: No variables have been written, or a signature is incomplete.
            KeyError: The name of a signature is reserved.
            TypeError: The operation is none.
            ValueError: The graph has such an operation already.
        """
        if not self._has_saved_variables:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. Please invoke "
                "`add_meta_graph_and_variables()` first."
            )
        self._check_signatures(signature_def_map)
        self._add_collections(self._copied_assets(assets_collection), main_op, legacy_init_op)
        self._add(saver or _saver(), tags, signature_def_map, clear_devices, strip_default_attrs)

    def save(
        self,
        as_text: bool = False,
        experimental_image_format: bool = False,
        experimental_image_writer_options: Any = None,
    ) -> bytes:
        """Writes the file of the SavedModel.

        Args:
            as_text: Whether to write text format.
            experimental_image_format: Accepted and without effect: there is one file format.
            experimental_image_writer_options: Accepted and without effect.

        Returns:
            The path of the file.
        """
        os.makedirs(local(self._export_dir), exist_ok=True)
        path = write_saved_model(self._saved_model, self._export_dir, as_text)
        get_logger().info("SavedModel written to: %s", path)
        return path.encode()

    # ---------------------------------------------------------------- checks
    def _check_signatures(self, signatures: Mapping[str, Any] | None) -> None:
        for key, signature in (signatures or {}).items():
            for info in (*signature.inputs.values(), *signature.outputs.values()):
                _check_info(info)
            if key in _RESERVED:
                raise KeyError(
                    f'SignatureDef map key "{key}" is {_RESERVED[key]}. Please use a different key.'
                )

    # ---------------------------------------------------------------- assets
    def _copied_assets(self, tensors: Any) -> list[Any]:
        """Copies files; returns their ``AssetFileDef`` messages."""
        protos: list[Any] = []
        sources: dict[str, str] = {}
        for tensor in tensors or ():
            source = _path_of(tensor)
            name = _file_name(source, sources)
            sources[name] = source
            proto = message("AssetFileDef")(filename=name)
            proto.tensor_info.name = tensor.name
            protos.append(proto)
        folder = os.path.join(self._export_dir, constants.ASSETS_DIRECTORY)
        if sources:
            os.makedirs(local(folder), exist_ok=True)
        for name, source in sources.items():
            shutil.copyfile(local(source), os.path.join(local(folder), name))
        return protos

    # ---------------------------------------------------------------- the graph
    def _add_collections(self, assets: list[Any], main_op: Any, legacy_init_op: Any) -> None:
        graph, key = get_default_graph(), constants.MAIN_OP_KEY
        for proto in assets:
            packed = message("Any")(type_url=_TYPE_URL, value=proto.SerializeToString())
            graph.add_to_collection(constants.ASSETS_KEY, packed)
        if main_op is None and legacy_init_op is not None:
            main_op, key = legacy_init_op, constants.LEGACY_INIT_OP_KEY
        if main_op is None:
            return
        if not isinstance(main_op, Operation):
            raise TypeError(
                f"Expected {main_op} to be an Operation but got type {type(main_op)} instead."
            )
        for each in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY):
            if graph.get_collection(each):
                raise ValueError(
                    f"Graph already contains one or more main ops under the collection {each}."
                )
        graph.add_to_collection(key, main_op)

    def _add(
        self,
        saver: Any,
        tags: Iterable[str],
        signatures: Mapping[str, Any] | None,
        clear_devices: bool,
        strip_default_attrs: bool,
    ) -> None:
        proto = export_meta_graph(
            saver_def=saver.saver_def,
            clear_devices=clear_devices,
            strip_default_attrs=strip_default_attrs,
        )
        proto.meta_info_def.tags.extend(tags)
        for key, signature in (signatures or {}).items():
            proto.signature_def[key].MergeFromString(signature.SerializeToString())
        self._saved_model.meta_graphs.append(proto)


def _saver() -> Any:
    return Saver(all_saveable(), sharded=True, allow_empty=True)


def _check_info(info: Any) -> None:
    """Raises AssertionError where the message of a tensor lacks its dtype or its name."""
    kind = info.WhichOneof("encoding")
    if kind == "composite_tensor":
        for part in info.composite_tensor.components:
            _check_info(part)
        return
    if kind is None:
        raise AssertionError(
            f"Invalid `tensor_info`: {info}. All TensorInfo protos used in the SignatureDefs must have one of the "
            "'encoding' fields (e.g., name or coo_sparse) set."
        )
    if not info.dtype:
        raise AssertionError(
            f"Invalid `tensor_info`: {info}. All TensorInfo protos used in the SignatureDefs must have the dtype field set."
        )


def _path_of(tensor: Any) -> str:
    """Returns the path in a constant of a graph."""
    if not isinstance(tensor, SymbolicTensor):
        raise ValueError(f"Asset filepath tensor {tensor} in is invalid.")
    if tensor.op.type != "Const" or tensor.dtype.name != "string":
        raise TypeError(f"Asset path tensor {tensor} must be a constant string tensor.")
    path: str = os.fsdecode(array_of(tensor).item())
    if not path:
        raise ValueError(f"Asset filepath tensor {tensor} in is invalid.")
    return path


def _file_name(source: str, taken: Mapping[str, str]) -> str:
    """Returns the name of the copy of a file; another one than those of files with other contents."""
    base = name = os.path.basename(source)
    count = 0
    while name in taken and not filecmp.cmp(local(source), local(taken[name]), shallow=False):
        count += 1
        name = f"{base}_{count}"
    return name


def simple_save(
    session: Any,
    export_dir: Any,
    inputs: Mapping[str, Any],
    outputs: Mapping[str, Any],
    legacy_init_op: Any = None,
) -> None:
    """Writes a SavedModel of the graph of a session, with one signature for serving.

    Args:
        session: The session.
        export_dir: The directory, which is created.
        inputs: The tensors that are fed, by name.
        outputs: The tensors that are fetched, by name.
        legacy_init_op: The operation to run when the graph is loaded, or None.
    """
    graph: Any = session.graph
    with entered(thread.scope.but(graph=graph)):
        builder = SavedModelBuilder(export_dir)
        signature = predict_signature_def(inputs, outputs)
        builder.add_meta_graph_and_variables(
            session,
            tags=[constants.SERVING],
            signature_def_map={constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
            assets_collection=graph.get_collection("asset_filepaths"),
            main_op=legacy_init_op,
            clear_devices=True,
        )
        builder.save()


def main_op() -> Any:
    """Adds an operation that initializes global and local variables, and tables.

    Returns:
        The operation.
    """
    init, local_init = (
        collections.global_variables_initializer(),
        collections.local_variables_initializer(),
    )
    return API["group"](init, local_init, collections.tables_initializer())


def main_op_with_restore(restore_op_name: Any) -> Any:
    """Adds an operation that runs ``main_op``, and then another one.

    Args:
        restore_op_name: The operation or tensor to compute after the initialization.

    Returns:
        The operation.
    """
    with get_default_graph().control_dependencies([main_op()]):
        return API["group"](restore_op_name)
