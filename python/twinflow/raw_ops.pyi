# Computed from the op table by tools/make_stubs.py.

from typing import Any as _Any

def Abs(x: _Any, name: _Any = None) -> _Any:
    """Returns the absolute values of numbers."""

def Acos(x: _Any, name: _Any = None) -> _Any:
    """Returns the angle whose cosine is x."""

def Acosh(x: _Any, name: _Any = None) -> _Any:
    """Returns the number whose hyperbolic cosine is x."""

def Add(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns x + y element-wise: of strings in ``tf.add``, of numbers in older graphs."""

def AddN(inputs: _Any, name: _Any = None) -> _Any:
    """Returns the sum of tensors of one shape."""

def AddV2(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns x + y element-wise; strings are joined."""

def All(input: _Any, axis: _Any, keep_dims: _Any = False, name: _Any = None) -> _Any:
    """Returns whether all elements along dimensions are true."""

def AllCandidateSampler(
    true_classes: _Any,
    num_true: _Any,
    num_sampled: _Any,
    unique: _Any,
    seed: _Any = 0,
    seed2: _Any = 0,
    name: _Any = None,
) -> _Any:
    """Returns all classes."""

def Angle(input: _Any, Tout: _Any = ..., name: _Any = None) -> _Any:
    """Returns the angles of complex numbers, in radians."""

def Any(input: _Any, axis: _Any, keep_dims: _Any = False, name: _Any = None) -> _Any:
    """Returns whether any element along dimensions is true."""

def ApplyAdadelta(
    var: _Any,
    accum: _Any,
    accum_update: _Any,
    lr: _Any,
    rho: _Any,
    epsilon: _Any,
    grad: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ApplyAdadelta."""

def ApplyAdagrad(
    var: _Any,
    accum: _Any,
    lr: _Any,
    grad: _Any,
    use_locking: _Any = False,
    update_slots: _Any = True,
    name: _Any = None,
) -> _Any:
    """Runs the operation ApplyAdagrad."""

def ApplyAdagradDA(
    var: _Any,
    gradient_accumulator: _Any,
    gradient_squared_accumulator: _Any,
    grad: _Any,
    lr: _Any,
    l1: _Any,
    l2: _Any,
    global_step: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ApplyAdagradDA."""

def ApplyAdam(
    var: _Any,
    m: _Any,
    v: _Any,
    beta1_power: _Any,
    beta2_power: _Any,
    lr: _Any,
    beta1: _Any,
    beta2: _Any,
    epsilon: _Any,
    grad: _Any,
    use_locking: _Any = False,
    use_nesterov: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ApplyAdam."""

def ApplyCenteredRMSProp(
    var: _Any,
    mg: _Any,
    ms: _Any,
    mom: _Any,
    lr: _Any,
    rho: _Any,
    momentum: _Any,
    epsilon: _Any,
    grad: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ApplyCenteredRMSProp."""

def ApplyFtrl(
    var: _Any,
    accum: _Any,
    linear: _Any,
    grad: _Any,
    lr: _Any,
    l1: _Any,
    l2: _Any,
    lr_power: _Any,
    use_locking: _Any = False,
    multiply_linear_by_lr: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ApplyFtrl."""

def ApplyGradientDescent(
    var: _Any, alpha: _Any, delta: _Any, use_locking: _Any = False, name: _Any = None
) -> _Any:
    """Runs the operation ApplyGradientDescent."""

def ApplyMomentum(
    var: _Any,
    accum: _Any,
    lr: _Any,
    grad: _Any,
    momentum: _Any,
    use_locking: _Any = False,
    use_nesterov: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ApplyMomentum."""

def ApplyRMSProp(
    var: _Any,
    ms: _Any,
    mom: _Any,
    lr: _Any,
    rho: _Any,
    momentum: _Any,
    epsilon: _Any,
    grad: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ApplyRMSProp."""

def ApproxTopK(
    input: _Any,
    k: _Any,
    reduction_dimension: _Any = -1,
    recall_target: _Any = 0.95,
    is_max_k: _Any = True,
    reduction_input_size_override: _Any = -1,
    aggregate_to_topk: _Any = True,
    name: _Any = None,
) -> _Any:
    """Returns the largest or smallest elements along a dimension."""

def ArgMax(input: _Any, dimension: _Any, output_type: _Any = ..., name: _Any = None) -> _Any:
    """Returns the index of the largest element along a dimension."""

def ArgMin(input: _Any, dimension: _Any, output_type: _Any = ..., name: _Any = None) -> _Any:
    """Returns the index of the smallest element along a dimension."""

def AsString(
    input: _Any,
    precision: _Any = -1,
    scientific: _Any = False,
    shortest: _Any = False,
    width: _Any = -1,
    fill: _Any = "",
    name: _Any = None,
) -> _Any:
    """Returns numbers as text."""

def Asin(x: _Any, name: _Any = None) -> _Any:
    """Returns the angle whose sine is x."""

def Asinh(x: _Any, name: _Any = None) -> _Any:
    """Returns the number whose hyperbolic sine is x."""

def Assert(condition: _Any, data: _Any, summarize: _Any = 3, name: _Any = None) -> _Any:
    """Runs the operation Assert."""

def Assign(
    ref: _Any, value: _Any, validate_shape: _Any = True, use_locking: _Any = True, name: _Any = None
) -> _Any:
    """Runs the operation Assign."""

def AssignAdd(ref: _Any, value: _Any, use_locking: _Any = False, name: _Any = None) -> _Any:
    """Runs the operation AssignAdd."""

def AssignAddVariableOp(resource: _Any, value: _Any, name: _Any = None) -> _Any:
    """Adds a value to a variable."""

def AssignSub(ref: _Any, value: _Any, use_locking: _Any = False, name: _Any = None) -> _Any:
    """Runs the operation AssignSub."""

def AssignSubVariableOp(resource: _Any, value: _Any, name: _Any = None) -> _Any:
    """Subtracts a value from a variable."""

def AssignVariableOp(
    resource: _Any, value: _Any, validate_shape: _Any = False, name: _Any = None
) -> _Any:
    """Replaces the value of a variable; in its memory, where nobody shares it."""

def Atan(x: _Any, name: _Any = None) -> _Any:
    """Returns the angle whose tangent is x."""

def Atan2(y: _Any, x: _Any, name: _Any = None) -> _Any:
    """Returns the angle of the point (x, y), between -pi and pi."""

def Atanh(x: _Any, name: _Any = None) -> _Any:
    """Returns the number whose hyperbolic tangent is x."""

def AvgPool(
    value: _Any,
    ksize: _Any,
    strides: _Any,
    padding: _Any,
    data_format: _Any = "NHWC",
    name: _Any = None,
) -> _Any:
    """Returns the mean element of each window over images; padding does not count."""

def AvgPool3D(
    input: _Any,
    ksize: _Any,
    strides: _Any,
    padding: _Any,
    data_format: _Any = "NDHWC",
    name: _Any = None,
) -> _Any:
    """Returns the mean element of each window over volumes; padding does not count."""

def AvgPool3DGrad(
    orig_input_shape: _Any,
    grad: _Any,
    ksize: _Any,
    strides: _Any,
    padding: _Any,
    data_format: _Any = "NDHWC",
    name: _Any = None,
) -> _Any:
    """Returns the derivative of mean pooling over volumes by the volumes."""

def AvgPoolGrad(
    orig_input_shape: _Any,
    grad: _Any,
    ksize: _Any,
    strides: _Any,
    padding: _Any,
    data_format: _Any = "NHWC",
    name: _Any = None,
) -> _Any:
    """Returns the derivative of mean pooling over images by the images."""

def BandedTriangularSolve(
    matrix: _Any, rhs: _Any, lower: _Any = True, adjoint: _Any = False, name: _Any = None
) -> _Any:
    """Returns the solutions of systems of linear equations with triangular banded matrices."""

def BatchMatMulV2(
    x: _Any,
    y: _Any,
    adj_x: _Any = False,
    adj_y: _Any = False,
    grad_x: _Any = False,
    grad_y: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns the products of matrices in the last two dimensions, broadcast over the others."""

def BatchMatMulV3(
    x: _Any,
    y: _Any,
    Tout: _Any,
    adj_x: _Any = False,
    adj_y: _Any = False,
    grad_x: _Any = False,
    grad_y: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns the products of matrices of two types, in a third one."""

def BatchToSpaceND(input: _Any, block_shape: _Any, crops: _Any, name: _Any = None) -> _Any:
    """Returns a tensor with parts of the batch moved into blocks of space."""

def BesselI0(x: _Any, name: _Any = None) -> _Any:
    """Returns the modified Bessel function of the first kind of order 0."""

def BesselI0e(x: _Any, name: _Any = None) -> _Any:
    """Returns exp(-|x|) times the modified Bessel function of the first kind of order 0."""

def BesselI1(x: _Any, name: _Any = None) -> _Any:
    """Returns the modified Bessel function of the first kind of order 1."""

def BesselI1e(x: _Any, name: _Any = None) -> _Any:
    """Returns exp(-|x|) times the modified Bessel function of the first kind of order 1."""

def BesselJ0(x: _Any, name: _Any = None) -> _Any:
    """Returns the Bessel function of the first kind of order 0."""

def BesselJ1(x: _Any, name: _Any = None) -> _Any:
    """Returns the Bessel function of the first kind of order 1."""

def BesselK0(x: _Any, name: _Any = None) -> _Any:
    """Returns the modified Bessel function of the second kind of order 0."""

def BesselK0e(x: _Any, name: _Any = None) -> _Any:
    """Returns exp(x) times the modified Bessel function of the second kind of order 0."""

def BesselK1(x: _Any, name: _Any = None) -> _Any:
    """Returns the modified Bessel function of the second kind of order 1."""

def BesselK1e(x: _Any, name: _Any = None) -> _Any:
    """Returns exp(x) times the modified Bessel function of the second kind of order 1."""

def BesselY0(x: _Any, name: _Any = None) -> _Any:
    """Returns the Bessel function of the second kind of order 0."""

def BesselY1(x: _Any, name: _Any = None) -> _Any:
    """Returns the Bessel function of the second kind of order 1."""

def Betainc(a: _Any, b: _Any, x: _Any, name: _Any = None) -> _Any:
    """Returns the regularised incomplete beta function."""

def BiasAdd(value: _Any, bias: _Any, data_format: _Any = "NHWC", name: _Any = None) -> _Any:
    """Returns a tensor with a bias added to each channel."""

def BiasAddGrad(out_backprop: _Any, data_format: _Any = "NHWC", name: _Any = None) -> _Any:
    """Returns the derivative of a sum with biases by the biases: sums over all but the channels."""

def Bincount(arr: _Any, size: _Any, weights: _Any, name: _Any = None) -> _Any:
    """Runs the operation Bincount."""

def Bitcast(input: _Any, type: _Any, name: _Any = None) -> _Any:
    """Returns the same bytes as elements of another type."""

def BitwiseAnd(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns the bits that x and y have in common."""

def BitwiseOr(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns the bits that x or y has."""

def BitwiseXor(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns the bits in which x and y differ."""

def BroadcastArgs(s0: _Any, s1: _Any, name: _Any = None) -> _Any:
    """Returns the shape that two shapes broadcast to."""

def BroadcastGradientArgs(s0: _Any, s1: _Any, name: _Any = None) -> _Any:
    """Returns the dimensions over which gradients of two broadcast tensors are summed."""

def BroadcastTo(input: _Any, shape: _Any, name: _Any = None) -> _Any:
    """Returns a tensor repeated to a larger shape by the rules of broadcasting."""

def Bucketize(input: _Any, boundaries: _Any, name: _Any = None) -> _Any:
    """Runs the operation Bucketize."""

def CTCGreedyDecoder(
    inputs: _Any,
    sequence_length: _Any,
    merge_repeated: _Any = False,
    blank_index: _Any = -1,
    name: _Any = None,
) -> _Any:
    """Returns the likeliest label of each step, without blanks."""

def Cast(x: _Any, DstT: _Any, Truncate: _Any = False, name: _Any = None) -> _Any:
    """Returns a tensor's values in another type, as C converts them."""

def Ceil(x: _Any, name: _Any = None) -> _Any:
    """Returns the smallest whole numbers not below x."""

def CheckNumerics(tensor: _Any, message: _Any, name: _Any = None) -> _Any:
    """Returns a tensor if it holds neither NaN nor infinities."""

def Cholesky(input: _Any, name: _Any = None) -> _Any:
    """Returns the lower triangular L with L times its adjoint equal to the input."""

def ClipByValue(t: _Any, clip_value_min: _Any, clip_value_max: _Any, name: _Any = None) -> _Any:
    """Returns a tensor with its values limited to an interval, the parts of complex ones each."""

def Complex(real: _Any, imag: _Any, Tout: _Any = ..., name: _Any = None) -> _Any:
    """Returns complex numbers with the given parts."""

def ComplexAbs(x: _Any, Tout: _Any = ..., name: _Any = None) -> _Any:
    """Returns the absolute values of complex numbers."""

def ComputeAccidentalHits(
    true_classes: _Any,
    sampled_candidates: _Any,
    num_true: _Any,
    seed: _Any = 0,
    seed2: _Any = 0,
    name: _Any = None,
) -> _Any:
    """Returns where candidates happen to be true classes."""

def ConcatOffset(concat_dim: _Any, shape: _Any, name: _Any = None) -> _Any:
    """Runs the operation ConcatOffset."""

def ConcatV2(values: _Any, axis: _Any, name: _Any = None) -> _Any:
    """Returns tensors joined along a dimension."""

def Conj(input: _Any, name: _Any = None) -> _Any:
    """Returns the conjugates of complex numbers."""

def Const(value: _Any, dtype: _Any, name: _Any = None) -> _Any:
    """Runs the operation Const."""

def Conv2D(
    input: _Any,
    filter: _Any,
    strides: _Any,
    padding: _Any,
    use_cudnn_on_gpu: _Any = True,
    explicit_paddings: _Any = ...,
    data_format: _Any = "NHWC",
    dilations: _Any = ...,
    name: _Any = None,
) -> _Any:
    """Returns the two-dimensional convolution of images with filters."""

def Conv2DBackpropFilter(
    input: _Any,
    filter_sizes: _Any,
    out_backprop: _Any,
    strides: _Any,
    padding: _Any,
    use_cudnn_on_gpu: _Any = True,
    explicit_paddings: _Any = ...,
    data_format: _Any = "NHWC",
    dilations: _Any = ...,
    name: _Any = None,
) -> _Any:
    """Returns the derivative of a convolution by its filters."""

def Conv2DBackpropInput(
    input_sizes: _Any,
    filter: _Any,
    out_backprop: _Any,
    strides: _Any,
    padding: _Any,
    use_cudnn_on_gpu: _Any = True,
    explicit_paddings: _Any = ...,
    data_format: _Any = "NHWC",
    dilations: _Any = ...,
    name: _Any = None,
) -> _Any:
    """Returns the derivative of a convolution by its input: a transposed convolution."""

def Conv3D(
    input: _Any,
    filter: _Any,
    strides: _Any,
    padding: _Any,
    data_format: _Any = "NDHWC",
    dilations: _Any = ...,
    name: _Any = None,
) -> _Any:
    """Returns the three-dimensional convolution of volumes with filters."""

def Conv3DBackpropFilterV2(
    input: _Any,
    filter_sizes: _Any,
    out_backprop: _Any,
    strides: _Any,
    padding: _Any,
    data_format: _Any = "NDHWC",
    dilations: _Any = ...,
    name: _Any = None,
) -> _Any:
    """Returns the derivative of a three-dimensional convolution by its filters."""

def Conv3DBackpropInputV2(
    input_sizes: _Any,
    filter: _Any,
    out_backprop: _Any,
    strides: _Any,
    padding: _Any,
    data_format: _Any = "NDHWC",
    dilations: _Any = ...,
    name: _Any = None,
) -> _Any:
    """Returns the derivative of a three-dimensional convolution by its input."""

def Cos(x: _Any, name: _Any = None) -> _Any:
    """Returns the cosine of x."""

def Cosh(x: _Any, name: _Any = None) -> _Any:
    """Returns the hyperbolic cosine of x."""

def Cross(a: _Any, b: _Any, name: _Any = None) -> _Any:
    """Returns the cross products of vectors of three elements in the last dimension."""

def Cumprod(
    x: _Any, axis: _Any, exclusive: _Any = False, reverse: _Any = False, name: _Any = None
) -> _Any:
    """Returns running products along a dimension."""

def Cumsum(
    x: _Any, axis: _Any, exclusive: _Any = False, reverse: _Any = False, name: _Any = None
) -> _Any:
    """Returns running sums along a dimension."""

def CumulativeLogsumexp(
    x: _Any, axis: _Any, exclusive: _Any = False, reverse: _Any = False, name: _Any = None
) -> _Any:
    """Returns running values of log(sum(exp(x))) along a dimension, without overflow."""

def DataFormatDimMap(
    x: _Any, src_format: _Any = "NHWC", dst_format: _Any = "NCHW", name: _Any = None
) -> _Any:
    """Returns the axes of another layout that are axes of a first one."""

def DataFormatVecPermute(
    x: _Any, src_format: _Any = "NHWC", dst_format: _Any = "NCHW", name: _Any = None
) -> _Any:
    """Returns sizes, or pairs of them, of one layout in the order of another."""

def Dawsn(x: _Any, name: _Any = None) -> _Any:
    """Returns Dawson's integral, exp(-x^2) times the integral of exp(t^2) from 0 to x."""

def DecodeBase64(input: _Any, name: _Any = None) -> _Any:
    """Returns the strings whose base64 encodings, of the kind for web addresses, are given."""

def DecodeCSV(
    records: _Any,
    record_defaults: _Any,
    field_delim: _Any = ",",
    use_quote_delim: _Any = True,
    na_value: _Any = "",
    select_cols: _Any = ...,
    name: _Any = None,
) -> _Any:
    """Returns the columns of lines of values that a delimiter separates."""

def DecodeCompressed(bytes: _Any, compression_type: _Any = "", name: _Any = None) -> _Any:
    """Returns strings that were compressed as they were before."""

def DecodeJSONExample(json_examples: _Any, name: _Any = None) -> _Any:
    """Returns examples written in JSON as the strings that ``tf.io.parse_example`` reads."""

def DecodePaddedRaw(
    input_bytes: _Any,
    fixed_length: _Any,
    out_type: _Any,
    little_endian: _Any = True,
    name: _Any = None,
) -> _Any:
    """Returns the numbers whose memory strings hold, after they got one length."""

def DecodeRaw(bytes: _Any, out_type: _Any, little_endian: _Any = True, name: _Any = None) -> _Any:
    """Returns the numbers whose memory strings hold."""

def DenseBincount(
    input: _Any, size: _Any, weights: _Any, binary_output: _Any = False, name: _Any = None
) -> _Any:
    """Returns how often integers occur, or the sums of their weights."""

def DenseCountSparseOutput(
    values: _Any,
    weights: _Any,
    binary_output: _Any,
    minlength: _Any = -1,
    maxlength: _Any = -1,
    name: _Any = None,
) -> _Any:
    """Returns sparse counts of the integers in a vector, or in each row of a matrix."""

def DenseToDenseSetOperation(
    set1: _Any, set2: _Any, set_operation: _Any, validate_indices: _Any = True, name: _Any = None
) -> _Any:
    """Returns what a set operation makes of two tensors."""

def DenseToSparseSetOperation(
    set1: _Any,
    set2_indices: _Any,
    set2_values: _Any,
    set2_shape: _Any,
    set_operation: _Any,
    validate_indices: _Any = True,
    name: _Any = None,
) -> _Any:
    """Returns what a set operation makes of a tensor and a sparse one."""

def DepthToSpace(
    input: _Any, block_size: _Any, data_format: _Any = "NHWC", name: _Any = None
) -> _Any:
    """Returns images with channels moved into square blocks of pixels."""

def DepthwiseConv2dNative(
    input: _Any,
    filter: _Any,
    strides: _Any,
    padding: _Any,
    explicit_paddings: _Any = ...,
    data_format: _Any = "NHWC",
    dilations: _Any = ...,
    name: _Any = None,
) -> _Any:
    """Returns the convolution of each channel of images with filters of its own."""

def DepthwiseConv2dNativeBackpropFilter(
    input: _Any,
    filter_sizes: _Any,
    out_backprop: _Any,
    strides: _Any,
    padding: _Any,
    explicit_paddings: _Any = ...,
    data_format: _Any = "NHWC",
    dilations: _Any = ...,
    name: _Any = None,
) -> _Any:
    """Returns the derivative of a convolution of each channel by its filters."""

def DepthwiseConv2dNativeBackpropInput(
    input_sizes: _Any,
    filter: _Any,
    out_backprop: _Any,
    strides: _Any,
    padding: _Any,
    explicit_paddings: _Any = ...,
    data_format: _Any = "NHWC",
    dilations: _Any = ...,
    name: _Any = None,
) -> _Any:
    """Returns the derivative of a convolution of each channel by its input."""

def Dequantize(
    input: _Any,
    min_range: _Any,
    max_range: _Any,
    mode: _Any = "MIN_COMBINED",
    narrow_range: _Any = False,
    axis: _Any = -1,
    dtype: _Any = ...,
    name: _Any = None,
) -> _Any:
    """Returns the numbers that small integers stand for."""

def DeserializeManySparse(serialized_sparse: _Any, dtype: _Any, name: _Any = None) -> _Any:
    """Returns sparse tensors that strings hold as one with a further dimension in front."""

def DestroyResourceOp(resource: _Any, ignore_lookup_error: _Any = True, name: _Any = None) -> _Any:
    """Runs the operation DestroyResourceOp."""

def Diag(diagonal: _Any, name: _Any = None) -> _Any:
    """Returns a tensor of twice the rank with the given elements where both halves of an index agree."""

def DiagPart(input: _Any, name: _Any = None) -> _Any:
    """Returns the elements of a tensor where both halves of an index agree."""

def Digamma(x: _Any, name: _Any = None) -> _Any:
    """Returns the derivative of the logarithm of the gamma function at x."""

def Dilation2D(
    input: _Any, filter: _Any, strides: _Any, rates: _Any, padding: _Any, name: _Any = None
) -> _Any:
    """Returns the largest sums of images and a window that moves over them."""

def Dilation2DBackpropFilter(
    input: _Any,
    filter: _Any,
    out_backprop: _Any,
    strides: _Any,
    rates: _Any,
    padding: _Any,
    name: _Any = None,
) -> _Any:
    """Returns the gradient of a dilation for its window."""

def Dilation2DBackpropInput(
    input: _Any,
    filter: _Any,
    out_backprop: _Any,
    strides: _Any,
    rates: _Any,
    padding: _Any,
    name: _Any = None,
) -> _Any:
    """Returns the gradient of a dilation for its images."""

def DisableCopyOnRead(resource: _Any, name: _Any = None) -> _Any:
    """Runs the operation DisableCopyOnRead."""

def DivNoNan(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns x / y element-wise, 0 where y is 0."""

def DynamicPartition(data: _Any, partitions: _Any, num_partitions: _Any, name: _Any = None) -> _Any:
    """Returns elements or slices of a tensor sorted into several tensors."""

def DynamicStitch(indices: _Any, data: _Any, name: _Any = None) -> _Any:
    """Returns slices of several tensors put together; of several for one place the last stays."""

def EditDistance(
    hypothesis_indices: _Any,
    hypothesis_values: _Any,
    hypothesis_shape: _Any,
    truth_indices: _Any,
    truth_values: _Any,
    truth_shape: _Any,
    normalize: _Any = True,
    name: _Any = None,
) -> _Any:
    """Returns how many changes turn sequences into others."""

def Eig(input: _Any, Tout: _Any, compute_v: _Any = True, name: _Any = None) -> _Any:
    """Returns eigenvalues and eigenvectors of matrices."""

def Einsum(inputs: _Any, equation: _Any, name: _Any = None) -> _Any:
    """Returns the sums of products that an equation of labels describes."""

def Elu(features: _Any, name: _Any = None) -> _Any:
    """Returns positive numbers as they are and exp(x) - 1 for negative ones."""

def EluGrad(gradients: _Any, outputs: _Any, name: _Any = None) -> _Any:
    """Returns the derivatives of exponential linear units."""

def EmptyTensorList(
    element_shape: _Any, max_num_elements: _Any, element_dtype: _Any, name: _Any = None
) -> _Any:
    """Runs the operation EmptyTensorList."""

def EncodeBase64(input: _Any, pad: _Any = False, name: _Any = None) -> _Any:
    """Returns strings in the base64 encoding that is safe in web addresses."""

def EnsureShape(input: _Any, shape: _Any, name: _Any = None) -> _Any:
    """Returns a tensor that has a given shape."""

def Equal(x: _Any, y: _Any, incompatible_shape_error: _Any = True, name: _Any = None) -> _Any:
    """Returns whether x == y element-wise."""

def Erf(x: _Any, name: _Any = None) -> _Any:
    """Returns the error function of x."""

def Erfc(x: _Any, name: _Any = None) -> _Any:
    """Returns 1 - erf(x), exact where that is small."""

def Erfinv(x: _Any, name: _Any = None) -> _Any:
    """Returns the number whose error function is x."""

def EuclideanNorm(input: _Any, axis: _Any, keep_dims: _Any = False, name: _Any = None) -> _Any:
    """Returns square roots of sums of squares along dimensions; rounded down for integers."""

def Exp(x: _Any, name: _Any = None) -> _Any:
    """Returns e to the power of x."""

def ExpandDims(input: _Any, axis: _Any, name: _Any = None) -> _Any:
    """Returns a tensor with a dimension of size 1 more."""

def Expint(x: _Any, name: _Any = None) -> _Any:
    """Returns the exponential integral Ei(x), the integral of exp(t) / t up to x."""

def Expm1(x: _Any, name: _Any = None) -> _Any:
    """Returns exp(x) - 1, exact near 0."""

def FFT(input: _Any, name: _Any = None) -> _Any:
    """Returns the Fourier transform of complex numbers over the last dimension."""

def FFT2D(input: _Any, name: _Any = None) -> _Any:
    """Returns the Fourier transform of complex numbers over the last two dimensions."""

def FFT3D(input: _Any, name: _Any = None) -> _Any:
    """Returns the Fourier transform of complex numbers over the last three dimensions."""

def FFTND(input: _Any, fft_length: _Any, axes: _Any, name: _Any = None) -> _Any:
    """Returns the Fourier transform over dimensions."""

def FakeQuantWithMinMaxArgs(
    inputs: _Any,
    min: _Any = -6.0,
    max: _Any = 6.0,
    num_bits: _Any = 8,
    narrow_range: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns numbers limited and rounded to as many values as some bits can tell apart."""

def FakeQuantWithMinMaxArgsGradient(
    gradients: _Any,
    inputs: _Any,
    min: _Any = -6.0,
    max: _Any = 6.0,
    num_bits: _Any = 8,
    narrow_range: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns gradients where numbers lie within the limits, and 0 elsewhere."""

def FakeQuantWithMinMaxVars(
    inputs: _Any,
    min: _Any,
    max: _Any,
    num_bits: _Any = 8,
    narrow_range: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns numbers limited and rounded to as many values as some bits can tell apart."""

def FakeQuantWithMinMaxVarsGradient(
    gradients: _Any,
    inputs: _Any,
    min: _Any,
    max: _Any,
    num_bits: _Any = 8,
    narrow_range: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns the gradients of the numbers and of both limits."""

def FakeQuantWithMinMaxVarsPerChannel(
    inputs: _Any,
    min: _Any,
    max: _Any,
    num_bits: _Any = 8,
    narrow_range: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns numbers limited and rounded, each channel (the last dimension) within its own limits."""

def FakeQuantWithMinMaxVarsPerChannelGradient(
    gradients: _Any,
    inputs: _Any,
    min: _Any,
    max: _Any,
    num_bits: _Any = 8,
    narrow_range: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns the gradients of the numbers and of the limits of each channel."""

def Fill(dims: _Any, value: _Any, name: _Any = None) -> _Any:
    """Returns a tensor of one value."""

def Fingerprint(data: _Any, method: _Any, name: _Any = None) -> _Any:
    """Runs the operation Fingerprint."""

def FixedUnigramCandidateSampler(
    true_classes: _Any,
    num_true: _Any,
    num_sampled: _Any,
    unique: _Any,
    range_max: _Any,
    vocab_file: _Any = "",
    distortion: _Any = 1.0,
    num_reserved_ids: _Any = 0,
    num_shards: _Any = 1,
    shard: _Any = 0,
    unigrams: _Any = ...,
    seed: _Any = 0,
    seed2: _Any = 0,
    name: _Any = None,
) -> _Any:
    """Returns classes by given weights."""

def Floor(x: _Any, name: _Any = None) -> _Any:
    """Returns the largest whole numbers not above x."""

def FloorDiv(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns the largest whole numbers not above x / y."""

def FloorMod(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns what floor division leaves, with the sign of y."""

def FresnelCos(x: _Any, name: _Any = None) -> _Any:
    """Returns Fresnel's cosine integral, of cos(pi t^2 / 2) from 0 to x."""

def FresnelSin(x: _Any, name: _Any = None) -> _Any:
    """Returns Fresnel's sine integral, of sin(pi t^2 / 2) from 0 to x."""

def FusedBatchNorm(
    x: _Any,
    scale: _Any,
    offset: _Any,
    mean: _Any,
    variance: _Any,
    epsilon: _Any = 0.0001,
    exponential_avg_factor: _Any = 1.0,
    data_format: _Any = "NHWC",
    is_training: _Any = True,
    name: _Any = None,
) -> _Any:
    """Normalises each channel of images."""

def FusedBatchNormGrad(
    y_backprop: _Any,
    x: _Any,
    scale: _Any,
    reserve_space_1: _Any,
    reserve_space_2: _Any,
    epsilon: _Any = 0.0001,
    data_format: _Any = "NHWC",
    is_training: _Any = True,
    name: _Any = None,
) -> _Any:
    """Returns the derivatives of normalised images."""

def FusedBatchNormGradV2(
    y_backprop: _Any,
    x: _Any,
    scale: _Any,
    reserve_space_1: _Any,
    reserve_space_2: _Any,
    epsilon: _Any = 0.0001,
    data_format: _Any = "NHWC",
    is_training: _Any = True,
    name: _Any = None,
) -> _Any:
    """Returns the derivatives of normalised images."""

def FusedBatchNormGradV3(
    y_backprop: _Any,
    x: _Any,
    scale: _Any,
    reserve_space_1: _Any,
    reserve_space_2: _Any,
    reserve_space_3: _Any,
    epsilon: _Any = 0.0001,
    data_format: _Any = "NHWC",
    is_training: _Any = True,
    name: _Any = None,
) -> _Any:
    """Returns the derivatives of normalised images."""

def FusedBatchNormV2(
    x: _Any,
    scale: _Any,
    offset: _Any,
    mean: _Any,
    variance: _Any,
    epsilon: _Any = 0.0001,
    exponential_avg_factor: _Any = 1.0,
    data_format: _Any = "NHWC",
    is_training: _Any = True,
    name: _Any = None,
) -> _Any:
    """Normalises each channel of images, which may have half precision."""

def FusedBatchNormV3(
    x: _Any,
    scale: _Any,
    offset: _Any,
    mean: _Any,
    variance: _Any,
    epsilon: _Any = 0.0001,
    exponential_avg_factor: _Any = 1.0,
    data_format: _Any = "NHWC",
    is_training: _Any = True,
    name: _Any = None,
) -> _Any:
    """Normalises each channel of images or volumes, which may have half precision."""

def GatherNd(params: _Any, indices: _Any, bad_indices_policy: _Any = "", name: _Any = None) -> _Any:
    """Returns elements or slices of a tensor, picked by index vectors."""

def GatherV2(
    params: _Any, indices: _Any, axis: _Any, batch_dims: _Any = 0, name: _Any = None
) -> _Any:
    """Returns slices of a tensor along a dimension, picked by index."""

def Greater(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns whether x > y element-wise."""

def GreaterEqual(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns whether x >= y element-wise."""

def GuaranteeConst(input: _Any, name: _Any = None) -> _Any:
    """Returns a tensor of which the program promises that it never changes."""

def HistogramFixedWidth(
    values: _Any, value_range: _Any, nbins: _Any, dtype: _Any = ..., name: _Any = None
) -> _Any:
    """Returns how many values lie in each of several equal parts of an interval."""

def IFFT(input: _Any, name: _Any = None) -> _Any:
    """Returns the inverse Fourier transform of complex numbers over the last dimension."""

def IFFT2D(input: _Any, name: _Any = None) -> _Any:
    """Returns the inverse Fourier transform of complex numbers over the last two dimensions."""

def IFFT3D(input: _Any, name: _Any = None) -> _Any:
    """Returns the inverse Fourier transform of complex numbers over the last three dimensions."""

def IFFTND(input: _Any, fft_length: _Any, axes: _Any, name: _Any = None) -> _Any:
    """Returns the inverse Fourier transform over dimensions."""

def IRFFT(input: _Any, fft_length: _Any, Treal: _Any = ..., name: _Any = None) -> _Any:
    """Returns the inverse Fourier transform to real numbers over the last dimension."""

def IRFFT2D(input: _Any, fft_length: _Any, Treal: _Any = ..., name: _Any = None) -> _Any:
    """Returns the inverse Fourier transform to real numbers over the last two dimensions."""

def IRFFT3D(input: _Any, fft_length: _Any, Treal: _Any = ..., name: _Any = None) -> _Any:
    """Returns the inverse Fourier transform to real numbers over the last three dimensions."""

def IRFFTND(
    input: _Any, fft_length: _Any, axes: _Any, Treal: _Any = ..., name: _Any = None
) -> _Any:
    """Returns the real numbers of which dimensions are the Fourier transform."""

def Identity(input: _Any, name: _Any = None) -> _Any:
    """Returns a tensor of the same value."""

def IdentityN(input: _Any, name: _Any = None) -> _Any:
    """Runs the operation IdentityN."""

def Igamma(a: _Any, x: _Any, name: _Any = None) -> _Any:
    """Returns the lower regularised incomplete gamma function."""

def IgammaGradA(a: _Any, x: _Any, name: _Any = None) -> _Any:
    """Returns the derivative of the lower regularised incomplete gamma function by its first argument."""

def Igammac(a: _Any, x: _Any, name: _Any = None) -> _Any:
    """Returns the upper regularised incomplete gamma function."""

def Imag(input: _Any, Tout: _Any = ..., name: _Any = None) -> _Any:
    """Returns the imaginary parts of complex numbers."""

def ImageProjectiveTransformV2(
    images: _Any,
    transforms: _Any,
    output_shape: _Any,
    interpolation: _Any,
    fill_mode: _Any = "CONSTANT",
    name: _Any = None,
) -> _Any:
    """Returns images under projective transforms, with zeros beside them."""

def ImageProjectiveTransformV3(
    images: _Any,
    transforms: _Any,
    output_shape: _Any,
    fill_value: _Any,
    interpolation: _Any,
    fill_mode: _Any = "CONSTANT",
    name: _Any = None,
) -> _Any:
    """Returns images under projective transforms."""

def InTopKV2(predictions: _Any, targets: _Any, k: _Any, name: _Any = None) -> _Any:
    """Returns whether targets are among the largest predictions."""

def Inv(x: _Any, name: _Any = None) -> _Any:
    """Runs the operation Inv."""

def InvGrad(y: _Any, dy: _Any, name: _Any = None) -> _Any:
    """Runs the operation InvGrad."""

def Invert(x: _Any, name: _Any = None) -> _Any:
    """Returns x with every bit inverted."""

def InvertPermutation(x: _Any, name: _Any = None) -> _Any:
    """Returns the permutation that undoes another one."""

def IsFinite(x: _Any, name: _Any = None) -> _Any:
    """Returns whether x is a finite number."""

def IsInf(x: _Any, name: _Any = None) -> _Any:
    """Returns whether x is infinite."""

def IsNan(x: _Any, name: _Any = None) -> _Any:
    """Returns whether x is not a number."""

def IsVariableInitialized(ref: _Any, name: _Any = None) -> _Any:
    """Runs the operation IsVariableInitialized."""

def IsotonicRegression(input: _Any, output_dtype: _Any = ..., name: _Any = None) -> _Any:
    """Returns the closest rows whose numbers only descend."""

def L2Loss(t: _Any, name: _Any = None) -> _Any:
    """Returns half the sum of the squares of all elements."""

def LRN(
    input: _Any,
    depth_radius: _Any = 5,
    bias: _Any = 1.0,
    alpha: _Any = 1.0,
    beta: _Any = 0.5,
    name: _Any = None,
) -> _Any:
    """Returns numbers divided by a power of the sum of squares of their neighbours in depth."""

def LRNGrad(
    input_grads: _Any,
    input_image: _Any,
    output_image: _Any,
    depth_radius: _Any = 5,
    bias: _Any = 1.0,
    alpha: _Any = 1.0,
    beta: _Any = 0.5,
    name: _Any = None,
) -> _Any:
    """Returns the derivative of local response normalisation."""

def LeakyRelu(features: _Any, alpha: _Any = 0.2, name: _Any = None) -> _Any:
    """Returns positive numbers as they are and negative ones times a factor."""

def LeakyReluGrad(gradients: _Any, features: _Any, alpha: _Any = 0.2, name: _Any = None) -> _Any:
    """Returns gradients where numbers are positive, else times a factor."""

def LearnedUnigramCandidateSampler(
    true_classes: _Any,
    num_true: _Any,
    num_sampled: _Any,
    unique: _Any,
    range_max: _Any,
    seed: _Any = 0,
    seed2: _Any = 0,
    name: _Any = None,
) -> _Any:
    """Returns classes by how often they were true in earlier calls with the same seeds."""

def LeftShift(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns x with its bits shifted y places to the left."""

def Less(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns whether x < y element-wise."""

def LessEqual(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns whether x <= y element-wise."""

def Lgamma(x: _Any, name: _Any = None) -> _Any:
    """Returns the logarithm of the absolute value of the gamma function of x."""

def LinSpace(start: _Any, stop: _Any, num: _Any, name: _Any = None) -> _Any:
    """Runs the operation LinSpace."""

def ListDiff(x: _Any, y: _Any, out_idx: _Any = ..., name: _Any = None) -> _Any:
    """Returns the elements of a vector that do not occur in another, and where they are."""

def Log(x: _Any, name: _Any = None) -> _Any:
    """Returns the natural logarithm of x."""

def Log1p(x: _Any, name: _Any = None) -> _Any:
    """Returns log(1 + x), exact near 0."""

def LogMatrixDeterminant(input: _Any, name: _Any = None) -> _Any:
    """Returns the signs of determinants and the logarithms of their absolute values."""

def LogSoftmax(logits: _Any, name: _Any = None) -> _Any:
    """Returns x - log(sum(exp(x))) along the last dimension."""

def LogUniformCandidateSampler(
    true_classes: _Any,
    num_true: _Any,
    num_sampled: _Any,
    unique: _Any,
    range_max: _Any,
    seed: _Any = 0,
    seed2: _Any = 0,
    name: _Any = None,
) -> _Any:
    """Returns classes that are ordered by how frequent they are, about as words of a language."""

def LogicalAnd(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns whether both x and y are true element-wise."""

def LogicalNot(x: _Any, name: _Any = None) -> _Any:
    """Returns whether x is false element-wise."""

def LogicalOr(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns whether x or y is true element-wise."""

def LowerBound(sorted_inputs: _Any, values: _Any, out_type: _Any = ..., name: _Any = None) -> _Any:
    """Returns before how many elements of sorted rows values would go in first."""

def Lu(input: _Any, output_idx_type: _Any = ..., name: _Any = None) -> _Any:
    """Returns the triangular factors of matrices and the permutations of their rows."""

def MatMul(
    a: _Any,
    b: _Any,
    transpose_a: _Any = False,
    transpose_b: _Any = False,
    grad_a: _Any = False,
    grad_b: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns the product of two matrices."""

def MatchingFiles(pattern: _Any, name: _Any = None) -> _Any:
    """Returns the names of the files that match a pattern, in order."""

def MatrixBandPart(input: _Any, num_lower: _Any, num_upper: _Any, name: _Any = None) -> _Any:
    """Returns matrices with zeros outside a band around the diagonal."""

def MatrixDeterminant(input: _Any, name: _Any = None) -> _Any:
    """Returns the determinants of matrices."""

def MatrixDiagPartV2(input: _Any, k: _Any, padding_value: _Any, name: _Any = None) -> _Any:
    """Returns diagonals of matrices, each at the beginning of what is filled up."""

def MatrixDiagPartV3(
    input: _Any, k: _Any, padding_value: _Any, align: _Any = "RIGHT_LEFT", name: _Any = None
) -> _Any:
    """Returns diagonals of matrices."""

def MatrixDiagV3(
    diagonal: _Any,
    k: _Any,
    num_rows: _Any,
    num_cols: _Any,
    padding_value: _Any,
    align: _Any = "RIGHT_LEFT",
    name: _Any = None,
) -> _Any:
    """Returns matrices with given diagonals."""

def MatrixInverse(input: _Any, adjoint: _Any = False, name: _Any = None) -> _Any:
    """Returns the inverses of matrices."""

def MatrixLogarithm(input: _Any, name: _Any = None) -> _Any:
    """Returns the principal logarithms of matrices."""

def MatrixSetDiagV3(
    input: _Any, diagonal: _Any, k: _Any, align: _Any = "RIGHT_LEFT", name: _Any = None
) -> _Any:
    """Returns matrices with some diagonals replaced."""

def MatrixSolve(matrix: _Any, rhs: _Any, adjoint: _Any = False, name: _Any = None) -> _Any:
    """Returns the solutions of systems of linear equations."""

def MatrixSolveLs(
    matrix: _Any, rhs: _Any, l2_regularizer: _Any, fast: _Any = True, name: _Any = None
) -> _Any:
    """Returns the solutions of linear systems with the least sum of squared errors."""

def MatrixSquareRoot(input: _Any, name: _Any = None) -> _Any:
    """Returns the principal square roots of matrices."""

def MatrixTriangularSolve(
    matrix: _Any, rhs: _Any, lower: _Any = True, adjoint: _Any = False, name: _Any = None
) -> _Any:
    """Returns the solutions of systems of linear equations with triangular matrices."""

def Max(input: _Any, axis: _Any, keep_dims: _Any = False, name: _Any = None) -> _Any:
    """Returns maxima along dimensions; NaN where one is."""

def MaxPool(
    input: _Any,
    ksize: _Any,
    strides: _Any,
    padding: _Any,
    explicit_paddings: _Any = ...,
    data_format: _Any = "NHWC",
    name: _Any = None,
) -> _Any:
    """Returns the largest element of each window over images."""

def MaxPool3D(
    input: _Any,
    ksize: _Any,
    strides: _Any,
    padding: _Any,
    data_format: _Any = "NDHWC",
    name: _Any = None,
) -> _Any:
    """Returns the largest element of each window over volumes."""

def MaxPool3DGrad(
    orig_input: _Any,
    orig_output: _Any,
    grad: _Any,
    ksize: _Any,
    strides: _Any,
    padding: _Any,
    data_format: _Any = "NDHWC",
    name: _Any = None,
) -> _Any:
    """Returns the derivative of max pooling over volumes: each goes to all largest elements."""

def MaxPool3DGradGrad(
    orig_input: _Any,
    orig_output: _Any,
    grad: _Any,
    ksize: _Any,
    strides: _Any,
    padding: _Any,
    data_format: _Any = "NDHWC",
    name: _Any = None,
) -> _Any:
    """Returns the adjoint of the derivative of max pooling over volumes."""

def MaxPoolGrad(
    orig_input: _Any,
    orig_output: _Any,
    grad: _Any,
    ksize: _Any,
    strides: _Any,
    padding: _Any,
    explicit_paddings: _Any = ...,
    data_format: _Any = "NHWC",
    name: _Any = None,
) -> _Any:
    """Returns the derivative of max pooling over images: each goes to the first largest element."""

def MaxPoolGradGrad(
    orig_input: _Any,
    orig_output: _Any,
    grad: _Any,
    ksize: _Any,
    strides: _Any,
    padding: _Any,
    data_format: _Any = "NHWC",
    name: _Any = None,
) -> _Any:
    """Returns the adjoint of the derivative of max pooling over images."""

def MaxPoolGradGradWithArgmax(
    input: _Any,
    grad: _Any,
    argmax: _Any,
    ksize: _Any,
    strides: _Any,
    padding: _Any,
    include_batch_in_index: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns the adjoint of the derivative of max pooling over images, from known places."""

def MaxPoolGradWithArgmax(
    input: _Any,
    grad: _Any,
    argmax: _Any,
    ksize: _Any,
    strides: _Any,
    padding: _Any,
    include_batch_in_index: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns the derivative of max pooling over images by the images, from known places."""

def MaxPoolWithArgmax(
    input: _Any,
    ksize: _Any,
    strides: _Any,
    padding: _Any,
    Targmax: _Any = ...,
    include_batch_in_index: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns the largest element of each window over images, and where it lies."""

def Maximum(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns the larger of x and y element-wise; NaN where either is."""

def Mean(input: _Any, axis: _Any, keep_dims: _Any = False, name: _Any = None) -> _Any:
    """Returns means along dimensions; those of integers are added in 64 bits and rounded towards zero."""

def MergeV2Checkpoints(
    checkpoint_prefixes: _Any,
    destination_prefix: _Any,
    delete_old_dirs: _Any = True,
    allow_missing_files: _Any = False,
    name: _Any = None,
) -> _Any:
    """Makes one checkpoint of several, which are no more afterwards."""

def Min(input: _Any, axis: _Any, keep_dims: _Any = False, name: _Any = None) -> _Any:
    """Returns minima along dimensions; NaN where one is."""

def Minimum(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns the smaller of x and y element-wise; NaN where either is."""

def MirrorPad(input: _Any, paddings: _Any, mode: _Any, name: _Any = None) -> _Any:
    """Returns a tensor with its mirror images around it."""

def MirrorPadGrad(input: _Any, paddings: _Any, mode: _Any, name: _Any = None) -> _Any:
    """Returns the inner part of a tensor, to which its margins are added as in a mirror."""

def Mul(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns x * y element-wise."""

def MulNoNan(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns x * y element-wise, and 0 where y is 0 even if x is not finite."""

def Multinomial(
    logits: _Any,
    num_samples: _Any,
    seed: _Any = 0,
    seed2: _Any = 0,
    output_dtype: _Any = ...,
    name: _Any = None,
) -> _Any:
    """Returns random categories."""

def Ndtri(x: _Any, name: _Any = None) -> _Any:
    """Returns quantiles of the standard normal distribution."""

def Neg(x: _Any, name: _Any = None) -> _Any:
    """Returns -x element-wise."""

def NextAfter(x1: _Any, x2: _Any, name: _Any = None) -> _Any:
    """Returns the next number of the type after x1 in the direction of x2."""

def NoOp(name: _Any = None) -> _Any:
    """Runs the operation NoOp."""

def NonDeterministicInts(shape: _Any, dtype: _Any = ..., name: _Any = None) -> _Any:
    """Returns integers that nobody can predict."""

def NotEqual(x: _Any, y: _Any, incompatible_shape_error: _Any = True, name: _Any = None) -> _Any:
    """Returns whether x != y element-wise."""

def NthElement(input: _Any, n: _Any, reverse: _Any = False, name: _Any = None) -> _Any:
    """Returns the element at a place of the sorted last dimension."""

def OneHot(
    indices: _Any, depth: _Any, on_value: _Any, off_value: _Any, axis: _Any = -1, name: _Any = None
) -> _Any:
    """Returns a new dimension that holds one value at an index and another one elsewhere."""

def OnesLike(x: _Any, name: _Any = None) -> _Any:
    """Returns ones of a tensor's type and shape."""

def OptionalFromValue(components: _Any, name: _Any = None) -> _Any:
    """Runs the operation OptionalFromValue."""

def OptionalGetValue(
    optional: _Any, output_types: _Any, output_shapes: _Any, name: _Any = None
) -> _Any:
    """Runs the operation OptionalGetValue."""

def OptionalNone(name: _Any = None) -> _Any:
    """Runs the operation OptionalNone."""

def Pack(values: _Any, axis: _Any = 0, name: _Any = None) -> _Any:
    """Returns tensors of one shape as rows of a new dimension."""

def Pad(input: _Any, paddings: _Any, name: _Any = None) -> _Any:
    """Returns a tensor with zeros (empty strings, False) around it."""

def PadV2(input: _Any, paddings: _Any, constant_values: _Any, name: _Any = None) -> _Any:
    """Returns a tensor with a value around it."""

def ParallelConcat(values: _Any, shape: _Any, name: _Any = None) -> _Any:
    """Returns tensors joined along their first dimension, whose size is 1."""

def ParallelDynamicStitch(indices: _Any, data: _Any, name: _Any = None) -> _Any:
    """Returns slices of several tensors put together; of several for one place any one stays."""

def ParseExampleV2(
    serialized: _Any,
    names: _Any,
    sparse_keys: _Any,
    dense_keys: _Any,
    ragged_keys: _Any,
    dense_defaults: _Any,
    num_sparse: _Any,
    sparse_types: _Any,
    ragged_value_types: _Any,
    ragged_split_types: _Any,
    dense_shapes: _Any,
    name: _Any = None,
) -> _Any:
    """Returns the features of examples."""

def ParseSequenceExampleV2(
    serialized: _Any,
    debug_name: _Any,
    context_sparse_keys: _Any,
    context_dense_keys: _Any,
    context_ragged_keys: _Any,
    feature_list_sparse_keys: _Any,
    feature_list_dense_keys: _Any,
    feature_list_ragged_keys: _Any,
    feature_list_dense_missing_assumed_empty: _Any,
    context_dense_defaults: _Any,
    Ncontext_sparse: _Any = 0,
    context_sparse_types: _Any = ...,
    context_ragged_value_types: _Any = ...,
    context_ragged_split_types: _Any = ...,
    context_dense_shapes: _Any = ...,
    Nfeature_list_sparse: _Any = 0,
    Nfeature_list_dense: _Any = 0,
    feature_list_dense_types: _Any = ...,
    feature_list_sparse_types: _Any = ...,
    feature_list_ragged_value_types: _Any = ...,
    feature_list_ragged_split_types: _Any = ...,
    feature_list_dense_shapes: _Any = ...,
    name: _Any = None,
) -> _Any:
    """Returns the contexts and the lists of features of sequence examples."""

def ParseTensor(serialized: _Any, out_type: _Any, name: _Any = None) -> _Any:
    """Returns the tensor that a string holds."""

def Placeholder(dtype: _Any, shape: _Any = None, name: _Any = None) -> _Any:
    """Runs the operation Placeholder."""

def PlaceholderWithDefault(input: _Any, shape: _Any, name: _Any = None) -> _Any:
    """Runs the operation PlaceholderWithDefault."""

def Polygamma(a: _Any, x: _Any, name: _Any = None) -> _Any:
    """Returns derivatives of the digamma function."""

def PopulationCount(x: _Any, name: _Any = None) -> _Any:
    """Returns how many bits of each number are set, in two's complement."""

def Pow(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns x to the power of y element-wise."""

def PreventGradient(input: _Any, message: _Any = "", name: _Any = None) -> _Any:
    """Runs the operation PreventGradient."""

def Prod(input: _Any, axis: _Any, keep_dims: _Any = False, name: _Any = None) -> _Any:
    """Returns products along dimensions."""

def Qr(input: _Any, full_matrices: _Any = False, name: _Any = None) -> _Any:
    """Returns orthogonal and upper triangular factors of matrices."""

def QuantizeAndDequantizeV4(
    input: _Any,
    input_min: _Any,
    input_max: _Any,
    signed_input: _Any = True,
    num_bits: _Any = 8,
    range_given: _Any = False,
    round_mode: _Any = "HALF_TO_EVEN",
    narrow_range: _Any = False,
    axis: _Any = -1,
    name: _Any = None,
) -> _Any:
    """Returns numbers rounded as if they had been integers of some bits in between."""

def QuantizeAndDequantizeV4Grad(
    gradients: _Any,
    input: _Any,
    input_min: _Any,
    input_max: _Any,
    axis: _Any = -1,
    name: _Any = None,
) -> _Any:
    """Returns gradients where numbers lie within the limits, and 0 elsewhere and for the limits."""

def QuantizeV2(
    input: _Any,
    min_range: _Any,
    max_range: _Any,
    T: _Any,
    mode: _Any = "MIN_COMBINED",
    round_mode: _Any = "HALF_AWAY_FROM_ZERO",
    narrow_range: _Any = False,
    axis: _Any = -1,
    ensure_minimum_range: _Any = 0.01,
    name: _Any = None,
) -> _Any:
    """Returns numbers as small integers, and the limits that these stand for."""

def RFFT(input: _Any, fft_length: _Any, Tcomplex: _Any = ..., name: _Any = None) -> _Any:
    """Returns the Fourier transform of real numbers over the last dimension."""

def RFFT2D(input: _Any, fft_length: _Any, Tcomplex: _Any = ..., name: _Any = None) -> _Any:
    """Returns the Fourier transform of real numbers over the last two dimensions."""

def RFFT3D(input: _Any, fft_length: _Any, Tcomplex: _Any = ..., name: _Any = None) -> _Any:
    """Returns the Fourier transform of real numbers over the last three dimensions."""

def RFFTND(
    input: _Any, fft_length: _Any, axes: _Any, Tcomplex: _Any = ..., name: _Any = None
) -> _Any:
    """Returns the Fourier transform of real numbers over dimensions; half of it along the last."""

def RaggedBincount(
    splits: _Any,
    values: _Any,
    size: _Any,
    weights: _Any,
    binary_output: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns how often integers occur in each row of a ragged matrix."""

def RaggedCountSparseOutput(
    splits: _Any,
    values: _Any,
    weights: _Any,
    binary_output: _Any,
    minlength: _Any = -1,
    maxlength: _Any = -1,
    name: _Any = None,
) -> _Any:
    """Returns sparse counts of the integers in each row of a ragged tensor."""

def RaggedFillEmptyRows(
    value_rowids: _Any, values: _Any, nrows: _Any, default_value: _Any, name: _Any = None
) -> _Any:
    """Returns a ragged tensor with an element in every row."""

def RaggedFillEmptyRowsGrad(reverse_index_map: _Any, grad_values: _Any, name: _Any = None) -> _Any:
    """Returns the gradients of elements that were moved, and of the one that filled empty rows."""

def RaggedGather(
    params_nested_splits: _Any,
    params_dense_values: _Any,
    indices: _Any,
    OUTPUT_RAGGED_RANK: _Any,
    name: _Any = None,
) -> _Any:
    """Runs the operation RaggedGather."""

def RaggedRange(
    starts: _Any, limits: _Any, deltas: _Any, Tsplits: _Any = ..., name: _Any = None
) -> _Any:
    """Returns a row of evenly spaced numbers for each start."""

def RaggedTensorToSparse(rt_nested_splits: _Any, rt_dense_values: _Any, name: _Any = None) -> _Any:
    """Runs the operation RaggedTensorToSparse."""

def RaggedTensorToTensor(
    shape: _Any,
    values: _Any,
    default_value: _Any,
    row_partition_tensors: _Any,
    row_partition_types: _Any,
    name: _Any = None,
) -> _Any:
    """Returns a tensor that holds the rows of a ragged tensor, filled up to one length."""

def RandomGamma(
    shape: _Any, alpha: _Any, seed: _Any = 0, seed2: _Any = 0, name: _Any = None
) -> _Any:
    """Returns random numbers from gamma distributions of rate 1."""

def RandomGammaGrad(alpha: _Any, sample: _Any, name: _Any = None) -> _Any:
    """Returns the derivatives of random numbers from gamma distributions by the shape parameters."""

def RandomIndexShuffle(
    index: _Any, seed: _Any, max_index: _Any, rounds: _Any = 4, name: _Any = None
) -> _Any:
    """Returns the positions of indices in a permutation."""

def RandomPoissonV2(
    shape: _Any, rate: _Any, seed: _Any = 0, seed2: _Any = 0, dtype: _Any = ..., name: _Any = None
) -> _Any:
    """Returns random numbers from Poisson distributions."""

def RandomShuffle(value: _Any, seed: _Any = 0, seed2: _Any = 0, name: _Any = None) -> _Any:
    """Returns the rows of a tensor in a random order."""

def RandomStandardNormal(
    shape: _Any, dtype: _Any, seed: _Any = 0, seed2: _Any = 0, name: _Any = None
) -> _Any:
    """Returns random numbers from the standard normal distribution."""

def RandomUniform(
    shape: _Any, dtype: _Any, seed: _Any = 0, seed2: _Any = 0, name: _Any = None
) -> _Any:
    """Returns random numbers from 0 to 1, 1 excluded."""

def RandomUniformInt(
    shape: _Any, minval: _Any, maxval: _Any, seed: _Any = 0, seed2: _Any = 0, name: _Any = None
) -> _Any:
    """Returns random integers."""

def Range(start: _Any, limit: _Any, delta: _Any, name: _Any = None) -> _Any:
    """Returns numbers from start, delta apart, before limit."""

def Rank(input: _Any, name: _Any = None) -> _Any:
    """Runs the operation Rank."""

def ReadFile(filename: _Any, name: _Any = None) -> _Any:
    """Returns the contents of a file."""

def ReadVariableOp(resource: _Any, dtype: _Any, name: _Any = None) -> _Any:
    """Returns the value of a variable, without a copy."""

def Real(input: _Any, Tout: _Any = ..., name: _Any = None) -> _Any:
    """Returns the real parts of complex numbers."""

def RealDiv(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns x / y element-wise, for real and complex numbers."""

def Reciprocal(x: _Any, name: _Any = None) -> _Any:
    """Returns 1 / x."""

def ReciprocalGrad(y: _Any, dy: _Any, name: _Any = None) -> _Any:
    """Returns the gradient of the argument of a reciprocal."""

def ReduceJoin(
    inputs: _Any,
    reduction_indices: _Any,
    keep_dims: _Any = False,
    separator: _Any = "",
    name: _Any = None,
) -> _Any:
    """Returns strings joined along dimensions."""

def RegexFullMatch(input: _Any, pattern: _Any, name: _Any = None) -> _Any:
    """Returns whether strings match a pattern, a tensor, as a whole."""

def RegexReplace(
    input: _Any, pattern: _Any, rewrite: _Any, replace_global: _Any = True, name: _Any = None
) -> _Any:
    """Returns strings with what matches a pattern replaced, both being tensors."""

def Relu(features: _Any, name: _Any = None) -> _Any:
    """Returns the positive part of numbers."""

def Relu6(features: _Any, name: _Any = None) -> _Any:
    """Returns numbers limited to the range from 0 to 6."""

def Relu6Grad(gradients: _Any, features: _Any, name: _Any = None) -> _Any:
    """Returns gradients where numbers are between 0 and 6, else 0."""

def ReluGrad(gradients: _Any, features: _Any, name: _Any = None) -> _Any:
    """Returns gradients where numbers are positive, else 0."""

def Reshape(tensor: _Any, shape: _Any, name: _Any = None) -> _Any:
    """Returns a tensor with the same elements in another shape."""

def ResourceApplyAdadelta(
    var: _Any,
    accum: _Any,
    accum_update: _Any,
    lr: _Any,
    rho: _Any,
    epsilon: _Any,
    grad: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceApplyAdadelta."""

def ResourceApplyAdagrad(
    var: _Any,
    accum: _Any,
    lr: _Any,
    grad: _Any,
    use_locking: _Any = False,
    update_slots: _Any = True,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceApplyAdagrad."""

def ResourceApplyAdagradDA(
    var: _Any,
    gradient_accumulator: _Any,
    gradient_squared_accumulator: _Any,
    grad: _Any,
    lr: _Any,
    l1: _Any,
    l2: _Any,
    global_step: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceApplyAdagradDA."""

def ResourceApplyAdam(
    var: _Any,
    m: _Any,
    v: _Any,
    beta1_power: _Any,
    beta2_power: _Any,
    lr: _Any,
    beta1: _Any,
    beta2: _Any,
    epsilon: _Any,
    grad: _Any,
    use_locking: _Any = False,
    use_nesterov: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceApplyAdam."""

def ResourceApplyCenteredRMSProp(
    var: _Any,
    mg: _Any,
    ms: _Any,
    mom: _Any,
    lr: _Any,
    rho: _Any,
    momentum: _Any,
    epsilon: _Any,
    grad: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceApplyCenteredRMSProp."""

def ResourceApplyFtrl(
    var: _Any,
    accum: _Any,
    linear: _Any,
    grad: _Any,
    lr: _Any,
    l1: _Any,
    l2: _Any,
    lr_power: _Any,
    use_locking: _Any = False,
    multiply_linear_by_lr: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceApplyFtrl."""

def ResourceApplyGradientDescent(
    var: _Any, alpha: _Any, delta: _Any, use_locking: _Any = False, name: _Any = None
) -> _Any:
    """Runs the operation ResourceApplyGradientDescent."""

def ResourceApplyMomentum(
    var: _Any,
    accum: _Any,
    lr: _Any,
    grad: _Any,
    momentum: _Any,
    use_locking: _Any = False,
    use_nesterov: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceApplyMomentum."""

def ResourceApplyRMSProp(
    var: _Any,
    ms: _Any,
    mom: _Any,
    lr: _Any,
    rho: _Any,
    momentum: _Any,
    epsilon: _Any,
    grad: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceApplyRMSProp."""

def ResourceCountUpTo(resource: _Any, limit: _Any, T: _Any, name: _Any = None) -> _Any:
    """Adds one to a counter that has not reached its limit."""

def ResourceGather(
    resource: _Any,
    indices: _Any,
    dtype: _Any,
    batch_dims: _Any = 0,
    validate_indices: _Any = True,
    name: _Any = None,
) -> _Any:
    """Returns rows of a variable's value."""

def ResourceGatherNd(resource: _Any, indices: _Any, dtype: _Any, name: _Any = None) -> _Any:
    """Returns elements or slices of a variable's value, picked by index vectors."""

def ResourceScatterAdd(resource: _Any, indices: _Any, updates: _Any, name: _Any = None) -> _Any:
    """Adds rows to a variable."""

def ResourceScatterDiv(resource: _Any, indices: _Any, updates: _Any, name: _Any = None) -> _Any:
    """Divides rows of a variable."""

def ResourceScatterMax(resource: _Any, indices: _Any, updates: _Any, name: _Any = None) -> _Any:
    """Takes maxima with rows of a variable."""

def ResourceScatterMin(resource: _Any, indices: _Any, updates: _Any, name: _Any = None) -> _Any:
    """Takes minima with rows of a variable."""

def ResourceScatterMul(resource: _Any, indices: _Any, updates: _Any, name: _Any = None) -> _Any:
    """Multiplies rows of a variable."""

def ResourceScatterNdAdd(
    ref: _Any,
    indices: _Any,
    updates: _Any,
    use_locking: _Any = True,
    bad_indices_policy: _Any = "",
    name: _Any = None,
) -> _Any:
    """Adds to elements or slices of a variable."""

def ResourceScatterNdMax(
    ref: _Any,
    indices: _Any,
    updates: _Any,
    use_locking: _Any = True,
    bad_indices_policy: _Any = "",
    name: _Any = None,
) -> _Any:
    """Takes maxima with elements or slices of a variable."""

def ResourceScatterNdMin(
    ref: _Any,
    indices: _Any,
    updates: _Any,
    use_locking: _Any = True,
    bad_indices_policy: _Any = "",
    name: _Any = None,
) -> _Any:
    """Takes minima with elements or slices of a variable."""

def ResourceScatterNdSub(
    ref: _Any,
    indices: _Any,
    updates: _Any,
    use_locking: _Any = True,
    bad_indices_policy: _Any = "",
    name: _Any = None,
) -> _Any:
    """Subtracts from elements or slices of a variable."""

def ResourceScatterNdUpdate(
    ref: _Any,
    indices: _Any,
    updates: _Any,
    use_locking: _Any = True,
    bad_indices_policy: _Any = "",
    name: _Any = None,
) -> _Any:
    """Replaces elements or slices of a variable."""

def ResourceScatterSub(resource: _Any, indices: _Any, updates: _Any, name: _Any = None) -> _Any:
    """Subtracts rows from a variable."""

def ResourceScatterUpdate(resource: _Any, indices: _Any, updates: _Any, name: _Any = None) -> _Any:
    """Replaces rows of a variable; of several for one row the last stays."""

def ResourceSparseApplyAdadelta(
    var: _Any,
    accum: _Any,
    accum_update: _Any,
    lr: _Any,
    rho: _Any,
    epsilon: _Any,
    grad: _Any,
    indices: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceSparseApplyAdadelta."""

def ResourceSparseApplyAdagrad(
    var: _Any,
    accum: _Any,
    lr: _Any,
    grad: _Any,
    indices: _Any,
    use_locking: _Any = False,
    update_slots: _Any = True,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceSparseApplyAdagrad."""

def ResourceSparseApplyAdagradDA(
    var: _Any,
    gradient_accumulator: _Any,
    gradient_squared_accumulator: _Any,
    grad: _Any,
    indices: _Any,
    lr: _Any,
    l1: _Any,
    l2: _Any,
    global_step: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceSparseApplyAdagradDA."""

def ResourceSparseApplyCenteredRMSProp(
    var: _Any,
    mg: _Any,
    ms: _Any,
    mom: _Any,
    lr: _Any,
    rho: _Any,
    momentum: _Any,
    epsilon: _Any,
    grad: _Any,
    indices: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceSparseApplyCenteredRMSProp."""

def ResourceSparseApplyFtrl(
    var: _Any,
    accum: _Any,
    linear: _Any,
    grad: _Any,
    indices: _Any,
    lr: _Any,
    l1: _Any,
    l2: _Any,
    lr_power: _Any,
    use_locking: _Any = False,
    multiply_linear_by_lr: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceSparseApplyFtrl."""

def ResourceSparseApplyMomentum(
    var: _Any,
    accum: _Any,
    lr: _Any,
    grad: _Any,
    indices: _Any,
    momentum: _Any,
    use_locking: _Any = False,
    use_nesterov: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceSparseApplyMomentum."""

def ResourceSparseApplyRMSProp(
    var: _Any,
    ms: _Any,
    mom: _Any,
    lr: _Any,
    rho: _Any,
    momentum: _Any,
    epsilon: _Any,
    grad: _Any,
    indices: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceSparseApplyRMSProp."""

def ResourceStridedSliceAssign(
    ref: _Any,
    begin: _Any,
    end: _Any,
    strides: _Any,
    value: _Any,
    begin_mask: _Any = 0,
    end_mask: _Any = 0,
    ellipsis_mask: _Any = 0,
    new_axis_mask: _Any = 0,
    shrink_axis_mask: _Any = 0,
    name: _Any = None,
) -> _Any:
    """Replaces a slice of a variable."""

def RestoreV2(
    prefix: _Any, tensor_names: _Any, shape_and_slices: _Any, dtypes: _Any, name: _Any = None
) -> _Any:
    """Returns tensors of a checkpoint; none before all of them have been read and verified."""

def ReverseSequence(
    input: _Any, seq_lengths: _Any, seq_dim: _Any, batch_dim: _Any = 0, name: _Any = None
) -> _Any:
    """Returns a tensor with the first elements along a dimension reversed, how many per row."""

def ReverseV2(tensor: _Any, axis: _Any, name: _Any = None) -> _Any:
    """Returns a tensor with the order of elements reversed along dimensions."""

def RightShift(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns x with its bits shifted y places to the right; the sign stays."""

def Rint(x: _Any, name: _Any = None) -> _Any:
    """Returns the nearest whole numbers, halves to the even one."""

def RngReadAndSkip(resource: _Any, alg: _Any, delta: _Any, name: _Any = None) -> _Any:
    """Returns the state of a generator and moves it on."""

def Roll(input: _Any, shift: _Any, axis: _Any, name: _Any = None) -> _Any:
    """Returns a tensor with its elements shifted along dimensions; what leaves comes in again."""

def Round(x: _Any, name: _Any = None) -> _Any:
    """Returns the nearest whole numbers, halves to the even one."""

def Rsqrt(x: _Any, name: _Any = None) -> _Any:
    """Returns 1 / sqrt(x)."""

def RsqrtGrad(y: _Any, dy: _Any, name: _Any = None) -> _Any:
    """Returns the gradient of the argument of a reciprocal square root."""

def SaveV2(
    prefix: _Any, tensor_names: _Any, shape_and_slices: _Any, tensors: _Any, name: _Any = None
) -> _Any:
    """Saves tensors as a checkpoint, at once: until all is written, the one before is there."""

def ScatterAdd(
    ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: _Any = None
) -> _Any:
    """Runs the operation ScatterAdd."""

def ScatterDiv(
    ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: _Any = None
) -> _Any:
    """Runs the operation ScatterDiv."""

def ScatterMax(
    ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: _Any = None
) -> _Any:
    """Runs the operation ScatterMax."""

def ScatterMin(
    ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: _Any = None
) -> _Any:
    """Runs the operation ScatterMin."""

def ScatterMul(
    ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: _Any = None
) -> _Any:
    """Runs the operation ScatterMul."""

def ScatterNd(
    indices: _Any, updates: _Any, shape: _Any, bad_indices_policy: _Any = "", name: _Any = None
) -> _Any:
    """Returns zeros with updates added at places."""

def ScatterNdAdd(
    ref: _Any,
    indices: _Any,
    updates: _Any,
    use_locking: _Any = False,
    bad_indices_policy: _Any = "",
    name: _Any = None,
) -> _Any:
    """Runs the operation ScatterNdAdd."""

def ScatterNdMax(
    ref: _Any,
    indices: _Any,
    updates: _Any,
    use_locking: _Any = False,
    bad_indices_policy: _Any = "",
    name: _Any = None,
) -> _Any:
    """Runs the operation ScatterNdMax."""

def ScatterNdMin(
    ref: _Any,
    indices: _Any,
    updates: _Any,
    use_locking: _Any = False,
    bad_indices_policy: _Any = "",
    name: _Any = None,
) -> _Any:
    """Runs the operation ScatterNdMin."""

def ScatterNdNonAliasingAdd(
    input: _Any, indices: _Any, updates: _Any, bad_indices_policy: _Any = "", name: _Any = None
) -> _Any:
    """Returns a tensor with updates added to elements or slices."""

def ScatterNdSub(
    ref: _Any,
    indices: _Any,
    updates: _Any,
    use_locking: _Any = False,
    bad_indices_policy: _Any = "",
    name: _Any = None,
) -> _Any:
    """Runs the operation ScatterNdSub."""

def ScatterNdUpdate(
    ref: _Any,
    indices: _Any,
    updates: _Any,
    use_locking: _Any = True,
    bad_indices_policy: _Any = "",
    name: _Any = None,
) -> _Any:
    """Runs the operation ScatterNdUpdate."""

def ScatterSub(
    ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: _Any = None
) -> _Any:
    """Runs the operation ScatterSub."""

def ScatterUpdate(
    ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = True, name: _Any = None
) -> _Any:
    """Runs the operation ScatterUpdate."""

def SegmentMax(data: _Any, segment_ids: _Any, name: _Any = None) -> _Any:
    """Returns maxima of the rows of each segment; 0 for a segment without rows."""

def SegmentMean(data: _Any, segment_ids: _Any, name: _Any = None) -> _Any:
    """Returns means of the rows of each segment; 0 for a segment without rows."""

def SegmentMin(data: _Any, segment_ids: _Any, name: _Any = None) -> _Any:
    """Returns minima of the rows of each segment; 0 for a segment without rows."""

def SegmentProd(data: _Any, segment_ids: _Any, name: _Any = None) -> _Any:
    """Returns products of the rows of each segment; 1 for a segment without rows."""

def SegmentSum(data: _Any, segment_ids: _Any, name: _Any = None) -> _Any:
    """Returns sums of the rows of each segment; 0 for a segment without rows."""

def Select(condition: _Any, x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Runs the operation Select."""

def SelectV2(condition: _Any, t: _Any, e: _Any, name: _Any = None) -> _Any:
    """Returns x where a condition holds and y elsewhere."""

def SelfAdjointEigV2(input: _Any, compute_v: _Any = True, name: _Any = None) -> _Any:
    """Returns eigenvalues and eigenvectors of self-adjoint matrices."""

def Selu(features: _Any, name: _Any = None) -> _Any:
    """Returns scaled exponential linear units."""

def SeluGrad(gradients: _Any, outputs: _Any, name: _Any = None) -> _Any:
    """Returns the derivatives of scaled exponential linear units."""

def SerializeManySparse(
    sparse_indices: _Any,
    sparse_values: _Any,
    sparse_shape: _Any,
    out_type: _Any = ...,
    name: _Any = None,
) -> _Any:
    """Returns the parts of a sparse tensor along its first dimension as three strings each."""

def SerializeSparse(
    sparse_indices: _Any,
    sparse_values: _Any,
    sparse_shape: _Any,
    out_type: _Any = ...,
    name: _Any = None,
) -> _Any:
    """Returns a sparse tensor as three strings."""

def SerializeTensor(tensor: _Any, name: _Any = None) -> _Any:
    """Returns a tensor as a string."""

def SetSize(
    set_indices: _Any,
    set_values: _Any,
    set_shape: _Any,
    validate_indices: _Any = True,
    name: _Any = None,
) -> _Any:
    """Returns the number of different elements of sets."""

def Shape(input: _Any, out_type: _Any = ..., name: _Any = None) -> _Any:
    """Returns the shape of a tensor as a tensor."""

def ShapeN(input: _Any, out_type: _Any = ..., name: _Any = None) -> _Any:
    """Returns the shapes of tensors."""

def ShardedFilename(basename: _Any, shard: _Any, num_shards: _Any, name: _Any = None) -> _Any:
    """Returns the name of one of several files."""

def Sigmoid(x: _Any, name: _Any = None) -> _Any:
    """Returns 1 / (1 + exp(-x)), without overflow."""

def SigmoidGrad(y: _Any, dy: _Any, name: _Any = None) -> _Any:
    """Returns the derivatives of the logistic function."""

def Sign(x: _Any, name: _Any = None) -> _Any:
    """Returns -1, 0 or 1 by the sign of x; x / |x| for complex numbers."""

def Sin(x: _Any, name: _Any = None) -> _Any:
    """Returns the sine of x."""

def Sinh(x: _Any, name: _Any = None) -> _Any:
    """Returns the hyperbolic sine of x."""

def Size(input: _Any, out_type: _Any = ..., name: _Any = None) -> _Any:
    """Runs the operation Size."""

def Slice(input: _Any, begin: _Any, size: _Any, name: _Any = None) -> _Any:
    """Returns a block of a tensor."""

def Softmax(logits: _Any, name: _Any = None) -> _Any:
    """Returns exp(x) divided by its sum along the last dimension."""

def SoftmaxCrossEntropyWithLogits(features: _Any, labels: _Any, name: _Any = None) -> _Any:
    """Returns cross entropies between softmax distributions and labels, and their derivatives."""

def Softplus(features: _Any, name: _Any = None) -> _Any:
    """Returns log(1 + exp(x)), without overflow."""

def SoftplusGrad(gradients: _Any, features: _Any, name: _Any = None) -> _Any:
    """Runs the operation SoftplusGrad."""

def Softsign(features: _Any, name: _Any = None) -> _Any:
    """Returns x / (1 + |x|)."""

def SoftsignGrad(gradients: _Any, features: _Any, name: _Any = None) -> _Any:
    """Returns the derivatives of x / (1 + |x|)."""

def SpaceToBatchND(input: _Any, block_shape: _Any, paddings: _Any, name: _Any = None) -> _Any:
    """Returns a tensor with blocks of space moved into the batch."""

def SpaceToDepth(
    input: _Any, block_size: _Any, data_format: _Any = "NHWC", name: _Any = None
) -> _Any:
    """Returns images with square blocks of pixels moved into the channels."""

def SparseAdd(
    a_indices: _Any,
    a_values: _Any,
    a_shape: _Any,
    b_indices: _Any,
    b_values: _Any,
    b_shape: _Any,
    thresh: _Any,
    name: _Any = None,
) -> _Any:
    """Returns the sum of two sparse tensors."""

def SparseAddGrad(
    backprop_val_grad: _Any, a_indices: _Any, b_indices: _Any, sum_indices: _Any, name: _Any = None
) -> _Any:
    """Returns the gradients of the elements of two sparse tensors, from that of their sum."""

def SparseBincount(
    indices: _Any,
    values: _Any,
    dense_shape: _Any,
    size: _Any,
    weights: _Any,
    binary_output: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns how often integers occur in a sparse vector, or in each row of a sparse matrix."""

def SparseConcat(
    indices: _Any, values: _Any, shapes: _Any, concat_dim: _Any, name: _Any = None
) -> _Any:
    """Returns sparse tensors joined along a dimension."""

def SparseCountSparseOutput(
    indices: _Any,
    values: _Any,
    dense_shape: _Any,
    weights: _Any,
    binary_output: _Any,
    minlength: _Any = -1,
    maxlength: _Any = -1,
    name: _Any = None,
) -> _Any:
    """Returns sparse counts of the integers in each row of a sparse matrix."""

def SparseDenseCwiseAdd(
    sp_indices: _Any, sp_values: _Any, sp_shape: _Any, dense: _Any, name: _Any = None
) -> _Any:
    """Returns the sums of the elements of a sparse tensor and a dense one, broadcast."""

def SparseDenseCwiseDiv(
    sp_indices: _Any, sp_values: _Any, sp_shape: _Any, dense: _Any, name: _Any = None
) -> _Any:
    """Returns the quotients of the elements of a sparse tensor and a dense one, broadcast."""

def SparseDenseCwiseMul(
    sp_indices: _Any, sp_values: _Any, sp_shape: _Any, dense: _Any, name: _Any = None
) -> _Any:
    """Returns the products of the elements of a sparse tensor and a dense one, broadcast."""

def SparseFillEmptyRows(
    indices: _Any, values: _Any, dense_shape: _Any, default_value: _Any, name: _Any = None
) -> _Any:
    """Returns a sparse tensor with an element in every row."""

def SparseMatMul(
    a: _Any,
    b: _Any,
    transpose_a: _Any = False,
    transpose_b: _Any = False,
    a_is_sparse: _Any = False,
    b_is_sparse: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns the product of two matrices of float32 or bfloat16, computed in float32."""

def SparseReduceMax(
    input_indices: _Any,
    input_values: _Any,
    input_shape: _Any,
    reduction_axes: _Any,
    keep_dims: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns the largest elements along dimensions of a sparse tensor; 0 where there are none."""

def SparseReduceMaxSparse(
    input_indices: _Any,
    input_values: _Any,
    input_shape: _Any,
    reduction_axes: _Any,
    keep_dims: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns the largest elements along dimensions of a sparse tensor."""

def SparseReduceSum(
    input_indices: _Any,
    input_values: _Any,
    input_shape: _Any,
    reduction_axes: _Any,
    keep_dims: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns sums along dimensions of a sparse tensor."""

def SparseReduceSumSparse(
    input_indices: _Any,
    input_values: _Any,
    input_shape: _Any,
    reduction_axes: _Any,
    keep_dims: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns sums along dimensions of a sparse tensor."""

def SparseReorder(
    input_indices: _Any, input_values: _Any, input_shape: _Any, name: _Any = None
) -> _Any:
    """Returns the elements of a sparse tensor in row-major order."""

def SparseReshape(
    input_indices: _Any, input_shape: _Any, new_shape: _Any, name: _Any = None
) -> _Any:
    """Returns where the elements of a sparse tensor lie in another shape."""

def SparseSegmentMean(
    data: _Any, indices: _Any, segment_ids: _Any, sparse_gradient: _Any = False, name: _Any = None
) -> _Any:
    """Returns means of chosen rows, a mean for each segment."""

def SparseSegmentMeanGrad(
    grad: _Any, indices: _Any, segment_ids: _Any, output_dim0: _Any, name: _Any = None
) -> _Any:
    """Returns the derivative of a reduction of chosen rows."""

def SparseSegmentMeanGradV2(
    grad: _Any, indices: _Any, segment_ids: _Any, dense_output_dim0: _Any, name: _Any = None
) -> _Any:
    """Returns the derivative of a reduction of chosen rows, of the rows that were taken only."""

def SparseSegmentMeanWithNumSegments(
    data: _Any,
    indices: _Any,
    segment_ids: _Any,
    num_segments: _Any,
    sparse_gradient: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns means of chosen rows, a mean for each of a given number of segments."""

def SparseSegmentSqrtN(
    data: _Any, indices: _Any, segment_ids: _Any, sparse_gradient: _Any = False, name: _Any = None
) -> _Any:
    """Returns sums of chosen rows, divided by the square root of their number."""

def SparseSegmentSqrtNGrad(
    grad: _Any, indices: _Any, segment_ids: _Any, output_dim0: _Any, name: _Any = None
) -> _Any:
    """Returns the derivative of a reduction of chosen rows."""

def SparseSegmentSqrtNGradV2(
    grad: _Any, indices: _Any, segment_ids: _Any, dense_output_dim0: _Any, name: _Any = None
) -> _Any:
    """Returns the derivative of a reduction of chosen rows, of the rows that were taken only."""

def SparseSegmentSqrtNWithNumSegments(
    data: _Any,
    indices: _Any,
    segment_ids: _Any,
    num_segments: _Any,
    sparse_gradient: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns sums of chosen rows, divided by the square root of their number, for given segments."""

def SparseSegmentSum(
    data: _Any, indices: _Any, segment_ids: _Any, sparse_gradient: _Any = False, name: _Any = None
) -> _Any:
    """Returns sums of chosen rows, a sum for each segment."""

def SparseSegmentSumGrad(
    grad: _Any, indices: _Any, segment_ids: _Any, output_dim0: _Any, name: _Any = None
) -> _Any:
    """Returns the derivative of a reduction of chosen rows."""

def SparseSegmentSumGradV2(
    grad: _Any, indices: _Any, segment_ids: _Any, dense_output_dim0: _Any, name: _Any = None
) -> _Any:
    """Returns the derivative of a reduction of chosen rows, of the rows that were taken only."""

def SparseSegmentSumWithNumSegments(
    data: _Any,
    indices: _Any,
    segment_ids: _Any,
    num_segments: _Any,
    sparse_gradient: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns sums of chosen rows, a sum for each of a given number of segments."""

def SparseSlice(
    indices: _Any, values: _Any, shape: _Any, start: _Any, size: _Any, name: _Any = None
) -> _Any:
    """Returns a part of a sparse tensor."""

def SparseSoftmax(sp_indices: _Any, sp_values: _Any, sp_shape: _Any, name: _Any = None) -> _Any:
    """Returns the softmax of the elements of a sparse tensor along its last dimension."""

def SparseSoftmaxCrossEntropyWithLogits(features: _Any, labels: _Any, name: _Any = None) -> _Any:
    """Returns cross entropies between softmax distributions and classes, and their derivatives."""

def SparseSparseMaximum(
    a_indices: _Any,
    a_values: _Any,
    a_shape: _Any,
    b_indices: _Any,
    b_values: _Any,
    b_shape: _Any,
    name: _Any = None,
) -> _Any:
    """Returns the larger elements of two sparse tensors; what is not there is 0."""

def SparseSparseMinimum(
    a_indices: _Any,
    a_values: _Any,
    a_shape: _Any,
    b_indices: _Any,
    b_values: _Any,
    b_shape: _Any,
    name: _Any = None,
) -> _Any:
    """Returns the smaller elements of two sparse tensors; what is not there is 0."""

def SparseSplit(
    split_dim: _Any, indices: _Any, values: _Any, shape: _Any, num_split: _Any, name: _Any = None
) -> _Any:
    """Returns a sparse tensor cut into pieces; the first ones get what does not divide."""

def SparseTensorDenseAdd(
    a_indices: _Any, a_values: _Any, a_shape: _Any, b: _Any, name: _Any = None
) -> _Any:
    """Returns the sum of a sparse tensor and a dense one."""

def SparseTensorDenseMatMul(
    a_indices: _Any,
    a_values: _Any,
    a_shape: _Any,
    b: _Any,
    adjoint_a: _Any = False,
    adjoint_b: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns the product of a sparse matrix and a dense one."""

def SparseToDense(
    sparse_indices: _Any,
    output_shape: _Any,
    sparse_values: _Any,
    default_value: _Any,
    validate_indices: _Any = True,
    name: _Any = None,
) -> _Any:
    """Returns a tensor that has given values at some places and another one everywhere else."""

def SparseToSparseSetOperation(
    set1_indices: _Any,
    set1_values: _Any,
    set1_shape: _Any,
    set2_indices: _Any,
    set2_values: _Any,
    set2_shape: _Any,
    set_operation: _Any,
    validate_indices: _Any = True,
    name: _Any = None,
) -> _Any:
    """Returns what a set operation makes of two sparse tensors."""

def Spence(x: _Any, name: _Any = None) -> _Any:
    """Returns Spence's function, the integral of log(t) / (1 - t) from 1 to x."""

def Split(axis: _Any, value: _Any, num_split: _Any, name: _Any = None) -> _Any:
    """Returns equal consecutive parts of a tensor along a dimension."""

def SplitV(value: _Any, size_splits: _Any, axis: _Any, num_split: _Any, name: _Any = None) -> _Any:
    """Returns consecutive parts of a tensor along a dimension."""

def Sqrt(x: _Any, name: _Any = None) -> _Any:
    """Returns the square root of x."""

def SqrtGrad(y: _Any, dy: _Any, name: _Any = None) -> _Any:
    """Returns the gradient of a square root's argument."""

def Square(x: _Any, name: _Any = None) -> _Any:
    """Returns x * x element-wise."""

def SquaredDifference(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns the squares of x - y (times the conjugate, for complex numbers)."""

def Squeeze(input: _Any, axis: _Any = ..., name: _Any = None) -> _Any:
    """Returns a tensor without dimensions of size 1."""

def StatefulRandomBinomial(
    resource: _Any,
    algorithm: _Any,
    shape: _Any,
    counts: _Any,
    probs: _Any,
    dtype: _Any = ...,
    name: _Any = None,
) -> _Any:
    """Returns random numbers from binomial distributions and moves a generator on."""

def StatelessMultinomial(
    logits: _Any, num_samples: _Any, seed: _Any, output_dtype: _Any = ..., name: _Any = None
) -> _Any:
    """Returns random categories that depend on the seed only."""

def StatelessParameterizedTruncatedNormal(
    shape: _Any,
    seed: _Any,
    means: _Any,
    stddevs: _Any,
    minvals: _Any,
    maxvals: _Any,
    name: _Any = None,
) -> _Any:
    """Returns random normal numbers between bounds, which depend on the seed only."""

def StatelessRandomBinomial(
    shape: _Any, seed: _Any, counts: _Any, probs: _Any, dtype: _Any = ..., name: _Any = None
) -> _Any:
    """Returns random numbers from binomial distributions that depend on the seed only."""

def StatelessRandomGammaV3(
    shape: _Any, key: _Any, counter: _Any, alg: _Any, alpha: _Any, name: _Any = None
) -> _Any:
    """Returns random numbers from gamma distributions of rate 1, of a key and a counter."""

def StatelessRandomGetKeyCounter(seed: _Any, name: _Any = None) -> _Any:
    """Returns the key and the counter that a seed means."""

def StatelessRandomNormalV2(
    shape: _Any, key: _Any, counter: _Any, alg: _Any, dtype: _Any = ..., name: _Any = None
) -> _Any:
    """Returns random numbers from the standard normal distribution, of a key and a counter."""

def StatelessRandomPoisson(
    shape: _Any, seed: _Any, lam: _Any, dtype: _Any, name: _Any = None
) -> _Any:
    """Returns random numbers from Poisson distributions that depend on the seed only."""

def StatelessRandomUniformFullIntV2(
    shape: _Any, key: _Any, counter: _Any, alg: _Any, dtype: _Any = ..., name: _Any = None
) -> _Any:
    """Returns random integers from all of a type's, of a key and a counter."""

def StatelessRandomUniformIntV2(
    shape: _Any, key: _Any, counter: _Any, alg: _Any, minval: _Any, maxval: _Any, name: _Any = None
) -> _Any:
    """Returns random integers between two bounds, of a key and a counter."""

def StatelessRandomUniformV2(
    shape: _Any, key: _Any, counter: _Any, alg: _Any, dtype: _Any = ..., name: _Any = None
) -> _Any:
    """Returns random numbers from 0 to 1, 1 excluded, of a key and a counter."""

def StatelessShuffle(value: _Any, key: _Any, counter: _Any, alg: _Any, name: _Any = None) -> _Any:
    """Returns the rows of a tensor in the order of a key and a counter."""

def StatelessTruncatedNormalV2(
    shape: _Any, key: _Any, counter: _Any, alg: _Any, dtype: _Any = ..., name: _Any = None
) -> _Any:
    """Returns normal random numbers less than 2 from 0, of a key and a counter."""

def StaticRegexFullMatch(input: _Any, pattern: _Any, name: _Any = None) -> _Any:
    """Returns whether strings match a pattern as a whole."""

def StaticRegexReplace(
    input: _Any, pattern: _Any, rewrite: _Any, replace_global: _Any = True, name: _Any = None
) -> _Any:
    """Returns strings with what matches a pattern replaced."""

def StopGradient(input: _Any, name: _Any = None) -> _Any:
    """Returns a tensor of the same value, through which no gradient flows."""

def StridedSlice(
    input: _Any,
    begin: _Any,
    end: _Any,
    strides: _Any,
    begin_mask: _Any = 0,
    end_mask: _Any = 0,
    ellipsis_mask: _Any = 0,
    new_axis_mask: _Any = 0,
    shrink_axis_mask: _Any = 0,
    name: _Any = None,
) -> _Any:
    """Returns a slice of a tensor."""

def StridedSliceAssign(
    ref: _Any,
    begin: _Any,
    end: _Any,
    strides: _Any,
    value: _Any,
    begin_mask: _Any = 0,
    end_mask: _Any = 0,
    ellipsis_mask: _Any = 0,
    new_axis_mask: _Any = 0,
    shrink_axis_mask: _Any = 0,
    name: _Any = None,
) -> _Any:
    """Runs the operation StridedSliceAssign."""

def StridedSliceGrad(
    shape: _Any,
    begin: _Any,
    end: _Any,
    strides: _Any,
    dy: _Any,
    begin_mask: _Any = 0,
    end_mask: _Any = 0,
    ellipsis_mask: _Any = 0,
    new_axis_mask: _Any = 0,
    shrink_axis_mask: _Any = 0,
    name: _Any = None,
) -> _Any:
    """Returns zeros with a slice replaced; the gradient of a strided slice."""

def StringFormat(
    inputs: _Any,
    template: _Any = "%s",
    placeholder: _Any = "%s",
    summarize: _Any = 3,
    name: _Any = None,
) -> _Any:
    """Runs the operation StringFormat."""

def StringJoin(inputs: _Any, separator: _Any = "", name: _Any = None) -> _Any:
    """Returns strings joined element-wise."""

def StringLength(input: _Any, unit: _Any = "BYTE", name: _Any = None) -> _Any:
    """Returns the lengths of strings."""

def StringLower(input: _Any, encoding: _Any = "", name: _Any = None) -> _Any:
    """Returns strings in lower case."""

def StringNGrams(
    data: _Any,
    data_splits: _Any,
    separator: _Any,
    ngram_widths: _Any,
    left_pad: _Any,
    right_pad: _Any,
    pad_width: _Any,
    preserve_short_sequences: _Any,
    name: _Any = None,
) -> _Any:
    """Runs the operation StringNGrams."""

def StringSplit(input: _Any, delimiter: _Any, skip_empty: _Any = True, name: _Any = None) -> _Any:
    """Runs the operation StringSplit."""

def StringSplitV2(input: _Any, sep: _Any, maxsplit: _Any = -1, name: _Any = None) -> _Any:
    """Runs the operation StringSplitV2."""

def StringStrip(input: _Any, name: _Any = None) -> _Any:
    """Returns strings without white space at their ends."""

def StringToHashBucket(string_tensor: _Any, num_buckets: _Any, name: _Any = None) -> _Any:
    """Returns numbers that depend on strings."""

def StringToHashBucketFast(input: _Any, num_buckets: _Any, name: _Any = None) -> _Any:
    """Returns numbers that depend on strings, evenly spread."""

def StringToHashBucketStrong(input: _Any, num_buckets: _Any, key: _Any, name: _Any = None) -> _Any:
    """Returns numbers that depend on strings in a way that is hard to guess without the key."""

def StringToNumber(string_tensor: _Any, out_type: _Any = ..., name: _Any = None) -> _Any:
    """Returns the numbers that strings hold."""

def StringUpper(input: _Any, encoding: _Any = "", name: _Any = None) -> _Any:
    """Returns strings in upper case."""

def Sub(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns x - y element-wise."""

def Substr(input: _Any, pos: _Any, len: _Any, unit: _Any = "BYTE", name: _Any = None) -> _Any:
    """Returns parts of strings."""

def Sum(input: _Any, axis: _Any, keep_dims: _Any = False, name: _Any = None) -> _Any:
    """Returns sums along dimensions."""

def Svd(
    input: _Any, compute_uv: _Any = True, full_matrices: _Any = False, name: _Any = None
) -> _Any:
    """Returns singular values and vectors of matrices."""

def Tan(x: _Any, name: _Any = None) -> _Any:
    """Returns the tangent of x."""

def Tanh(x: _Any, name: _Any = None) -> _Any:
    """Returns the hyperbolic tangent of x."""

def TanhGrad(y: _Any, dy: _Any, name: _Any = None) -> _Any:
    """Returns the derivatives of the hyperbolic tangent."""

def TensorListConcatV2(
    input_handle: _Any,
    element_shape: _Any,
    leading_dims: _Any,
    element_dtype: _Any,
    name: _Any = None,
) -> _Any:
    """Runs the operation TensorListConcatV2."""

def TensorListFromTensor(tensor: _Any, element_shape: _Any, name: _Any = None) -> _Any:
    """Runs the operation TensorListFromTensor."""

def TensorListGetItem(
    input_handle: _Any, index: _Any, element_shape: _Any, element_dtype: _Any, name: _Any = None
) -> _Any:
    """Runs the operation TensorListGetItem."""

def TensorListLength(input_handle: _Any, name: _Any = None) -> _Any:
    """Runs the operation TensorListLength."""

def TensorListPopBack(
    input_handle: _Any, element_shape: _Any, element_dtype: _Any, name: _Any = None
) -> _Any:
    """Runs the operation TensorListPopBack."""

def TensorListPushBack(input_handle: _Any, tensor: _Any, name: _Any = None) -> _Any:
    """Runs the operation TensorListPushBack."""

def TensorListReserve(
    element_shape: _Any, num_elements: _Any, element_dtype: _Any, name: _Any = None
) -> _Any:
    """Runs the operation TensorListReserve."""

def TensorListScatterIntoExistingList(
    input_handle: _Any, tensor: _Any, indices: _Any, name: _Any = None
) -> _Any:
    """Runs the operation TensorListScatterIntoExistingList."""

def TensorListSetItem(
    input_handle: _Any,
    index: _Any,
    item: _Any,
    resize_if_index_out_of_bounds: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation TensorListSetItem."""

def TensorListSplit(tensor: _Any, element_shape: _Any, lengths: _Any, name: _Any = None) -> _Any:
    """Runs the operation TensorListSplit."""

def TensorListStack(
    input_handle: _Any,
    element_shape: _Any,
    element_dtype: _Any,
    num_elements: _Any = -1,
    name: _Any = None,
) -> _Any:
    """Runs the operation TensorListStack."""

def TensorScatterAdd(
    tensor: _Any, indices: _Any, updates: _Any, bad_indices_policy: _Any = "", name: _Any = None
) -> _Any:
    """Returns a tensor with updates added to elements or slices."""

def TensorScatterMax(
    tensor: _Any, indices: _Any, updates: _Any, bad_indices_policy: _Any = "", name: _Any = None
) -> _Any:
    """Returns a tensor with elements or slices replaced where an update is larger."""

def TensorScatterMin(
    tensor: _Any, indices: _Any, updates: _Any, bad_indices_policy: _Any = "", name: _Any = None
) -> _Any:
    """Returns a tensor with elements or slices replaced where an update is smaller."""

def TensorScatterSub(
    tensor: _Any, indices: _Any, updates: _Any, bad_indices_policy: _Any = "", name: _Any = None
) -> _Any:
    """Returns a tensor with updates subtracted from elements or slices."""

def TensorScatterUpdate(
    tensor: _Any, indices: _Any, updates: _Any, bad_indices_policy: _Any = "", name: _Any = None
) -> _Any:
    """Returns a tensor with elements or slices replaced; of several for one place the last stays."""

def TensorStridedSliceUpdate(
    input: _Any,
    begin: _Any,
    end: _Any,
    strides: _Any,
    value: _Any,
    begin_mask: _Any = 0,
    end_mask: _Any = 0,
    ellipsis_mask: _Any = 0,
    new_axis_mask: _Any = 0,
    shrink_axis_mask: _Any = 0,
    name: _Any = None,
) -> _Any:
    """Returns a tensor with a slice replaced."""

def Tile(input: _Any, multiples: _Any, name: _Any = None) -> _Any:
    """Returns a tensor repeated along each dimension."""

def TopKV2(
    input: _Any, k: _Any, sorted: _Any = True, index_type: _Any = ..., name: _Any = None
) -> _Any:
    """Returns the largest elements along the last dimension, and their indices."""

def Transpose(x: _Any, perm: _Any, name: _Any = None) -> _Any:
    """Returns a tensor with its dimensions in another order."""

def TridiagonalMatMul(
    superdiag: _Any, maindiag: _Any, subdiag: _Any, rhs: _Any, name: _Any = None
) -> _Any:
    """Returns the products of matrices with three diagonals and others."""

def TridiagonalSolve(
    diagonals: _Any,
    rhs: _Any,
    partial_pivoting: _Any = True,
    perturb_singular: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns the solutions of systems of linear equations with three diagonals."""

def TruncateDiv(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns x / y rounded towards zero."""

def TruncateMod(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns what division rounded towards zero leaves, with the sign of x."""

def TruncatedNormal(
    shape: _Any, dtype: _Any, seed: _Any = 0, seed2: _Any = 0, name: _Any = None
) -> _Any:
    """Returns random numbers from the standard normal distribution, less than 2 from 0."""

def UnicodeDecode(
    input: _Any,
    input_encoding: _Any,
    errors: _Any = "replace",
    replacement_char: _Any = 65533,
    replace_control_characters: _Any = False,
    Tsplits: _Any = ...,
    name: _Any = None,
) -> _Any:
    """Runs the operation UnicodeDecode."""

def UnicodeDecodeWithOffsets(
    input: _Any,
    input_encoding: _Any,
    errors: _Any = "replace",
    replacement_char: _Any = 65533,
    replace_control_characters: _Any = False,
    Tsplits: _Any = ...,
    name: _Any = None,
) -> _Any:
    """Runs the operation UnicodeDecodeWithOffsets."""

def UnicodeEncode(
    input_values: _Any,
    input_splits: _Any,
    output_encoding: _Any,
    errors: _Any = "replace",
    replacement_char: _Any = 65533,
    name: _Any = None,
) -> _Any:
    """Runs the operation UnicodeEncode."""

def UnicodeScript(input: _Any, name: _Any = None) -> _Any:
    """Returns the scripts that characters belong to."""

def UnicodeTranscode(
    input: _Any,
    input_encoding: _Any,
    output_encoding: _Any,
    errors: _Any = "replace",
    replacement_char: _Any = 65533,
    replace_control_characters: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation UnicodeTranscode."""

def UniformCandidateSampler(
    true_classes: _Any,
    num_true: _Any,
    num_sampled: _Any,
    unique: _Any,
    range_max: _Any,
    seed: _Any = 0,
    seed2: _Any = 0,
    name: _Any = None,
) -> _Any:
    """Returns classes of which all are alike."""

def Unique(x: _Any, out_idx: _Any = ..., name: _Any = None) -> _Any:
    """Returns the distinct elements of a vector, and which of them each element is."""

def UniqueV2(x: _Any, axis: _Any, out_idx: _Any = ..., name: _Any = None) -> _Any:
    """Returns the distinct slices of a tensor along a dimension, and which of them each slice is."""

def UniqueWithCounts(x: _Any, out_idx: _Any = ..., name: _Any = None) -> _Any:
    """Returns the distinct elements of a vector, which of them each is, and how often they occur."""

def UniqueWithCountsV2(x: _Any, axis: _Any, out_idx: _Any = ..., name: _Any = None) -> _Any:
    """Returns the distinct slices of a tensor along a dimension, which of them each is, and how often they occur."""

def Unpack(value: _Any, num: _Any, axis: _Any = 0, name: _Any = None) -> _Any:
    """Returns the slices of a tensor along a dimension."""

def UnravelIndex(indices: _Any, dims: _Any, name: _Any = None) -> _Any:
    """Returns the positions in a shape that indices into its flat elements mean."""

def UnsortedSegmentJoin(
    inputs: _Any, segment_ids: _Any, num_segments: _Any, separator: _Any = "", name: _Any = None
) -> _Any:
    """Returns the strings of each segment joined; an empty string for a segment without any."""

def UnsortedSegmentMax(
    data: _Any, segment_ids: _Any, num_segments: _Any, name: _Any = None
) -> _Any:
    """Returns maxima of the rows of each segment; the type's lowest value for one without rows."""

def UnsortedSegmentMin(
    data: _Any, segment_ids: _Any, num_segments: _Any, name: _Any = None
) -> _Any:
    """Returns minima of the rows of each segment; the type's highest value for one without rows."""

def UnsortedSegmentProd(
    data: _Any, segment_ids: _Any, num_segments: _Any, name: _Any = None
) -> _Any:
    """Returns products of the rows of each segment; 1 for a segment without rows."""

def UnsortedSegmentSum(
    data: _Any, segment_ids: _Any, num_segments: _Any, name: _Any = None
) -> _Any:
    """Returns sums of the rows of each segment; 0 for a segment without rows."""

def UpperBound(sorted_inputs: _Any, values: _Any, out_type: _Any = ..., name: _Any = None) -> _Any:
    """Returns after how many elements of sorted rows values would go in last."""

def VarHandleOp(
    dtype: _Any,
    shape: _Any,
    container: _Any = "",
    shared_name: _Any = "",
    debug_name: _Any = "",
    allowed_devices: _Any = ...,
    name: _Any = None,
) -> _Any:
    """Runs the operation VarHandleOp."""

def VarIsInitializedOp(resource: _Any, name: _Any = None) -> _Any:
    """Returns whether a variable has a value."""

def Variable(
    shape: _Any, dtype: _Any, container: _Any = "", shared_name: _Any = "", name: _Any = None
) -> _Any:
    """Runs the operation Variable."""

def VariableShape(input: _Any, out_type: _Any = ..., name: _Any = None) -> _Any:
    """Runs the operation VariableShape."""

def VariableV2(
    shape: _Any, dtype: _Any, container: _Any = "", shared_name: _Any = "", name: _Any = None
) -> _Any:
    """Runs the operation VariableV2."""

def Where(condition: _Any, name: _Any = None) -> _Any:
    """Returns the indices of the elements that are true."""

def WriteFile(filename: _Any, contents: _Any, name: _Any = None) -> _Any:
    """Writes a string into a file; directories that lead to it are made."""

def Xdivy(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns x / y element-wise, and 0 where x is 0 whatever y is."""

def Xlog1py(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns x * log(1 + y) element-wise, and 0 where x is 0 whatever y is."""

def Xlogy(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns x * log(y) element-wise, and 0 where x is 0 whatever y is."""

def ZerosLike(x: _Any, name: _Any = None) -> _Any:
    """Returns zeros of a tensor's type and shape."""

def Zeta(x: _Any, q: _Any, name: _Any = None) -> _Any:
    """Returns Hurwitz' zeta function, the sum of (q + n)^-x over n = 0, 1, 2, ..."""
