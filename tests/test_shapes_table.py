"""Static shapes and dtypes of results: every shape rule with every sample."""

import numpy as np
import pytest

from tests import samples
from tests.test_ops import outputs, ran
from twinflow._src.core.dtypes import as_dtype
from twinflow._src.core.shapes import UNKNOWN, TensorShape, unknown
from twinflow._src.dispatch.op import OPS
from twinflow._src.graph.signatures import output_types, result_types

# Sizes that depend on values which rules do not see, and why.
VALUES = {
    type: why
    for why, types in {
        "how many elements are distinct": "Unique UniqueV2 UniqueWithCounts UniqueWithCountsV2",
        "how many rows are distinct": "SparseSegmentMeanGradV2 SparseSegmentSqrtNGradV2 SparseSegmentSumGradV2",
        "how many elements differ": "ListDiff",
        "how many elements are true": "Where",
        "how many rows go into each part": "DynamicPartition",
        "the largest index of a segment": "SegmentSum SegmentProd SegmentMax SegmentMin SegmentMean "
        "SparseSegmentSum SparseSegmentMean SparseSegmentSqrtN",
        "how many dimensions are broadcast": "BroadcastGradientArgs",
        "how long the strings are": "DecodeRaw DecodeWav",
        "how many files there are": "MatchingFiles",
        "how many boxes do not overlap": "NonMaxSuppression NonMaxSuppressionV2 NonMaxSuppressionV3 "
        "NonMaxSuppressionV4 NonMaxSuppressionV5 NonMaxSuppressionWithOverlaps",
        "what is in a file": "RestoreV2 DecodeAndCropJpeg DecodeBmp DecodeGif DecodeImage DecodeJpeg DecodePng DecodeWebP",
        "how long the rows are": "RaggedRange RaggedTensorToTensor CTCBeamSearchDecoder CTCGreedyDecoder",
        "how many candidates are true classes": "ComputeAccidentalHits",
        "how many rows are empty": "RaggedFillEmptyRows",
        "what is in the strings": "DeserializeManySparse",
        "how many elements of sets there are": "DenseToDenseSetOperation DenseToSparseSetOperation "
        "SparseToSparseSetOperation",
        "how many elements occur": "DenseCountSparseOutput SparseCountSparseOutput "
        "RaggedCountSparseOutput",
        "how many places have a value": "SparseAdd SparseSparseMaximum SparseSparseMinimum "
        "SparseSplit SparseSlice SparseFillEmptyRows SparseReduceSumSparse SparseReduceMaxSparse",
    }.items()
    for type in types.split()
}
# Ops of which not even the ranks of results are known before they run, and why.
RANKS = {"ParseTensor": "the tensor is in the string"}

# Ops that have a function of their own for what is known of their results are not asked here.
RULED = {type for type, op in OPS.items() if op.infer is None}
EVERY = [type for type in samples.SAMPLES if type in RULED]


# ------------------------------------------------------------------ what a rule is given


def each(function, kind, value):
    """Applies a function to what a parameter gets: to each array where it takes several."""
    if isinstance(value, list):
        return tuple(function(kind, item) for item in value)
    return None if value is None else function(kind, np.asarray(value))


def exact(kind, array):
    """All that can be known."""
    array = np.asarray(array)
    return array if kind.host else array.shape


def sizes_unknown(kind, array):
    """The rank alone, or the shape of a value."""
    array = np.asarray(array)
    return unknown_elements(array) if kind.host else (None,) * array.ndim


def unknown_elements(array):
    if not array.ndim or (array.ndim > 1 and not array.size):  # a list cannot tell this shape
        return UNKNOWN
    return [None if array.ndim == 1 else unknown_elements(row) for row in array]


def nothing(kind, array):
    """Nothing at all."""
    return UNKNOWN if kind.host else None


