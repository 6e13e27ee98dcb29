"""Candidate samplers, and accidental hits among their samples."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np

from twinflow._src.core import dtypes
from twinflow._src.core.errors import invalid
from twinflow._src.dispatch.op import Kind, OpFunction, export, named, op
from twinflow._src.random import categorical
from twinflow._src.random.seeds import seeds

# Ops.


_Classes = Annotated[Any, Kind("true_classes", only=dtypes.int64)]
_WORDS = 2048  # words of the random stream reserved per candidate


def _reserved(kernel: tuple[Any, ...], seed: int, seed2: int, count: int) -> categorical.Words:
    return categorical.Words(seeds.reserve(kernel, (seed, seed2), -(-_WORDS * count // 4)))


def _check(true_classes: Any, num_true: int, limit: int, num_sampled: int, unique: bool) -> None:
    """Raises InvalidArgumentError if the target classes or the number of samples are invalid."""
    if true_classes.ndim != 2:
        raise invalid("true_classes must be a matrix")
    if true_classes.shape[1] != num_true:
        raise invalid(
            "true_classes must have num_true columns, expected: "
            f"{true_classes.shape[1]} was: {num_true}"
        )
    if unique and num_sampled > limit:
        raise invalid("Sampler's range is too small.")
    for value in true_classes.ravel().tolist():
        if not 0 <= value < limit:
            raise invalid(f"`true_candidate` out of range [0, {limit}), received {value}")


def _sampled(
    source: Any, words: Any, true_classes: Any, num_sampled: int, unique: bool
) -> list[Any]:
    """Returns sampled classes, and the expected counts of target and sampled classes."""
    classes, draws = categorical.draw_classes(words, source, num_sampled, unique)
    values = np.array(classes, np.int64)
    counts = [
        categorical.expected(source.probability, v, num_sampled, draws)
        for v in (true_classes, values)
    ]
    return [values, *counts]


_OPTIONS: dict[str, Any] = {
    "shape": lambda true_classes, num_sampled, **_: [(num_sampled,), true_classes, (num_sampled,)],
    "impure": True,
    "no_gradient": True,
    "devices": ("CPU",),
}


def _define(type: str, name: str, distribution: Any, what: str) -> OpFunction:
    """Defines the op that samples from a distribution over a number of classes."""

    def kernel(
        xp: Any,
        true_classes: _Classes,
        *,
        num_true: int,
        num_sampled: int,
        unique: bool,
        range_max: int,
        seed: int = 0,
        seed2: int = 0,
    ) -> list[Any]:
        _check(true_classes, num_true, range_max, num_sampled, unique)
        key = type, num_true, num_sampled, unique, range_max
        words = _reserved(key, seed, seed2, num_sampled)
        make = lambda: distribution(range_max)
        learns = distribution is categorical.Learned
        kept = learns and (seed or seed2)
        source = seeds.state_of(key, (seed, seed2), make) if kept else make()
        sample = _sampled(source, words, true_classes, num_sampled, unique)
        if learns:
            source.learn(true_classes)
        return sample

    return op(type, **_OPTIONS)(named(kernel, name, f"Samples {what}."))


uniform = _define(
    "UniformCandidateSampler",
    "uniform",
    categorical.Uniform,
    "classes from a uniform distribution",
)
log_uniform = _define(
    "LogUniformCandidateSampler",
    "log_uniform",
    categorical.LogUniform,
    "classes from a log-uniform (Zipfian) distribution",
)
learned_unigram = _define(
    "LearnedUnigramCandidateSampler",
    "learned_unigram",
    categorical.Learned,
    "classes by the frequency of target classes in earlier calls with the same seeds",
)


@op("FixedUnigramCandidateSampler", **_OPTIONS)
def fixed_unigram(
    xp: Any,
    true_classes: _Classes,
    *,
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
    seed: int = 0,
    seed2: int = 0,
) -> list[Any]:
    """Samples classes from a fixed unigram distribution, given by weights."""
    listed = _weights_of_file(vocab_file) if vocab_file else list(unigrams)
    if not listed:
        raise invalid("Must provide either vocab_file or unigrams.")
    kept = [w for i, w in enumerate(listed, num_reserved_ids) if i % num_shards == shard]
    weights = [0.0] * num_reserved_ids + [
        float(np.float32(w) ** np.float32(distortion)) for w in kept
    ]
    if len(weights) != range_max:
        raise invalid(f"range is {range_max} must be equal to weights size {len(weights)}")
    _check(true_classes, num_true, range_max, num_sampled, unique)
    kernel = "FixedUnigramCandidateSampler", num_true, num_sampled, unique, tuple(weights)
    words = _reserved(kernel, seed, seed2, num_sampled)
    source = categorical.Fixed(np.array(weights, np.float32))
    return _sampled(source, words, true_classes, num_sampled, unique)


def _weights_of_file(path: str) -> list[float]:
    with open(os.fspath(path), encoding="utf-8") as file:
        return [float(line.rstrip("\n").rpartition(",")[2]) for line in file]


@op("AllCandidateSampler", **_OPTIONS)
def every(
    xp: Any,
    true_classes: _Classes,
    *,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int = 0,
    seed2: int = 0,
) -> list[Any]:
    """Returns all classes as candidates."""
    _check(true_classes, num_true, num_sampled, num_sampled, unique)
    once = [np.ones(shape, np.float32) for shape in (true_classes.shape, (num_sampled,))]
    return [np.arange(num_sampled, dtype=np.int64), *once]


# Public functions.


class _Candidates(NamedTuple):
    sampled_candidates: Any
    true_expected_count: Any
    sampled_expected_count: Any


class UniformCandidateSampler(_Candidates):
    """Result of ``tf.random.uniform_candidate_sampler``: samples and expected counts."""


class LogUniformCandidateSampler(_Candidates):
    """Result of ``tf.random.log_uniform_candidate_sampler``: samples and expected counts."""


class LearnedUnigramCandidateSampler(_Candidates):
    """Result of ``tf.random.learned_unigram_candidate_sampler``: samples and expected counts."""


class FixedUnigramCandidateSampler(_Candidates):
    """Result of ``tf.random.fixed_unigram_candidate_sampler``: samples and expected counts."""


class AllCandidateSampler(_Candidates):
    """Result of ``tf.random.all_candidate_sampler``: all classes and expected counts."""


def _seeded(seed: Any) -> dict[str, int]:
    return dict(zip(("seed", "seed2"), seeds.of_op(seed), strict=True))


_FUNCTION_DOC = """Samples {what}.

    Args:
        true_classes: The target classes, int64, of shape [batch_size, num_true].
        num_true: The number of target classes per example.
        num_sampled: The number of classes to sample.
        unique: If True, samples without replacement.
        range_max: The number of classes.
        seed: A seed.
        name: A name for the operation.

    Returns:
        A named tuple ``sampled_candidates``, ``true_expected_count`` and
        ``sampled_expected_count``: the sampled classes and the expected counts.

    Raises:
        InvalidArgumentError: ``num_sampled`` exceeds the number of classes, or the target classes
            are invalid.
    """


def _export(sampler: OpFunction, results: Any, what: str, *names: str) -> Callable[..., Any]:
    """Defines the public function of a sampler, which returns a named tuple."""

    def function(
        true_classes: Any,
        num_true: int,
        num_sampled: int,
        unique: bool,
        range_max: int,
        seed: int | None = None,
        name: str | None = None,
    ) -> Any:
        options = {"num_true": num_true, "num_sampled": num_sampled, "unique": unique}
        return results(*sampler(true_classes, **options, range_max=range_max, **_seeded(seed)))

    leaf = names[0].rpartition(".")[2]
    return export(*names)(named(function, leaf, _FUNCTION_DOC.format(what=what)))


uniform_candidate_sampler = _export(
    uniform,
    UniformCandidateSampler,
    "candidate classes from a uniform distribution",
    "random.uniform_candidate_sampler",
)
log_uniform_candidate_sampler = _export(
    log_uniform,
    LogUniformCandidateSampler,
    "candidate classes from a log-uniform (Zipfian) distribution",
    "random.log_uniform_candidate_sampler",
)
learned_unigram_candidate_sampler = _export(
    learned_unigram,
    LearnedUnigramCandidateSampler,
    "classes by the frequency of target classes in earlier calls with the same seeds",
    "random.learned_unigram_candidate_sampler",
    "nn.learned_unigram_candidate_sampler",
)


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
    """Samples candidate classes from a fixed unigram distribution, given by weights.

    Args:
        true_classes: The target classes, int64, of shape [batch_size, num_true].
        num_true: The number of target classes per example.
        num_sampled: The number of classes to sample.
        unique: If True, samples without replacement.
        range_max: The number of classes.
        vocab_file: A CSV file whose last column holds the weights.
        distortion: The exponent applied to the weights.
        num_reserved_ids: The number of leading class ids that are never sampled.
        num_shards: The number of shards of the class range.
        shard: The index of the shard to sample from.
        unigrams: The weights, instead of a file.
        seed: A seed.

    Returns:
        A named tuple ``sampled_candidates``, ``true_expected_count`` and
        ``sampled_expected_count``: the sampled classes and the expected counts.

    Raises:
        InvalidArgumentError: The number of weights differs from the number of classes, or is 0.
    """
    sample = fixed_unigram(
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
    return FixedUnigramCandidateSampler(*sample)


@export("random.all_candidate_sampler", "nn.all_candidate_sampler")
def all_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Returns all classes as candidates.

    Args:
        true_classes: The target classes, int64, of shape [batch_size, num_true].
        num_true: The number of target classes per example.
        num_sampled: The number of classes.
        unique: Accepted and without effect.
        seed: Accepted and without effect.

    Returns:
        A named tuple ``sampled_candidates``, ``true_expected_count`` and
        ``sampled_expected_count``: all classes, and the expected counts, 1 each.
    """
    options = {"num_true": num_true, "num_sampled": num_sampled, "unique": unique}
    return AllCandidateSampler(*every(true_classes, **options, **_seeded(seed)))


