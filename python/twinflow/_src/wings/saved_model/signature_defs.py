"""``tf.compat.v1.saved_model``: messages of signatures and tensors, and their checks."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from twinflow._src.composite_tensors.component_specs import composite_spec
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.core import nest
from twinflow._src.core.dtypes import as_dtype, float32, string
from twinflow._src.core.errors import NotFoundError
from twinflow._src.core.protos import message, needed, shape_proto
from twinflow._src.dispatch.docstrings import documented_like
from twinflow._src.graph.default_graph import executing_eagerly, get_default_graph
from twinflow._src.graph_serialization.tensor_proto import make_tensor_proto
from twinflow._src.io.local_files import path_text
from twinflow._src.io.local_files import write as write_file
from twinflow._src.trackable.trackable import Trackable
from twinflow._src.variables.variable_def import within_scope
from twinflow._src.wings.saved_model import constants
from twinflow._src.wings.saved_model.files import model_files, read_saved_model
from twinflow._src.wings.saved_model.structures import decode, encode

# ------------------------------------------------------------------ tensors


def build_tensor_info(tensor: Any) -> Any:
    """Returns the message of a tensor of a graph.

    Args:
        tensor: A dense, sparse or ragged tensor, or another composite tensor.

    Returns:
        A ``TensorInfo`` message with name, dtype and shape.

    Raises:
        RuntimeError: Eager execution is enabled.
    """
    if executing_eagerly():
        raise RuntimeError("`build_tensor_info` is not supported in eager execution.")
    proto = message("TensorInfo")()
    if isinstance(tensor, SparseTensor):
        _set_sparse(proto, tensor)
        return proto
    spec = composite_spec(tensor)
    if spec is not None:
        proto.composite_tensor.type_spec.CopyFrom(encode(spec).type_spec_value)
        for part in nest.flatten(tensor, expand_composites=True):
            proto.composite_tensor.components.add().CopyFrom(build_tensor_info(part))
        return proto
    proto.name = ""
    proto.dtype = as_dtype(tensor.dtype).base_dtype.as_datatype_enum
    proto.tensor_shape.CopyFrom(shape_proto(tensor.shape._dims))
    proto.name = tensor.name
    return proto


def _set_sparse(proto: Any, tensor: Any) -> None:
    proto.dtype = tensor.dtype.as_datatype_enum
    proto.tensor_shape.CopyFrom(shape_proto(tensor.shape._dims))
    proto.coo_sparse.values_tensor_name = tensor.values.name
    proto.coo_sparse.indices_tensor_name = tensor.indices.name
    proto.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name


def get_tensor_from_tensor_info(
    tensor_info: Any, graph: Any = None, import_scope: str | None = None
) -> Any:
    """Returns the tensor that a message describes.

    Args:
        tensor_info: A ``TensorInfo`` message.
        graph: The graph; the default graph where None.
        import_scope: The name scope under which the graph was imported, or None.

    Returns:
        A tensor, a sparse tensor, or another composite tensor.

    Raises:
        KeyError: The graph does not have the tensor.
        ValueError: The message is incomplete.
    """
    graph = graph or get_default_graph()
    kind = tensor_info.WhichOneof("encoding")
    if kind == "name":
        return _element(graph, tensor_info.name, import_scope)
    if kind == "coo_sparse":
        names = tensor_info.coo_sparse
        parts = (names.indices_tensor_name, names.values_tensor_name, names.dense_shape_tensor_name)
        return SparseTensor(*(_element(graph, name, import_scope) for name in parts))
    if kind == "composite_tensor":
        structure = message("StructuredValue")()
        structure.type_spec_value.CopyFrom(tensor_info.composite_tensor.type_spec)
        parts = tensor_info.composite_tensor.components
        tensors = [get_tensor_from_tensor_info(part, graph, import_scope) for part in parts]
        return decode(structure)._from_components(tensors)
    raise ValueError(f"Invalid TensorInfo.encoding: {kind}. Expected `coo_sparse`, `name`.")


def _element(graph: Any, name: str, scope: str | None) -> Any:
    return graph.as_graph_element(within_scope(name, scope))


# ------------------------------------------------------------------ signatures


def build_signature_def(
    inputs: Mapping[str, Any] | None = None,
    outputs: Mapping[str, Any] | None = None,
    method_name: str | None = None,
    defaults: Mapping[str, Any] | None = None,
) -> Any:
    """Returns the message of a signature.

    Args:
        inputs: The ``TensorInfo`` messages of the inputs by name, or None.
        outputs: Those of the outputs, or None.
        method_name: The name of the method, such as ``PREDICT_METHOD_NAME``, or None.
        defaults: Default values of inputs by name, or None.

    Returns:
        A ``SignatureDef`` message.
    """
    proto = message("SignatureDef")()
    for field, infos in ((proto.inputs, inputs), (proto.outputs, outputs)):
        for name, info in (infos or {}).items():
            field[name].CopyFrom(info)
    if method_name is not None:
        proto.method_name = method_name
    for name, value in (defaults or {}).items():
        is_message = hasattr(value, "tensor_shape")
        proto.defaults[name].CopyFrom(value if is_message else make_tensor_proto(value))
    return proto


def regression_signature_def(examples: Any, predictions: Any) -> Any:
    """Returns the signature of a regression.

    Args:
        examples: A string tensor of serialized examples.
        predictions: A float32 tensor.

    Returns:
        A ``SignatureDef`` message.

    Raises:
        ValueError: An argument is None, or a tensor has another dtype.
    """
    if examples is None:
        raise ValueError("Regression `examples` cannot be None.")
    if predictions is None:
        raise ValueError("Regression `predictions` cannot be None.")
    source, result = build_tensor_info(examples), build_tensor_info(predictions)
    if source.dtype != string.as_datatype_enum:
        raise ValueError(
            f"Regression input tensors must be of type string. Found tensors with type {source.dtype}."
        )
    if result.dtype != float32.as_datatype_enum:
        raise ValueError(
            f"Regression output tensors must be of type float. Found tensors with type {result.dtype}."
        )
    return build_signature_def(
        {constants.REGRESS_INPUTS: source},
        {constants.REGRESS_OUTPUTS: result},
        constants.REGRESS_METHOD_NAME,
    )


@documented_like(regression_signature_def)
def classification_signature_def(examples: Any, classes: Any, scores: Any) -> Any:
    """Returns the signature of a classification.

    Args:
        classes: A string tensor of classes, or None.
        scores: A float32 tensor of scores, or None.

    Raises:
        ValueError: An argument is None that is required, or a tensor has another dtype.
    """
    if examples is None:
        raise ValueError("Classification `examples` cannot be None.")
    if not hasattr(examples, "dtype"):
        raise ValueError(
            f"Classification `examples` must be a string Tensor. Found `examples` of type {type(examples)}."
        )
    if classes is None and scores is None:
        raise ValueError("Classification `classes` and `scores` cannot both be None.")
    source, outputs = build_tensor_info(examples), {}
    if source.dtype != string.as_datatype_enum:
        raise ValueError(
            f"Classification input tensors must be of type string. Found tensors of type {source.dtype}"
        )
    for key, value, dtype, kind in (
        (constants.CLASSIFY_OUTPUT_CLASSES, classes, string, "string"),
        (constants.CLASSIFY_OUTPUT_SCORES, scores, float32, "float"),
    ):
        if value is None:
            continue
        outputs[key] = build_tensor_info(value)
        if outputs[key].dtype != dtype.as_datatype_enum:
            raise ValueError(
                f"Classification {key} must be of type {kind} Tensor. Found tensors of type {outputs[key].dtype}"
            )
    return build_signature_def(
        {constants.CLASSIFY_INPUTS: source}, outputs, constants.CLASSIFY_METHOD_NAME
    )


def predict_signature_def(inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> Any:
    """Returns the signature of a prediction.

    Args:
        inputs: Tensors by name.
        outputs: Tensors by name.

    Returns:
        A ``SignatureDef`` message.

    Raises:
        ValueError: There are no inputs or no outputs.
    """
    if not inputs:
        raise ValueError("Prediction `inputs` cannot be None or empty.")
    if not outputs:
        raise ValueError("Prediction `outputs` cannot be None or empty.")
    return build_signature_def(
        {name: build_tensor_info(tensor) for name, tensor in inputs.items()},
        {name: build_tensor_info(tensor) for name, tensor in outputs.items()},
        constants.PREDICT_METHOD_NAME,
    )


def is_valid_signature(signature_def: Any) -> bool:
    """Returns True if a signature is that of a classification, a regression or a prediction.

    Args:
        signature_def: A ``SignatureDef`` message, or None.
    """
    if signature_def is None:
        return False
    return (
        _is_classification(signature_def)
        or _is_regression(signature_def)
        or (
            signature_def.method_name == constants.PREDICT_METHOD_NAME
            and bool(signature_def.inputs)
            and bool(signature_def.outputs)
        )
    )


def _is_classification(proto: Any) -> bool:
    allowed = {
        constants.CLASSIFY_OUTPUT_CLASSES: string,
        constants.CLASSIFY_OUTPUT_SCORES: float32,
    }
    return (
        proto.method_name == constants.CLASSIFY_METHOD_NAME
        and set(proto.inputs) == {constants.CLASSIFY_INPUTS}
        and proto.inputs[constants.CLASSIFY_INPUTS].dtype == string.as_datatype_enum
        and bool(proto.outputs)
        and all(
            key in allowed and info.dtype == allowed[key].as_datatype_enum
            for key, info in proto.outputs.items()
        )
    )


def _is_regression(proto: Any) -> bool:
    return (
        proto.method_name == constants.REGRESS_METHOD_NAME
        and set(proto.inputs) == {constants.REGRESS_INPUTS}
        and proto.inputs[constants.REGRESS_INPUTS].dtype == string.as_datatype_enum
        and set(proto.outputs) == {constants.REGRESS_OUTPUTS}
        and proto.outputs[constants.REGRESS_OUTPUTS].dtype == float32.as_datatype_enum
    )


class MethodNameUpdater:
    """Changes the method names of signatures of a SavedModel.

    Args:
        export_dir: The directory of the SavedModel.

    Raises:
        OSError: There is no SavedModel.
    """

    def __init__(self, export_dir: Any) -> None:
        self._export_dir = path_text(export_dir)
        self._saved_model = read_saved_model(self._export_dir)

    def replace_method_name(self, signature_key: str, method_name: str, tags: Any = None) -> None:
        """Sets the method name of a signature.

        Args:
            signature_key: The name of the signature.
            method_name: The new method name.
            tags: The tags of the meta graph, a string or several; all meta graphs where None.

        Raises:
            ValueError: An argument is empty, or there is no such meta graph or signature.
        """
        if not signature_key:
            raise ValueError("`signature_key` must be defined.")
        if not method_name:
            raise ValueError("`method_name` must be defined.")
        if tags is not None and not isinstance(tags, (list, tuple, set)):
            tags = [tags]
        graphs = [
            graph
            for graph in self._saved_model.meta_graphs
            if tags is None or set(tags) == set(graph.meta_info_def.tags)
        ]
        if not graphs:
            raise ValueError(
                f"MetaGraphDef associated with tags {tags} could not be found in SavedModel. This means either you "
                "specified invalid tags or your SavedModel does not have a MetaGraphDef with the specified tags."
            )
        for graph in graphs:
            if signature_key not in graph.signature_def:
                raise ValueError(
                    f"MetaGraphDef associated with tags {tags} does not have a signature_def with key: "
                    f"'{signature_key}'. This means either you specified the wrong signature key or forgot to put the "
                    "signature_def with the corresponding key in your SavedModel."
                )
            graph.signature_def[signature_key].method_name = method_name

    def save(self, new_export_dir: Any = None) -> None:
        """Writes the file of the SavedModel.

        Args:
            new_export_dir: The directory; that which was read where None.

        Raises:
            NotFoundError: The directory does not exist.
        """
        folder = self._export_dir if new_export_dir is None else path_text(new_export_dir)
        binary, text = model_files(folder)
        is_text = not os.path.isfile(model_files(self._export_dir)[0])
        if not os.path.isdir(folder):
            raise NotFoundError(
                None, None, f"{text if is_text else binary}; No such file or directory"
            )
        write_saved_model(self._saved_model, folder, is_text)


def write_saved_model(proto: Any, folder: str, as_text: bool) -> str:
    """Writes a message ``SavedModel`` to a directory; returns the path of the file."""
    binary, text = model_files(folder)
    if not as_text:
        write_file(binary, proto.SerializeToString(deterministic=True))
        return binary
    text_format = needed("google.protobuf.text_format", "protobuf")
    write_file(text, text_format.MessageToString(proto).encode())
    return text


# ------------------------------------------------------------------ signatures


class SignatureMap(Mapping[str, Any], Trackable):
    """The signatures of a SavedModel: concrete functions by name."""

    def __init__(self) -> None:
        self._signatures: dict[str, Any] = {}

    def add(self, name: str, function: Any) -> None:
        """Adds a signature."""
        self._signatures[name] = function

    def __getitem__(self, key: str) -> Any:
        return self._signatures[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._signatures)

    def __len__(self) -> int:
        return len(self._signatures)

    def __repr__(self) -> str:
        return f"_SignatureMap({self._signatures})"
