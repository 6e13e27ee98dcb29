"""Points at which the derivatives of ops are checked, and the ops that have none.

``POINTS`` maps an op's type to calls; ``unit/autodiff/test_gradients_table.py`` compares their first and second
derivatives with differences of values.
"""

from __future__ import annotations

import importlib
import pkgutil

from ._points import Point

__all__ = ["ELSEWHERE", "LEFT_OUT", "NO_ANSWER", "POINTS", "Point"]

POINTS: dict[str, list[Point]] = {}
for _module in pkgutil.iter_modules(__path__):
    if not _module.name.startswith("_"):
        POINTS |= importlib.import_module(f"{__name__}.{_module.name}").POINTS

# Ops with a gradient that differences of values cannot check.
LEFT_OUT = {
    "ApproxTopK": "its types have 32 bits at most; unit/ops/test_candidates.py compares it with TopKV2",
    "BatchMatMulV3": "it is for types of which TensorFlow has no gradient either",
    **dict.fromkeys(
        ("CTCLoss", "CTCLossDense"),
        "its second result is the gradient of the first; samples/nn/ctc.py compares it with all ways",
    ),
    **dict.fromkeys(
        ("LRN", "LRNGrad", "MaxPool3D", "MaxPool3DGrad", "MaxPool3DGradGrad"),
        "there is no type of 64 bits; unit/autodiff/test_gradients_windows.py compares them in 32 bits",
    ),
    **dict.fromkeys(
        (
            "FakeQuantWithMinMaxArgs",
            "FakeQuantWithMinMaxVars",
            "FakeQuantWithMinMaxVarsPerChannel",
            "QuantizeAndDequantizeV4",
        ),
        "its values go in steps, and its gradient passes them by; samples check what does",
    ),
    **dict.fromkeys(
        [f"FusedBatchNorm{v}" for v in ("", "V2", "V3", "Grad", "GradV2", "GradV3")],
        "there is no type of 64 bits; unit/ops/test_batch_norms.py compares them with their parts",
    ),
    **dict.fromkeys(
        ("ImageProjectiveTransformV2", "ImageProjectiveTransformV3"),
        "it is not the slope, as in TensorFlow: what flows back goes through the inverse; unit/ops/test_projective.py",
    ),
    **dict.fromkeys(
        (
            "CropAndResize",
            "ResizeBicubic",
            "ResizeBilinear",
            "ResizeNearestNeighbor",
            "ScaleAndTranslate",
        ),
        "their results have 32 bits, their gradients no gradient; unit/ops/image/test_gradients.py compares them with adjoints",
    ),
    "RandomGamma": "its gradient is that of a quantile; samples/gamma_slopes.py checks RandomGammaGrad",
    "SparseMatMul": "there is no type of 64 bits; unit/ops/test_ops_linalg.py compares it with MatMul",
    "StatelessRandomGammaV3": "see RandomGamma",
    "StatelessParameterizedTruncatedNormal": "it is not the slope, as in TensorFlow: the bounds move with "
    "the mean; unit/ops/test_truncated.py",
}

# Families whose gradients other tests check: the beginning of a module's name.
ELSEWHERE = {
    "lists": "unit/function/test_function.py",
}

# Ops of which TensorFlow says nothing at all: a tape that needs their gradient raises LookupError there
# too. An op has a gradient, is marked ``no_gradient``, or stands here.
NO_ANSWER = {
    "Results are booleans, integers or indices.": """
        All Any BroadcastArgs DenseBincount HistogramFixedWidth InTopKV2 IsFinite IsInf IsNan LowerBound
        RandomUniformInt NonMaxSuppressionV3 NonMaxSuppressionV4 NonMaxSuppressionV5 NonDeterministicInts RngReadAndSkip StatelessRandomGetKeyCounter UnravelIndex
        UpperBound Where""",
    "Elements are chosen or counted by their values.": """
        DenseCountSparseOutput ListDiff RaggedCountSparseOutput SparseCountSparseOutput Unique
        UniqueV2 UniqueWithCounts UniqueWithCountsV2""",
    "Random numbers.": "RandomPoissonV2 StatefulRandomBinomial StatelessSampleDistortedBoundingBox StatelessShuffle",
    "A variable is written to.": """
        AssignAddVariableOp AssignSubVariableOp AssignVariableOp ResourceCountUpTo ResourceScatterAdd
        ResourceScatterDiv ResourceScatterMax ResourceScatterMin ResourceScatterMul ResourceScatterNdAdd
        ResourceScatterNdMax ResourceScatterNdMin ResourceScatterNdSub ResourceScatterNdUpdate
        ResourceScatterSub ResourceScatterUpdate ResourceStridedSliceAssign""",
    "Files.": """
        DecodeAndCropJpeg DecodeBmp DecodeGif DecodeImage DecodeJpeg DecodePng DecodeWebP EncodeJpeg EncodeJpegVariableQuality
        EncodePng ExtractJpegShape""",
    "Strings.": """
        RegexFullMatch StaticRegexFullMatch StaticRegexReplace StringLength StringLower StringStrip StringUpper Substr""",
    "Nobody wrote one.": """
        AdjustContrastv2 AdjustHue AdjustSaturation CombinedNonMaxSuppression CropAndResizeGradBoxes CropAndResizeGradImage
        DrawBoundingBoxesV2 ExtractGlimpseV2 FractionalAvgPoolGrad FractionalMaxPoolGrad ResizeArea ResizeBicubicGrad ResizeNearestNeighborGrad ScaleAndTranslateGrad
        Bitcast Dequantize QuantizeAndDequantizeV4Grad QuantizeV2 SparseSegmentMeanGrad SparseSegmentMeanGradV2 SparseSegmentSqrtNGrad SparseSegmentSqrtNGradV2
        SparseSegmentSumGrad SparseSegmentSumGradV2 Dilation2DBackpropFilter Dilation2DBackpropInput GuaranteeConst IgammaGradA Lu MatrixLogarithm RandomGammaGrad SparseReduceMax
        SparseReduceMaxSparse SparseReduceSumSparse SparseSplit TruncateMod""",
    "TensorFlow has one that fails whenever it is called.": "SparseSparseMaximum SparseSparseMinimum",
}
