"""Public names that are bound when they are first asked for."""

import functools
import pickle
from pathlib import Path

import pytest

import twinflow as tf
from tests.harness import in_new_python
from twinflow._src.api.lazy_modules import NAMES

SYMBOLS = Path(__file__).parents[3] / "docs" / "symbols.txt"


@pytest.mark.parametrize("name", NAMES)
def test_late_names_lead_somewhere(name):
    assert NAMES[name]() is not None


@pytest.mark.parametrize("path, name", [("compat.v1", "Session"), ("experimental.numpy", "sqrt")])
def test_namespaces_list_their_names_before_one_was_asked_for(path, name):
    assert in_new_python(f"import twinflow as tf; print({name!r} in dir(tf.{path}))") == "True"


def test_threads_may_ask_at_once():
    asked = """
        import concurrent.futures, twinflow as tf
        def session(_):
            return tf.compat.v1.Session
        with concurrent.futures.ThreadPoolExecutor(8) as threads:
            print(len(set(threads.map(session, range(8)))))
    """
    assert in_new_python(asked) == "1"


def test_what_is_not_there_is_told_as_of_any_module():
    import twinflow as tf

    for module in (tf.compat.v1, tf.experimental.numpy):
        with pytest.raises(
            AttributeError, match=f"module '{module.__name__}' has no attribute 'nonsense'"
        ):
            module.nonsense


def test_what_lists_itself_is_tensorflows():
    import twinflow as tf

    public = {line.split()[0] for line in SYMBOLS.read_text("utf-8").splitlines()}
    spaces = {name.partition(".")[0] for name in public}
    assert {name for name in dir(tf) if not name.startswith("_")} <= spaces
    assert set(tf.__all__) <= spaces
    for path in ("autodiff", "dtypes", "errors", "nest"):
        listed = {name.split(".")[1] for name in public if name.startswith(f"{path}.")}
        assert set(dir(getattr(tf, path))) == listed


@pytest.mark.parametrize(
    "name", ["add", "add_n", "argmax", "linalg.svd", "math.reduce_std", "nn.relu", "strings.join"]
)
def test_functions_are_pickled_by_their_public_names(name):
    function = functools.reduce(getattr, name.split("."), tf)
    assert pickle.loads(pickle.dumps(function)) is function
