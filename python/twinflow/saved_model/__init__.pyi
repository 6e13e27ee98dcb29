# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.wings.saved_model.assets import Asset as Asset
from twinflow._src.wings.saved_model.options import LoadOptions as LoadOptions
from twinflow._src.wings.saved_model.options import SaveOptions as SaveOptions
from twinflow.saved_model import experimental as experimental

ASSETS_DIRECTORY: str
ASSETS_KEY: str
CLASSIFY_INPUTS: str
CLASSIFY_METHOD_NAME: str
CLASSIFY_OUTPUT_CLASSES: str
CLASSIFY_OUTPUT_SCORES: str
DEBUG_DIRECTORY: str
DEBUG_INFO_FILENAME_PB: str
DEFAULT_SERVING_SIGNATURE_DEF_KEY: str
GPU: str
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

def contains_saved_model(export_dir: Any) -> bool:
    """Returns True if a directory has the files of a SavedModel."""

def load(export_dir: Any, tags: Any = None, options: Any = None) -> Any:
    """Loads a SavedModel."""

def save(obj: Any, export_dir: Any, signatures: Any = None, options: Any = None) -> None:
    """Saves an object with its variables and functions as a SavedModel."""