# Accidental hits.


class ComputeAccidentalHits(NamedTuple):
    """Result of ``tf.nn.compute_accidental_hits``: example indices, candidate ids and weights."""

    indices: Any
    ids: Any
    weights: Any


@op(
    "ComputeAccidentalHits",
    shape=lambda *_, **__: [(None,), (None,), (None,)],
    no_gradient=True,
    devices=("CPU",),
)
def _accidental_hits(
    xp: Any,
    true_classes: _Classes,
    sampled_candidates: _Classes,
    *,
    num_true: int,
    seed: int = 0,
    seed2: int = 0,
) -> list[Any]:
    """Computes the positions of sampled candidates that are target classes (accidental hits)."""
    if true_classes.ndim != 2 or true_classes.shape[1] != num_true:
        raise invalid("true_candidates must be a batch_size * num_true matrix")
    last = {int(c): i for i, c in enumerate(sampled_candidates)}
    hits = [
        (row, last[c])
        for row, classes in enumerate(true_classes.tolist())
        for c in classes
        if c in last
    ]
    indices = np.array(hits, np.int64).reshape(-1, 2)
    lowest = np.full(len(hits), np.finfo(np.float32).min)
    return [indices[:, 0].astype(np.int32), indices[:, 1].copy(), lowest.astype(np.float32)]


@export("nn.compute_accidental_hits")
def compute_accidental_hits(
    true_classes: Any,
    sampled_candidates: Any,
    num_true: int,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Computes the positions of sampled candidates that are target classes (accidental hits).

    Args:
        true_classes: The target classes, of shape [batch_size, num_true].
        sampled_candidates: The sampled classes.
        num_true: The number of target classes per example.
        seed: Accepted and without effect.

    Returns:
        A named tuple: ``indices``, the example of each hit; ``ids``, the index of its candidate;
        and ``weights``, the lowest float32 for each.

    Raises:
        InvalidArgumentError: The target classes are not a matrix with ``num_true`` columns.
    """
    return ComputeAccidentalHits(
        *_accidental_hits(true_classes, sampled_candidates, num_true=num_true)
    )
