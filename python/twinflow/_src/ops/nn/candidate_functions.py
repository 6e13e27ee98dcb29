"""Samplers of candidate classes as ``tf.random`` names them."""

from __future__ import annotations

from typing import Any, NamedTuple

from twinflow._src.dispatch.op import export
from twinflow._src.ops.nn.candidates import (
    every,
    fixed_unigram,
    learned_unigram,
    log_uniform,
    uniform,
)
from twinflow._src.random.seeds import seeds


class _Candidates(NamedTuple):
    sampled_candidates: Any
    true_expected_count: Any
    sampled_expected_count: Any


class UniformCandidateSampler(_Candidates):
    """What ``tf.random.uniform_candidate_sampler`` gives."""


class LogUniformCandidateSampler(_Candidates):
    """What ``tf.random.log_uniform_candidate_sampler`` gives."""


class LearnedUnigramCandidateSampler(_Candidates):
    """What ``tf.random.learned_unigram_candidate_sampler`` gives."""


class FixedUnigramCandidateSampler(_Candidates):
    """What ``tf.random.fixed_unigram_candidate_sampler`` gives."""


class AllCandidateSampler(_Candidates):
    """What ``tf.random.all_candidate_sampler`` gives."""


def _seeded(seed: Any) -> dict[str, int]:
    return dict(zip(("seed", "seed2"), seeds.of_op(seed), strict=True))


@export("random.uniform_candidate_sampler")
def uniform_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Returns classes to compare true ones with, of which all are alike.

    Args:
        true_classes: The true classes, int64, a row for each example.
        num_true: How many each example has.
        num_sampled: How many classes to draw.
        unique: Whether no class may come twice.
        range_max: The number of classes.
        seed: A seed.
        name: A name for the operation.

    Returns:
        A named tuple: ``sampled_candidates``, and how often the true classes and these are expected,
        ``true_expected_count`` and ``sampled_expected_count``.

    Raises:
        InvalidArgumentError: There are not so many classes, or the true ones are no such matrix.
    """
    options = {"num_true": num_true, "num_sampled": num_sampled, "unique": unique}
    found = uniform(true_classes, **options, range_max=range_max, **_seeded(seed))
    return UniformCandidateSampler(*found)


@export("random.log_uniform_candidate_sampler")
def log_uniform_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Returns classes to compare true ones with, the first ones more often, about as words.

    Args:
        true_classes: The true classes, int64, a row for each example.
        num_true: How many each example has.
        num_sampled: How many classes to draw.
        unique: Whether no class may come twice.
        range_max: The number of classes.
        seed: A seed.
        name: A name for the operation.

    Returns:
        A named tuple: ``sampled_candidates``, and how often the true classes and these are expected,
        ``true_expected_count`` and ``sampled_expected_count``.

    Raises:
        InvalidArgumentError: There are not so many classes, or the true ones are no such matrix.
    """
    options = {"num_true": num_true, "num_sampled": num_sampled, "unique": unique}
    found = log_uniform(true_classes, **options, range_max=range_max, **_seeded(seed))
    return LogUniformCandidateSampler(*found)


@export("random.learned_unigram_candidate_sampler", "nn.learned_unigram_candidate_sampler")
def learned_unigram_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Returns classes by how often they were true in earlier calls with the same seeds.

    Args:
        true_classes: The true classes, int64, a row for each example.
        num_true: How many each example has.
        num_sampled: How many classes to draw.
        unique: Whether no class may come twice.
        range_max: The number of classes.
        seed: A seed.
        name: A name for the operation.

    Returns:
        A named tuple: ``sampled_candidates``, and how often the true classes and these are expected,
        ``true_expected_count`` and ``sampled_expected_count``.

    Raises:
        InvalidArgumentError: There are not so many classes, or the true ones are no such matrix.
    """
    options = {"num_true": num_true, "num_sampled": num_sampled, "unique": unique}
    found = learned_unigram(true_classes, **options, range_max=range_max, **_seeded(seed))
    return LearnedUnigramCandidateSampler(*found)


@export("random.fixed_unigram_candidate_sampler", "nn.fixed_unigram_candidate_sampler")
def fixed_unigram_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Any = (),
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Returns classes to compare true ones with, by given weights.

    Args:
        true_classes: The true classes, int64, a row for each example.
        num_true: How many each example has.
        num_sampled: How many classes to draw.
        unique: Whether no class may come twice.
        range_max: The number of classes.
        vocab_file: A file with a weight at the end of each line, after a comma.
        distortion: The power that weights are raised to.
        num_reserved_ids: How many first classes are never drawn.
        num_shards: How many parts the classes are divided among.
        shard: Which of these parts is drawn from.
        unigrams: The weights, in place of a file.
        seed: A seed.
        name: A name for the operation.

    Returns:
        A named tuple: ``sampled_candidates``, and how often the true classes and these are expected,
        ``true_expected_count`` and ``sampled_expected_count``.

    Raises:
        InvalidArgumentError: There are not as many weights as classes, or none.
    """
    found = fixed_unigram(
        true_classes,
        num_true=num_true,
        num_sampled=num_sampled,
        unique=unique,
        range_max=range_max,
        vocab_file=vocab_file,
        distortion=distortion,
        num_reserved_ids=num_reserved_ids,
        num_shards=num_shards,
        shard=shard,
        unigrams=list(unigrams),
        **_seeded(seed),
    )
    return FixedUnigramCandidateSampler(*found)


@export("random.all_candidate_sampler", "nn.all_candidate_sampler")
def all_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Returns all classes.

    Args:
        true_classes: The true classes, int64, a row for each example.
        num_true: How many each example has.
        num_sampled: The number of classes.
        unique: Accepted and without effect.
        seed: Accepted and without effect.
        name: A name for the operation.

    Returns:
        A named tuple: ``sampled_candidates``, and how often the true classes and these are expected,
        ``true_expected_count`` and ``sampled_expected_count``: once each.
    """
    options = {"num_true": num_true, "num_sampled": num_sampled, "unique": unique}
    return AllCandidateSampler(*every(true_classes, **options, **_seeded(seed)))
