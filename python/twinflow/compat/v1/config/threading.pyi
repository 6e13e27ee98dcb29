# Computed from the op table by tools/make_stubs.py.

from twinflow.config.threading import (
    get_inter_op_parallelism_threads as get_inter_op_parallelism_threads,
)
from twinflow.config.threading import (
    get_intra_op_parallelism_threads as get_intra_op_parallelism_threads,
)
from twinflow.config.threading import (
    set_inter_op_parallelism_threads as set_inter_op_parallelism_threads,
)
from twinflow.config.threading import (
    set_intra_op_parallelism_threads as set_intra_op_parallelism_threads,
)
