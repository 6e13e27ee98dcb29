"""``tf.compat.v1.saved_model.load``: SavedModels in sessions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from twinflow._src.checkpoint.functions import checkpoint_exists
from twinflow._src.core.protos import message
from twinflow._src.core.scopes import get_logger
from twinflow._src.graph_serialization.meta_graphs import import_meta_graph
from twinflow._src.io.local_files import path_text
from twinflow._src.variables.variable_def import within_scope
from twinflow._src.wings.saved_model import constants
from twinflow._src.wings.saved_model.files import (
    asset_path,
    contains_saved_model,
    read_saved_model,
    variables_prefix,
)


def maybe_saved_model_directory(export_dir: Any) -> bool:
    """Returns True if a directory has the files of a SavedModel.

    Args:
        export_dir: The directory.
    """
    return contains_saved_model(export_dir)


def load(
    sess: Any,
    tags: Iterable[str],
    export_dir: Any,
    import_scope: str | None = None,
    **saver_kwargs: Any,
) -> Any:
    """Loads a SavedModel in a session: the graph, the values of variables and tables.

    Args:
        sess: The session; operations are added to its graph.
        tags: The tags of the meta graph.
        export_dir: The directory.
        import_scope: A name scope for the operations, or None.
        **saver_kwargs: Arguments of ``tf.compat.v1.train.import_meta_graph``.

    Returns:
        The ``MetaGraphDef`` message.

    Raises:
        OSError: There is no SavedModel, or it cannot be parsed.
        RuntimeError: No meta graph has these tags.
    """
    path = path_text(export_dir)
    proto = meta_graph_of(read_saved_model(path), tags)
    with sess.graph.as_default():
        saver = import_meta_graph(proto, import_scope=import_scope, **saver_kwargs)
        _restore_variables(sess, saver, path)
        name = init_op_name(proto)
        if name is not None:
            feeds = {
                within_scope(tensor, import_scope): file for tensor, file in assets(proto, path)
            }
            graph = sess.graph
            sess.run(graph.as_graph_element(within_scope(name, import_scope)), feeds)
    return proto


def _restore_variables(sess: Any, saver: Any, path: str) -> None:
    prefix = variables_prefix(path)
    if not checkpoint_exists(prefix):
        get_logger().info(
            "The specified SavedModel has no variables; no checkpoints were restored."
        )
    elif saver is None:
        raise ValueError(
            "No variables to save or restore. The SavedModel has a checkpoint, but no saver."
        )
    else:
        saver.restore(sess, prefix)


# ------------------------------------------------------------------ parts of messages


def meta_graph_of(saved_model: Any, tags: Any) -> Any:
    """Returns the meta graph with certain tags.

    Raises:
        RuntimeError: There is none.
    """
    requested = {tags} if isinstance(tags, str) else set(tags)
    for proto in saved_model.meta_graphs:
        if set(proto.meta_info_def.tags) == requested:
            return proto
    available = [set(proto.meta_info_def.tags) for proto in saved_model.meta_graphs]
    raise RuntimeError(
        f"MetaGraphDef associated with tags {str(list(tags)).strip('[]')} could not be found in SavedModel, with "
        f"available tags '{available}'. To inspect available tag-sets in the SavedModel, please use the SavedModel CLI: "
        "`saved_model_cli`."
    )


def assets(proto: Any, path: str) -> list[tuple[str, str]]:
    """Returns the tensors for the paths of files, with these paths."""
    files = list(proto.asset_file_def)
    if not files and constants.ASSETS_KEY in proto.collection_def:
        packed = proto.collection_def[constants.ASSETS_KEY].any_list.value
        files = [message("AssetFileDef").FromString(each.value) for each in packed]
    return [(file.tensor_info.name, asset_path(path, file.filename)) for file in files]


def init_op_name(proto: Any) -> str | None:
    """Returns the name of the operation to run when a graph is loaded, or None.

    Raises:
        RuntimeError: There are several.
    """
    signature = proto.signature_def.get(constants.INIT_OP_SIGNATURE_KEY)
    if signature is not None:
        return str(signature.outputs[constants.INIT_OP_SIGNATURE_KEY].name)
    for key in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY):
        if key not in proto.collection_def:
            continue
        names = list(proto.collection_def[key].node_list.value)
        if len(names) > 1:
            raise RuntimeError(
                f"Expected exactly one SavedModel init op. Found {len(names)}: {names}."
            )
        if names:
            return str(names[0])
    return None
