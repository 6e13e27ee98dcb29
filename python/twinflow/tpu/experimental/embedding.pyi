# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.wings.tpu.configs import FeatureConfig as FeatureConfig
from twinflow._src.wings.tpu.configs import QuantizationConfig as QuantizationConfig
from twinflow._src.wings.tpu.configs import RowIdInitializer as RowIdInitializer
from twinflow._src.wings.tpu.configs import SparseCoreEmbeddingConfig as SparseCoreEmbeddingConfig
from twinflow._src.wings.tpu.configs import TableConfig as TableConfig
from twinflow._src.wings.tpu.embeddings import TPUEmbedding as TPUEmbedding
from twinflow._src.wings.tpu.embeddings import TPUEmbeddingForServing as TPUEmbeddingForServing
from twinflow._src.wings.tpu.embeddings import TPUEmbeddingV0 as TPUEmbeddingV0
from twinflow._src.wings.tpu.embeddings import TPUEmbeddingV2 as TPUEmbeddingV2
from twinflow._src.wings.tpu.optimizers import FTRL as FTRL
from twinflow._src.wings.tpu.optimizers import SGD as SGD
from twinflow._src.wings.tpu.optimizers import Adagrad as Adagrad
from twinflow._src.wings.tpu.optimizers import AdagradMomentum as AdagradMomentum
from twinflow._src.wings.tpu.optimizers import Adam as Adam

def serving_embedding_lookup(inputs: Any, weights: Any, tables: Any, feature_config: Any) -> Any:
    """Looks up embeddings on CPUs and GPUs by the configurations of features."""
