"""Random orders of datasets, bit for bit those of TensorFlow."""

import itertools

import numpy as np
import pytest

import twinflow as tf
from tests.golden import data_orders
from twinflow._src.wings.data.shuffle_order import (
    Categories,
    SeedGenerator,
    ShuffleBuffer,
    Words,
    seed_pair,
)

RECORDED = data_orders.recorded()


def shuffled(generator, n=10, size=4, epochs=1):
    return list(ShuffleBuffer(lambda: iter(range(n)), size, generator, epochs))


def test_elements_are_drawn_in_tensorflows_order():
    for size, seed, order in RECORDED["shuffle"]:
        assert shuffled(SeedGenerator(seed_pair(seed), False), size=size) == order, (size, seed)
    order = shuffled(SeedGenerator(seed_pair(1), False), 1000, 300)
    assert order == RECORDED["shuffle/large"]


@pytest.mark.parametrize(
    ("name", "n", "size", "epochs"),
    [
        ("shuffle_and_repeat", 10, 4, 3),
        ("shuffle_and_repeat/14", 10, 14, 3),
        ("shuffle_and_repeat/50", 3, 50, 7),
    ],
)
def test_epochs_follow_each_other_in_the_buffer(name, n, size, epochs):
    generator = SeedGenerator(seed_pair(7), False)
    assert [shuffled(generator, n, size, epochs) for _ in range(2)] == RECORDED[name]


def test_iterations_have_seeds_of_their_own_or_the_same():
    again, fixed = (SeedGenerator(seed_pair(7), is_fixed) for is_fixed in (False, True))
    assert [shuffled(again) for _ in range(4)] == RECORDED["shuffle/iterations"]
    assert [shuffled(fixed) for _ in range(2)] == RECORDED["shuffle/fixed"]


def test_global_seeds_are_drawn_for_each_dataset():
    tf.random.set_seed(5)
    orders = [shuffled(SeedGenerator(seed_pair(s), False)) for s in (None, None, 3, 3)]
    assert orders == RECORDED["global/seeds"]
    tf.random.set_seed(0)
    assert shuffled(SeedGenerator(seed_pair(0), False)) == RECORDED["global/0"][0]


def test_without_seeds_orders_differ():
    orders = {tuple(shuffled(SeedGenerator(seed_pair(None), False), 50, 50)) for _ in range(4)}
    assert len(orders) == 4
    fixed = SeedGenerator(seed_pair(None), True)
    assert shuffled(fixed, 50, 50) == shuffled(fixed, 50, 50)


def test_an_endless_shuffle_of_nothing_ends():
    assert shuffled(SeedGenerator((1, 2), False), n=0, epochs=-1) == []
    endless = ShuffleBuffer(lambda: iter(range(3)), 50, SeedGenerator(seed_pair(7), False), -1)
    assert list(itertools.islice(endless, 20)) == RECORDED["repeat/forever"][0]


def test_the_buffer_reads_no_more_than_it_holds():
    read = []
    buffer = ShuffleBuffer(
        lambda: (read.append(i) or i for i in range(100)), 8, SeedGenerator((1, 2), False)
    )
    for _ in range(3):
        next(buffer)
    assert len(read) == 10


def test_words_continue_at_any_position():
    order = [word.next() for word in [Words((3, 9))] for _ in range(3000)]
    for position in (0, 1, 3, 4, 31, 32, 1023, 2999):
        assert Words((3, 9), position).next() == order[position]
    generator = SeedGenerator((3, 9), False)
    generator.next()
    other = SeedGenerator((0, 0), False)
    other.state = generator.state
    assert other.next() == generator.next()


def test_sampled_categories_are_those_of_the_stateless_op():
    logits = np.float32([-0.7, -1.6, -np.inf, -1.2])
    expected = [
        int(tf.random.stateless_categorical(logits[None], 1, seed=[i, 7])[0, 0]) for i in range(50)
    ]
    categories = Categories(logits)
    assert [categories.sample((i, 7)) for i in range(50)] == expected
    assert 2 not in expected
