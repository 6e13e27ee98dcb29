# Computed from the op table by tools/make_stubs.py.

from twinflow._src.wings.saved_model.options import LoadOptions as LoadOptions
from twinflow._src.wings.saved_model.options import SaveOptions as SaveOptions
from twinflow._src.wings.saved_model.resources import Asset as Asset
from twinflow.compat.v1 import TensorInfo as TensorInfo
from twinflow.compat.v1.saved_model import experimental as experimental
from twinflow.saved_model import contains_saved_model as contains_saved_model
from twinflow.saved_model import load as load
from twinflow.saved_model import save as save

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
