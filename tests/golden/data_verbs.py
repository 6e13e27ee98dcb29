"""Expressions of datasets without files, and what TensorFlow yields for each.

python -m tests.golden.data_verbs --record    records them, for a Python that has TensorFlow
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from tests.golden import data_readers

FILE = Path(__file__).resolve().parent / "data_verbs.json"

EXPRESSIONS = r"""
r(5).take(3)
r(5).take(0)
r(5).take(-1)
r(5).take(9)
repr(r(5).take(3))
n(r(5).take(3), r(5).take(9), r(5).take(-1), r(5).repeat().take(3))
r(5).skip(3)
r(5).skip(-1)
r(5).skip(9)
repr(r(5).skip(3))
n(r(5).skip(3), r(5).skip(9), r(5).skip(-1), r(5).repeat().skip(3))
r(2).repeat(3)
r(2).repeat(0)
r(2).repeat().take(5)
r(2).repeat(-1).take(5)
r(0).repeat()
repr(r(2).repeat(3))
n(r(2).repeat(3), r(2).repeat(), r(0).repeat(), r(2).repeat(0))
r(3).concatenate(r(2))
r(3).concatenate(D.from_tensors(1.0))
r(3).batch(2).concatenate(r(4).batch(4)).element_spec
repr(r(3).concatenate(r(2)))
n(r(3).concatenate(r(2)), r(3).concatenate(r(2).repeat()))
r(5).filter(lambda x: x % 2 == 0)
repr(r(5).filter(lambda x: x > 1))
n(r(5).filter(lambda x: x > 1))
r(5).filter(lambda x: x)
D.zip((r(3), r(5))).filter(lambda x, y: x > 0)
r(3).flat_map(lambda x: D.from_tensors(x).repeat(x))
repr(r(3).flat_map(lambda x: D.from_tensors(x)))
n(r(3).flat_map(lambda x: D.from_tensors(x)))
r(4).interleave(lambda x: D.from_tensors(x).repeat(x + 1), cycle_length=2)
r(4).interleave(lambda x: D.from_tensors(x).repeat(x + 1), cycle_length=2, block_length=2)
r(4).interleave(lambda x: D.from_tensors(x).repeat(4 - x), cycle_length=3)
r(4).interleave(lambda x: D.from_tensors(x).repeat(3), cycle_length=3, num_parallel_calls=2)
r(5).interleave(lambda x: D.from_tensors(x).repeat(x + 1), cycle_length=3, block_length=2, num_parallel_calls=-1)
r(4).interleave(lambda x: D.from_tensors(x).repeat(2), cycle_length=1)
r(4).interleave(lambda x: D.from_tensors(x).repeat(2), cycle_length=0)
r(4).interleave(lambda x: D.from_tensors(x).repeat(2), block_length=0, cycle_length=1)
repr(r(3).interleave(lambda x: D.from_tensors(x), cycle_length=2))
repr(r(3).interleave(lambda x: D.from_tensors(x), cycle_length=2, num_parallel_calls=2))
D.zip((r(3), r(10, 15)))
D.zip(r(3), r(10, 15))
D.zip({'a': r(3), 'b': r(2)})
D.zip((r(3), (r(2), r(9))))
D.zip([r(3), r(2)])
D.zip()
D.zip((r(3), 5))
repr(D.zip((r(3), r(2))))
n(D.zip((r(3), r(5))), D.zip((r(3), r(5).repeat())))
r(3).enumerate()
r(3).enumerate(start=5)
repr(r(3).enumerate())
r(3).prefetch(2)
r(3).prefetch(0)
r(3).prefetch(-1)
r(3).prefetch(-3)
repr(r(3).prefetch(2))
r(10).shard(3, 0)
r(10).shard(3, 2)
r(10).shard(3, 3)
r(10).shard(0, 0)
n(r(10).shard(3, 0), r(10).shard(3, 2))
repr(r(3).shard(2, 0))
r(7).window(3).flat_map(lambda w: w.batch(3))
r(7).window(3, drop_remainder=True).flat_map(lambda w: w.batch(3))
r(7).window(3, shift=1).flat_map(lambda w: w.batch(3))
r(7).window(2, shift=3, stride=2).flat_map(lambda w: w.batch(3))
r(7).window(3, shift=1, stride=2, drop_remainder=True).flat_map(lambda w: w.batch(3))
D.zip((r(4), r(4))).window(2).flat_map(lambda a, b: D.zip((a.batch(2), b.batch(2))))
r(4).window(2).element_spec
n(r(7).window(3), r(7).window(3, drop_remainder=True), r(7).window(3, shift=1))
r(7).window(0)
repr(r(4).window(2))
r(7).batch(3)
r(7).batch(3, drop_remainder=True)
r(7).batch(3, num_parallel_calls=2)
r(7).batch(0)
repr(r(7).batch(3, num_parallel_calls=2))
r(7).batch(3).unbatch()
repr(r(7).batch(3).unbatch())
n(r(7).batch(3).unbatch(), r(7).batch(7, drop_remainder=True).unbatch())
r(3).unbatch()
r(7).batch(3).rebatch(2)
r(7).batch(3).rebatch(2, drop_remainder=True)
r(7).batch(3).rebatch([2, 1])
r(8).batch(4).rebatch(2).element_spec
rows().padded_batch(2)
rows().padded_batch(2, padded_shapes=[5])
rows().padded_batch(2, padded_shapes=[None], padding_values=tf.constant(-1, tf.int64))
rows().padded_batch(2, padded_shapes=[2])
rows().padded_batch(2, padding_values=7)
rows().padded_batch(2, padding_values='x')
rows().padded_batch(2, drop_remainder=True).element_spec
D.zip((rows(), rows())).padded_batch(3, padded_shapes=([None], [4]))
rows().map(lambda x: tf.strings.as_string(x)).padded_batch(2)
rows().padded_batch(2, padded_shapes=[None, None])
repr(rows().padded_batch(2))
rows().ragged_batch(2)
rows().ragged_batch(2).element_spec
rows().ragged_batch(3, drop_remainder=True)
rows().map(lambda x: x[:, None]).ragged_batch(2)
rows().map(lambda x: x[:, None]).ragged_batch(2).element_spec
rows().map(lambda x: tf.stack([x, x], 1)).ragged_batch(2, drop_remainder=True).element_spec
rows().map(lambda x: tf.stack([x, x])[:, :, None]).ragged_batch(3)
rows().map(lambda x: tf.stack([x, x])[:, :, None]).ragged_batch(3).element_spec
rows().map(lambda x: tf.zeros([x[0], 2, x[0], 3])).ragged_batch(2).element_spec
r(5).reduce(tf.constant(0, tf.int64), lambda s, x: s + x)
r(5).reduce((np.int64(0), 1.0), lambda s, x: (s[0] + x, s[1] * 2))
r(5).reduce(0, lambda s, x: s + tf.cast(x, tf.int32))
r(5).reduce(0, lambda s, x: s + x)
r(0).reduce(3, lambda s, x: s + 1)
r(5).scan(np.int64(0), lambda s, x: (s + x, s + x))
r(5).scan(np.int64(0), lambda s, x: (s + x, (x, s)))
r(5).scan(0, lambda s, x: s)
repr(r(5).scan(np.int64(0), lambda s, x: (s + x, s + x)))
r(9).take_while(lambda x: x < 4)
repr(r(9).take_while(lambda x: x < 4))
D.from_tensor_slices([1, 3, 1, 2, 3]).unique()
D.from_tensor_slices(['a', 'b', 'a']).unique()
D.from_tensor_slices([1.0, 2.0]).unique()
repr(r(3).unique())
r(8).group_by_window(lambda x: x % 2, lambda k, d: d.batch(3), window_size=3)
r(8).group_by_window(lambda x: x % 3, lambda k, d: d.batch(2).map(lambda y: (k, y)), window_size_func=lambda k: k + 1)
r(8).group_by_window(lambda x: x % 2, lambda k, d: d)
repr(r(8).group_by_window(lambda x: x % 2, lambda k, d: d.batch(3), window_size=3))
rows(9).bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3, 5], [2, 3, 1])
rows(9).bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3, 5, 9], [2, 3, 1, 1], pad_to_bucket_boundary=True)
rows(9).bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3, 5], [2, 3])
rows(9).bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3, 5], [2, 3, 1], drop_remainder=True)
D.from_generator(lambda: iter([1, 2, 3]), tf.int64)
D.from_generator(lambda: iter([1, 2, 3]), output_signature=tf.TensorSpec([], tf.int32))
D.from_generator(lambda k: iter(range(k)), output_types=tf.int64, args=(3,))
D.from_generator(lambda: ([i] * i for i in range(3)), tf.int32, tf.TensorShape([None]))
D.from_generator(lambda: iter([(1, 'a'), (2, 'b')]), (tf.int32, tf.string))
D.from_generator(lambda: iter([(1, 'a'), (2,)]), (tf.int32, tf.string))
D.from_generator(lambda: iter([1, 'b']), tf.int32)
D.from_generator(lambda: iter([[1, 2]]), tf.int32, tf.TensorShape([3]))
D.from_generator(lambda: iter([{'a': 1}]), output_signature={'a': tf.TensorSpec([], tf.int32)})
D.from_generator(lambda: iter([tf.ragged.constant([[1], [2, 3]])]), output_signature=tf.RaggedTensorSpec([2, None], tf.int32))
D.from_generator([1, 2, 3], tf.int32)
D.from_generator(lambda: iter([1]))
repr(D.from_generator(lambda: iter([1, 2, 3]), tf.int64))
n(D.from_generator(lambda: iter([1, 2, 3]), tf.int64))
D.counter().take(3)
D.counter(start=2, step=5, dtype=tf.int32).take(3)
repr(D.counter())
D.choose_from_datasets([r(3), r(10, 13)], D.from_tensor_slices(np.array([0, 1, 1, 0])))
D.choose_from_datasets([r(3), r(10, 11)], D.from_tensor_slices(np.array([0, 1, 1, 0])))
D.choose_from_datasets([r(3), r(10, 11)], D.from_tensor_slices(np.array([0, 1, 1, 0])), stop_on_empty_dataset=False)
D.choose_from_datasets([r(3)], D.from_tensor_slices(np.array([0, 5])))
D.choose_from_datasets([], D.from_tensor_slices(np.array([0, 5])))
D.choose_from_datasets([r(3), r(2)], D.from_tensor_slices([0.5]))
D.sample_from_datasets([r(3), r(2)], weights=[0.5])
D.sample_from_datasets([], weights=[])
D.sample_from_datasets([r(3), D.from_tensors('a')])
repr(D.sample_from_datasets([r(3), r(2)]))
r(5).map(lambda x: 1 // (x - 2))
D.from_tensor_slices([1., 0., 4.]).map(lambda x: tf.debugging.check_numerics(1. / x, 'bad')).ignore_errors()
D.from_tensor_slices([1., 0., 4.]).map(lambda x: tf.debugging.check_numerics(1. / x, 'bad'))
repr(r(5).ignore_errors())
r(1).get_single_element()
r(2).get_single_element()
r(0).get_single_element()
list(r(3).as_numpy_iterator())
list(D.from_tensor_slices({'a': [1, 2], 'b': ['x', 'y']}).as_numpy_iterator())
r(3).cache()
repr(r(3).cache())
r(3).map(lambda x: x + 1, num_parallel_calls=2)
r(3).map(lambda x: x + 1, num_parallel_calls=-1, deterministic=False)
repr(r(3).map(lambda x: x + 1, num_parallel_calls=2))
r(3).apply(lambda d: d.map(lambda x: x * 2))
r(3).apply(lambda d: 3)
bool(r(0))
len(r(3))
len(r(3).repeat())
len(r(3).filter(lambda x: True))
r(3).options().deterministic
r(3).with_options(options()).options().deterministic
repr(r(3).with_options(options()))
r(3).with_options(5)
E.cardinality(r(3))
r(3).apply(E.assert_cardinality(3))
r(3).apply(E.assert_cardinality(4))
n(r(3).filter(lambda x: True).apply(E.assert_cardinality(3)))
r(3).apply(E.enumerate_dataset(4))
r(6).batch(2).apply(E.unbatch())
D.from_tensor_slices([1, 1, 2]).apply(E.unique())
r(5).apply(E.take_while_ds(lambda x: x < 2)) if False else r(5).apply(E.take_while(lambda x: x < 2))
r(5).apply(E.scan(np.int64(0), lambda s, x: (s + x, s + x)))
r(8).apply(E.group_by_window(lambda x: x % 2, lambda k, d: d.batch(3), 3))
r(4).apply(E.map_and_batch(lambda x: x * 2, 3))
r(4).apply(E.parallel_interleave(lambda x: D.from_tensors(x).repeat(x + 1), cycle_length=2))
r(4).apply(E.ignore_errors())
r(4).apply(E.prefetch_to_device('/cpu:0'))
r(4).apply(E.copy_to_device('/cpu:0'))
rows().apply(E.dense_to_ragged_batch(2))
D.from_tensor_slices([[1, 0], [0, 2]]).apply(E.dense_to_sparse_batch(2, [4]))
rows(9).apply(E.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3, 5], [2, 3, 1]))
E.choose_from_datasets([r(3), r(10, 13)], D.from_tensor_slices(np.array([0, 1])))
E.Counter(3).take(2)
E.get_single_element(r(1))
E.get_structure(r(3))
E.from_list([1, 2, 3])
E.from_list([(1, 'a'), (2, 'b')])
E.from_list([])
r(10).apply(E.index_table_from_dataset) if False else E.at(r(10), 3)
E.at(r(3), 5)
D.from_tensor_slices(np.arange(3)).shuffle(3, seed=1).cache()
r(3).shuffle(0)
r(3).shuffle(-1)
r(3).map(lambda x: (x, {'a': x}))
r(3).map(5)
r(2).map(lambda x: tf.ragged.constant([[1], []]))
r(2).map(lambda x: tf.sparse.from_dense([[1, 0]]))
r(4).map(lambda x: tf.sparse.from_dense([x, 0])).batch(2)
D.from_tensors(tf.range(4)).unbatch()
D.range(5, 1, -2)
D.range(3, output_type=tf.float32)
D.range(0)
D.range()
D.range(1, 2, 3, 4)
D.from_tensor_slices(([1, 2], [3, 4, 5]))
D.from_tensor_slices(5)
D.from_tensor_slices({'a': [1, 2], 'b': [[3], [4]]})
D.from_tensors({'a': [1, 2], 'b': 'x'})
D.from_tensors([1, 2]).element_spec
""".strip().split("\n")


def names(tf: Any, folder: str) -> dict[str, Any]:
    """The names that expressions use."""

    def rows(count: int = 5) -> Any:
        return tf.data.Dataset.range(1, count).map(lambda x: tf.fill([x], x))

    def options() -> Any:
        result = tf.data.Options()
        result.deterministic = False
        return result

    return {
        "tf": tf,
        "np": np,
        "F": folder,
        "D": tf.data.Dataset,
        "E": tf.data.experimental,
        "r": tf.data.Dataset.range,
        "n": lambda *datasets: tuple(int(d.cardinality()) for d in datasets),
        "rows": rows,
        "options": options,
    }


def recorded() -> dict[str, Any]:
    return json.loads(FILE.read_text())


if __name__ == "__main__" and "--record" in sys.argv:
    data_readers.record(FILE, EXPRESSIONS, names)
