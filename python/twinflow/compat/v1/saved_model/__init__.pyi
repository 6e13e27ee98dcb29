# Computed from the op table by tools/make_stubs.py.

from collections.abc import Iterable, Mapping
from typing import Any

from twinflow._src.wings.saved_model.assets import Asset as Asset
from twinflow._src.wings.saved_model.options import LoadOptions as LoadOptions
from twinflow._src.wings.saved_model.options import SaveOptions as SaveOptions
from twinflow._src.wings.saved_model.v1_builder import SavedModelBuilder as _Builder
from twinflow.compat.v1 import TensorInfo as TensorInfo
from twinflow.compat.v1.saved_model import experimental as experimental
from twinflow.saved_model import contains_saved_model as contains_saved_model
from twinflow.saved_model import load as _load_v2
from twinflow.saved_model import save as save

ASSETS_DIRECTORY: str
ASSETS_KEY: str
Builder = _Builder
CLASSIFY_INPUTS: str
CLASSIFY_METHOD_NAME: str
CLASSIFY_OUTPUT_CLASSES: str
CLASSIFY_OUTPUT_SCORES: str
DEBUG_DIRECTORY: str
DEBUG_INFO_FILENAME_PB: str
DEFAULT_SERVING_SIGNATURE_DEF_KEY: str
GPU: str
LEGACY_INIT_OP_KEY: str
MAIN_OP_KEY: str
PREDICT_INPUTS: str
PREDICT_METHOD_NAME: str
PREDICT_OUTPUTS: str
REGRESS_INPUTS: str
REGRESS_METHOD_NAME: str
REGRESS_OUTPUTS: str
SAVED_MODEL_FILENAME_PB: str
SAVED_MODEL_FILENAME_PBTXT: str
SAVED_MODEL_SCHEMA_VERSION: int
SERVING: str
TPU: str
TRAINING: str
VARIABLES_DIRECTORY: str
VARIABLES_FILENAME: str
load_v2 = _load_v2

def build_signature_def(
    inputs: Mapping[str, Any] | None = None,
    outputs: Mapping[str, Any] | None = None,
    method_name: str | None = None,
    defaults: Mapping[str, Any] | None = None,
) -> Any:
    """Returns the message of a signature."""

def build_tensor_info(tensor: Any) -> Any:
    """Returns the message of a tensor of a graph."""

def classification_signature_def(examples: Any, classes: Any, scores: Any) -> Any:
    """Returns the signature of a classification."""

def get_tensor_from_tensor_info(
    tensor_info: Any, graph: Any = None, import_scope: str | None = None
) -> Any:
    """Returns the tensor that a message describes."""

def is_valid_signature(signature_def: Any) -> bool:
    """Returns True if a signature is that of a classification, a regression or a prediction."""

def load(
    sess: Any,
    tags: Iterable[str],
    export_dir: Any,
    import_scope: str | None = None,
    **saver_kwargs: Any,
) -> Any:
    """Loads a SavedModel in a session: the graph, the values of variables and tables."""

def main_op_with_restore(restore_op_name: Any) -> Any:
    """Adds an operation that runs ``main_op``, and then another one."""

def maybe_saved_model_directory(export_dir: Any) -> bool:
    """Returns True if a directory has the files of a SavedModel."""

def predict_signature_def(inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> Any:
    """Returns the signature of a prediction."""

def regression_signature_def(examples: Any, predictions: Any) -> Any:
    """Returns the signature of a regression."""

def simple_save(
    session: Any,
    export_dir: Any,
    inputs: Mapping[str, Any],
    outputs: Mapping[str, Any],
    legacy_init_op: Any = None,
) -> None:
    """Writes a SavedModel of the graph of a session, with one signature for serving."""