def parts_unknown(kind, value):
    """The ways in which one thing about an input may be unknown."""
    if isinstance(value, list):
        for i, item in enumerate(value):
            for part in parts_unknown(kind, item):
                known = [exact(kind, v) for v in value]
                yield (*known[:i], part, *known[i + 1 :])
    elif value is not None:
        array = np.asarray(value)
        yield nothing(kind, array)
        yield sizes_unknown(kind, array)
        dims = array.tolist() if kind.host and array.ndim == 1 else () if kind.host else array.shape
        for i in range(len(dims)):
            part = [*dims[:i], None, *dims[i + 1 :]]
            yield part if kind.host else tuple(part)


def all_inputs(function, kinds, values):
    """Applies a function to what each parameter gets."""
    return [each(function, kind, value) for kind, value in zip(kinds, values, strict=True)]


def ways(kinds, values):
    """Returns what a rule may be given where something is unknown."""
    known, ranks, none = (all_inputs(f, kinds, values) for f in (exact, sizes_unknown, nothing))
    yield ranks
    yield none
    for unknown_values in (ranks, none):
        yield [u if k.host else e for k, u, e in zip(kinds, unknown_values, known, strict=True)]
        yield [e if k.host else u for k, u, e in zip(kinds, unknown_values, known, strict=True)]
    for i, (kind, value) in enumerate(zip(kinds, values, strict=True)):
        for part in parts_unknown(kind, value):
            yield [*known[:i], part, *known[i + 1 :]]


def call(op, sample):
    """The values of all tensor parameters of a call, and its attributes."""
    values, attrs = op.bind(tuple(sample.inputs), dict(sample.attrs))
    return values, attrs


def apart(rule, given, attrs):
    """The shapes that a rule gives, as a list; None where not even their number is known."""
    shape = rule(*given, **attrs)
    return shape if isinstance(shape, list) else [shape]


# ------------------------------------------------------------------ shapes


@pytest.mark.parametrize("type", EVERY)
def test_rule_knows_the_shape(type):
    """Given all sizes and values a rule gives the result's shape, but for sizes that depend on values."""
    op = OPS[type]
    for sample in samples.SAMPLES[type]:
        values, attrs = call(op, sample)
        found = apart(op.shape, all_inputs(exact, op.kinds, values), attrs)
        expected = [t.shape.as_list() for t in outputs(ran(op, sample)[0])]
        if type not in VALUES and type not in RANKS:
            assert [None if s is None else list(s) for s in found] == expected, sample
        assert_compatible(found, expected, sample)


@pytest.mark.parametrize("type", EVERY)
def test_rule_takes_what_is_unknown(type):
    """Shape rules raise nothing where inputs are unknown, and agree with the result."""
    op, seen = OPS[type], set()
    for sample in samples.SAMPLES[type]:
        values, attrs = call(op, sample)
        signature = repr((all_inputs(exact, op.kinds, values), attrs))
        if signature in seen:
            continue
        seen.add(signature)
        expected = [t.shape.as_list() for t in outputs(ran(op, sample)[0])]
        for given in ways(op.kinds, values):
            assert_compatible(apart(op.shape, given, attrs), expected, (sample, given))


def assert_compatible(found, expected, what):
    if found == [None]:  # not even the number of results is known
        return
    assert len(found) == len(expected), what
    for shape, other in zip(found, expected, strict=True):
        assert TensorShape.of(shape).is_compatible_with(other), what


def test_all_ops_have_a_rule():
    assert {type for type in RULED if OPS[type].shape is unknown} == RANKS.keys()


# ------------------------------------------------------------------ types


@pytest.mark.parametrize("type", EVERY)
def test_types_are_known(type):
    """The types of results follow from the recorded definition."""
    op = OPS[type]
    for sample in samples.SAMPLES[type]:
        values, attrs = call(op, sample)
        types = [type_of(kind, value) for kind, value in zip(op.kinds, values, strict=True)]
        results = [t.dtype for t in outputs(ran(op, sample)[0])]
        assert result_types(op, output_types(op, types, attrs), len(results)) == results, sample


def type_of(kind, value):
    if isinstance(value, list):
        return tuple(type_of(kind, item) for item in value)
    if value is None:
        return kind.only or kind.default
    return as_dtype(value.dtype) if hasattr(value, "dtype") else kind.only or kind.default
