"""``MultiWorkerMirroredStrategy``: two workers answer as TensorFlow's do."""

import json
import sys

import pytest

from tests.golden import multi_worker
from tests.unit.wings import cluster_tasks

pytest.importorskip("zmq", reason="clusters need the package pyzmq")

RECORDED = json.loads(multi_worker.FILE.read_text())


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Returns the answers of both workers."""
    keys = {"TWINFLOW_CLUSTER_KEYS": str(tmp_path_factory.mktemp("keys"))}
    return multi_worker.answers_of(sys.executable, "twinflow", {**cluster_tasks.OUTSIDE, **keys})


@pytest.mark.parametrize("line", multi_worker.questions())
def test_answers(line, answers):
    found = [answers[rank][line] for rank in range(2)]
    if line in multi_worker.DIFFERENT:
        assert found != RECORDED[line], "this is no difference any more"
    else:
        assert found == RECORDED[line]
