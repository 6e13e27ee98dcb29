# Computed from the op table by tools/make_stubs.py.

from typing import Any as _Any

def Abs(x: _Any, name: _Any = None) -> _Any:
    """Returns the absolute value of x, element-wise."""

def Acos(x: _Any, name: _Any = None) -> _Any:
    """Returns the inverse cosine of x, element-wise, in radians."""

def Acosh(x: _Any, name: _Any = None) -> _Any:
    """Returns the inverse hyperbolic cosine of x, element-wise."""

def Add(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns x + y element-wise: the op of ``tf.add`` for strings, and of older graphs."""

def AddN(inputs: _Any, name: _Any = None) -> _Any:
    """Returns the element-wise sum of tensors of the same shape."""

def AddV2(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns x + y element-wise; strings are concatenated."""

def AdjustContrastv2(images: _Any, contrast_factor: _Any, name: _Any = None) -> _Any:
    """Scales the differences of images from their means."""

def AdjustHue(images: _Any, delta: _Any, name: _Any = None) -> _Any:
    """Turns the hue of images."""

def AdjustSaturation(images: _Any, scale: _Any, name: _Any = None) -> _Any:
    """Multiplies the saturation of images."""

def All(input: _Any, axis: _Any, keep_dims: _Any = False, name: _Any = None) -> _Any:
    """Computes the logical AND of elements along axes."""

def AllCandidateSampler(
    true_classes: _Any,
    num_true: _Any,
    num_sampled: _Any,
    unique: _Any,
    seed: _Any = 0,
    seed2: _Any = 0,
    name: _Any = None,
) -> _Any:
    """Returns all classes as candidates."""

def Angle(input: _Any, Tout: _Any = ..., name: _Any = None) -> _Any:
    """Returns the angle (argument) of a complex tensor, in radians."""

def AnonymousHashTable(key_dtype: _Any, value_dtype: _Any, name: _Any = None) -> _Any:
    """Runs the operation AnonymousHashTable."""

def AnonymousMutableDenseHashTable(
    empty_key: _Any,
    deleted_key: _Any,
    value_dtype: _Any,
    value_shape: _Any = None,
    initial_num_buckets: _Any = 131072,
    max_load_factor: _Any = 0.8,
    name: _Any = None,
) -> _Any:
    """Runs the operation AnonymousMutableDenseHashTable."""

def AnonymousMutableHashTable(key_dtype: _Any, value_dtype: _Any, name: _Any = None) -> _Any:
    """Runs the operation AnonymousMutableHashTable."""

def AnonymousMutableHashTableOfTensors(
    key_dtype: _Any, value_dtype: _Any, value_shape: _Any = None, name: _Any = None
) -> _Any:
    """Runs the operation AnonymousMutableHashTableOfTensors."""

def Any(input: _Any, axis: _Any, keep_dims: _Any = False, name: _Any = None) -> _Any:
    """Computes the logical OR of elements along axes."""

def ApplyAdaMax(
    var: _Any,
    m: _Any,
    v: _Any,
    beta1_power: _Any,
    lr: _Any,
    beta1: _Any,
    beta2: _Any,
    epsilon: _Any,
    grad: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ApplyAdaMax."""

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

def ApplyAdagradV2(
    var: _Any,
    accum: _Any,
    lr: _Any,
    epsilon: _Any,
    grad: _Any,
    use_locking: _Any = False,
    update_slots: _Any = True,
    name: _Any = None,
) -> _Any:
    """Runs the operation ApplyAdagradV2."""

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

def ApplyAddSign(
    var: _Any,
    m: _Any,
    lr: _Any,
    alpha: _Any,
    sign_decay: _Any,
    beta: _Any,
    grad: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ApplyAddSign."""

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

def ApplyFtrlV2(
    var: _Any,
    accum: _Any,
    linear: _Any,
    grad: _Any,
    lr: _Any,
    l1: _Any,
    l2: _Any,
    l2_shrinkage: _Any,
    lr_power: _Any,
    use_locking: _Any = False,
    multiply_linear_by_lr: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ApplyFtrlV2."""

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

def ApplyPowerSign(
    var: _Any,
    m: _Any,
    lr: _Any,
    logbase: _Any,
    sign_decay: _Any,
    beta: _Any,
    grad: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ApplyPowerSign."""

def ApplyProximalAdagrad(
    var: _Any,
    accum: _Any,
    lr: _Any,
    l1: _Any,
    l2: _Any,
    grad: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ApplyProximalAdagrad."""

def ApplyProximalGradientDescent(
    var: _Any,
    alpha: _Any,
    l1: _Any,
    l2: _Any,
    delta: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ApplyProximalGradientDescent."""

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
    """Returns the k largest or smallest elements along an axis."""

def ArgMax(input: _Any, dimension: _Any, output_type: _Any = ..., name: _Any = None) -> _Any:
    """Returns the index of the maximum along an axis."""

def ArgMin(input: _Any, dimension: _Any, output_type: _Any = ..., name: _Any = None) -> _Any:
    """Returns the index of the minimum along an axis."""

def AsString(
    input: _Any,
    precision: _Any = -1,
    scientific: _Any = False,
    shortest: _Any = False,
    width: _Any = -1,
    fill: _Any = "",
    name: _Any = None,
) -> _Any:
    """Converts each element of a tensor to a string."""

def Asin(x: _Any, name: _Any = None) -> _Any:
    """Returns the inverse sine of x, element-wise, in radians."""

def Asinh(x: _Any, name: _Any = None) -> _Any:
    """Returns the inverse hyperbolic sine of x, element-wise."""

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
    """Assigns a value to a variable, in place if its buffer is not shared."""

def Atan(x: _Any, name: _Any = None) -> _Any:
    """Returns the inverse tangent of x, element-wise, in radians."""

def Atan2(y: _Any, x: _Any, name: _Any = None) -> _Any:
    """Returns the angle of the point (x, y) element-wise, in radians between -pi and pi."""

def Atanh(x: _Any, name: _Any = None) -> _Any:
    """Returns the inverse hyperbolic tangent of x, element-wise."""

def AudioSummaryV2(
    tag: _Any, tensor: _Any, sample_rate: _Any, max_outputs: _Any = 3, name: _Any = None
) -> _Any:
    """Returns the summary of audio, as WAV files."""

def AvgPool(
    value: _Any,
    ksize: _Any,
    strides: _Any,
    padding: _Any,
    data_format: _Any = "NHWC",
    name: _Any = None,
) -> _Any:
    """Performs average pooling over images; padding is not counted."""

def AvgPool3D(
    input: _Any,
    ksize: _Any,
    strides: _Any,
    padding: _Any,
    data_format: _Any = "NDHWC",
    name: _Any = None,
) -> _Any:
    """Performs average pooling over volumes; padding is not counted."""

def AvgPool3DGrad(
    orig_input_shape: _Any,
    grad: _Any,
    ksize: _Any,
    strides: _Any,
    padding: _Any,
    data_format: _Any = "NDHWC",
    name: _Any = None,
) -> _Any:
    """Computes the gradient of average pooling over volumes."""

def AvgPoolGrad(
    orig_input_shape: _Any,
    grad: _Any,
    ksize: _Any,
    strides: _Any,
    padding: _Any,
    data_format: _Any = "NHWC",
    name: _Any = None,
) -> _Any:
    """Computes the gradient of average pooling over images."""

def BandedTriangularSolve(
    matrix: _Any, rhs: _Any, lower: _Any = True, adjoint: _Any = False, name: _Any = None
) -> _Any:
    """Solves systems of linear equations with banded triangular matrices."""

def BatchMatMulV2(
    x: _Any,
    y: _Any,
    adj_x: _Any = False,
    adj_y: _Any = False,
    grad_x: _Any = False,
    grad_y: _Any = False,
    name: _Any = None,
) -> _Any:
    """Multiplies the matrices in the last two dimensions, broadcast over the batch dimensions."""

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
    """Multiplies batches of matrices of different dtypes, with a given output dtype."""

def BatchToSpaceND(input: _Any, block_shape: _Any, crops: _Any, name: _Any = None) -> _Any:
    """Rearranges the batch dimension into blocks of the spatial dimensions."""

def BesselI0(x: _Any, name: _Any = None) -> _Any:
    """Computes the modified Bessel function of the first kind of order 0."""

def BesselI0e(x: _Any, name: _Any = None) -> _Any:
    """Computes the exponentially scaled modified Bessel function of the first kind of order 0."""

def BesselI1(x: _Any, name: _Any = None) -> _Any:
    """Computes the modified Bessel function of the first kind of order 1."""

def BesselI1e(x: _Any, name: _Any = None) -> _Any:
    """Computes the exponentially scaled modified Bessel function of the first kind of order 1."""

def BesselJ0(x: _Any, name: _Any = None) -> _Any:
    """Computes the Bessel function of the first kind of order 0."""

def BesselJ1(x: _Any, name: _Any = None) -> _Any:
    """Computes the Bessel function of the first kind of order 1."""

def BesselK0(x: _Any, name: _Any = None) -> _Any:
    """Computes the modified Bessel function of the second kind of order 0."""

def BesselK0e(x: _Any, name: _Any = None) -> _Any:
    """Computes the exponentially scaled modified Bessel function of the second kind of order 0."""

def BesselK1(x: _Any, name: _Any = None) -> _Any:
    """Computes the modified Bessel function of the second kind of order 1."""

def BesselK1e(x: _Any, name: _Any = None) -> _Any:
    """Computes the exponentially scaled modified Bessel function of the second kind of order 1."""

def BesselY0(x: _Any, name: _Any = None) -> _Any:
    """Computes the Bessel function of the second kind of order 0."""

def BesselY1(x: _Any, name: _Any = None) -> _Any:
    """Computes the Bessel function of the second kind of order 1."""

def Betainc(a: _Any, b: _Any, x: _Any, name: _Any = None) -> _Any:
    """Computes the regularized incomplete beta function."""

def BiasAdd(value: _Any, bias: _Any, data_format: _Any = "NHWC", name: _Any = None) -> _Any:
    """Adds a bias to each channel of a tensor."""

def BiasAddGrad(out_backprop: _Any, data_format: _Any = "NHWC", name: _Any = None) -> _Any:
    """Computes the gradient of BiasAdd for the bias: the sum over all axes but the channels."""

def Bincount(arr: _Any, size: _Any, weights: _Any, name: _Any = None) -> _Any:
    """Runs the operation Bincount."""

def Bitcast(input: _Any, type: _Any, name: _Any = None) -> _Any:
    """Reinterprets the bytes of a tensor as another dtype."""

def BitwiseAnd(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns the bitwise AND of x and y, element-wise."""

def BitwiseOr(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns the bitwise OR of x and y, element-wise."""

def BitwiseXor(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns the bitwise XOR of x and y, element-wise."""

def BlockLSTM(
    seq_len_max: _Any,
    x: _Any,
    cs_prev: _Any,
    h_prev: _Any,
    w: _Any,
    wci: _Any,
    wcf: _Any,
    wco: _Any,
    b: _Any,
    forget_bias: _Any = 1.0,
    cell_clip: _Any = 3.0,
    use_peephole: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation BlockLSTM."""

def BlockLSTMV2(
    seq_len_max: _Any,
    x: _Any,
    cs_prev: _Any,
    h_prev: _Any,
    w: _Any,
    wci: _Any,
    wcf: _Any,
    wco: _Any,
    b: _Any,
    cell_clip: _Any = 0.0,
    use_peephole: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation BlockLSTMV2."""

def BroadcastArgs(s0: _Any, s1: _Any, name: _Any = None) -> _Any:
    """Returns the broadcast shape of two shapes."""

def BroadcastGradientArgs(s0: _Any, s1: _Any, name: _Any = None) -> _Any:
    """Returns the axes to sum the gradients of two broadcast tensors over."""

def BroadcastTo(input: _Any, shape: _Any, name: _Any = None) -> _Any:
    """Broadcasts a tensor to a compatible shape."""

def Bucketize(input: _Any, boundaries: _Any, name: _Any = None) -> _Any:
    """Runs the operation Bucketize."""

def CTCBeamSearchDecoder(
    inputs: _Any,
    sequence_length: _Any,
    beam_width: _Any,
    top_paths: _Any,
    merge_repeated: _Any = True,
    name: _Any = None,
) -> _Any:
    """Performs beam search decoding of CTC logits."""

def CTCGreedyDecoder(
    inputs: _Any,
    sequence_length: _Any,
    merge_repeated: _Any = False,
    blank_index: _Any = -1,
    name: _Any = None,
) -> _Any:
    """Performs greedy (best path) decoding of CTC logits."""

def CTCLoss(
    inputs: _Any,
    labels_indices: _Any,
    labels_values: _Any,
    sequence_length: _Any,
    preprocess_collapse_repeated: _Any = False,
    ctc_merge_repeated: _Any = True,
    ignore_longer_outputs_than_inputs: _Any = False,
    name: _Any = None,
) -> _Any:
    """Computes the CTC loss of logits, and its gradient."""

def CTCLossDense(
    logits: _Any, labels: _Any, label_length: _Any, logit_length: _Any, name: _Any = None
) -> _Any:
    """Computes the CTC loss of dense labels, and its gradient."""

def Cast(x: _Any, DstT: _Any, Truncate: _Any = False, name: _Any = None) -> _Any:
    """Casts a tensor to another dtype, with the conversions of C."""

def Ceil(x: _Any, name: _Any = None) -> _Any:
    """Returns the smallest integer not less than x, element-wise."""

def CheckNumerics(tensor: _Any, message: _Any, name: _Any = None) -> _Any:
    """Returns a tensor, or raises InvalidArgumentError if it contains NaN or inf."""

def Cholesky(input: _Any, name: _Any = None) -> _Any:
    """Computes the Cholesky decomposition of positive definite matrices."""

def ClipByValue(t: _Any, clip_value_min: _Any, clip_value_max: _Any, name: _Any = None) -> _Any:
    """Clips the values of a tensor to a range; real and imaginary parts separately."""

def CombinedNonMaxSuppression(
    boxes: _Any,
    scores: _Any,
    max_output_size_per_class: _Any,
    max_total_size: _Any,
    iou_threshold: _Any,
    score_threshold: _Any,
    pad_per_class: _Any = False,
    clip_boxes: _Any = True,
    name: _Any = None,
) -> _Any:
    """Selects boxes of several classes by non-maximum suppression within each."""

def Complex(real: _Any, imag: _Any, Tout: _Any = ..., name: _Any = None) -> _Any:
    """Converts a real and an imaginary part to a complex tensor."""

def ComplexAbs(x: _Any, Tout: _Any = ..., name: _Any = None) -> _Any:
    """Returns the absolute value of complex numbers, element-wise."""

def ComputeAccidentalHits(
    true_classes: _Any,
    sampled_candidates: _Any,
    num_true: _Any,
    seed: _Any = 0,
    seed2: _Any = 0,
    name: _Any = None,
) -> _Any:
    """Computes the positions of sampled candidates that are target classes (accidental hits)."""

def ConcatOffset(concat_dim: _Any, shape: _Any, name: _Any = None) -> _Any:
    """Runs the operation ConcatOffset."""

def ConcatV2(values: _Any, axis: _Any, name: _Any = None) -> _Any:
    """Concatenates tensors along one axis."""

def Conj(input: _Any, name: _Any = None) -> _Any:
    """Returns the complex conjugate of a tensor."""

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
    """Computes the 2-D convolution of images with filters."""

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
    """Computes the gradient of conv2d with respect to its filters."""

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
    """Computes the gradient of conv2d with respect to its input (a transposed convolution)."""

def Conv3D(
    input: _Any,
    filter: _Any,
    strides: _Any,
    padding: _Any,
    data_format: _Any = "NDHWC",
    dilations: _Any = ...,
    name: _Any = None,
) -> _Any:
    """Computes the 3-D convolution of volumes with filters."""

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
    """Computes the gradient of conv3d with respect to its filters."""

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
    """Computes the gradient of conv3d with respect to its input."""

def Cos(x: _Any, name: _Any = None) -> _Any:
    """Returns the cosine of x, element-wise."""

def Cosh(x: _Any, name: _Any = None) -> _Any:
    """Returns the hyperbolic cosine of x, element-wise."""

def CropAndResize(
    image: _Any,
    boxes: _Any,
    box_ind: _Any,
    crop_size: _Any,
    method: _Any = "bilinear",
    extrapolation_value: _Any = 0.0,
    name: _Any = None,
) -> _Any:
    """Crops images by boxes and resizes the crops."""

def CropAndResizeGradBoxes(
    grads: _Any,
    image: _Any,
    boxes: _Any,
    box_ind: _Any,
    method: _Any = "bilinear",
    name: _Any = None,
) -> _Any:
    """Computes the gradient of ``CropAndResize`` by the boxes."""

def CropAndResizeGradImage(
    grads: _Any,
    boxes: _Any,
    box_ind: _Any,
    image_size: _Any,
    T: _Any,
    method: _Any = "bilinear",
    name: _Any = None,
) -> _Any:
    """Computes the gradient of ``CropAndResize`` by the images."""

def Cross(a: _Any, b: _Any, name: _Any = None) -> _Any:
    """Computes the cross products of the 3-element vectors in the last dimension."""

def CudnnRNN(
    input: _Any,
    input_h: _Any,
    input_c: _Any,
    params: _Any,
    rnn_mode: _Any = "lstm",
    input_mode: _Any = "linear_input",
    direction: _Any = "unidirectional",
    dropout: _Any = 0.0,
    seed: _Any = 0,
    seed2: _Any = 0,
    is_training: _Any = True,
    name: _Any = None,
) -> _Any:
    """Runs the operation CudnnRNN."""

def CudnnRNNV2(
    input: _Any,
    input_h: _Any,
    input_c: _Any,
    params: _Any,
    rnn_mode: _Any = "lstm",
    input_mode: _Any = "linear_input",
    direction: _Any = "unidirectional",
    dropout: _Any = 0.0,
    seed: _Any = 0,
    seed2: _Any = 0,
    is_training: _Any = True,
    name: _Any = None,
) -> _Any:
    """Runs the operation CudnnRNNV2."""

def CudnnRNNV3(
    input: _Any,
    input_h: _Any,
    input_c: _Any,
    params: _Any,
    sequence_lengths: _Any,
    rnn_mode: _Any = "lstm",
    input_mode: _Any = "linear_input",
    direction: _Any = "unidirectional",
    dropout: _Any = 0.0,
    seed: _Any = 0,
    seed2: _Any = 0,
    num_proj: _Any = 0,
    is_training: _Any = True,
    time_major: _Any = True,
    name: _Any = None,
) -> _Any:
    """Runs the operation CudnnRNNV3."""

def Cumprod(
    x: _Any, axis: _Any, exclusive: _Any = False, reverse: _Any = False, name: _Any = None
) -> _Any:
    """Computes the cumulative product along an axis."""

def Cumsum(
    x: _Any, axis: _Any, exclusive: _Any = False, reverse: _Any = False, name: _Any = None
) -> _Any:
    """Computes the cumulative sum along an axis."""

def CumulativeLogsumexp(
    x: _Any, axis: _Any, exclusive: _Any = False, reverse: _Any = False, name: _Any = None
) -> _Any:
    """Computes the cumulative ``log(sum(exp(x)))`` along an axis, without overflow."""

def DataFormatDimMap(
    x: _Any, src_format: _Any = "NHWC", dst_format: _Any = "NCHW", name: _Any = None
) -> _Any:
    """Maps axes of one data format to axes of another."""

def DataFormatVecPermute(
    x: _Any, src_format: _Any = "NHWC", dst_format: _Any = "NCHW", name: _Any = None
) -> _Any:
    """Permutes sizes, or pairs of them, from one data format to another."""

def Dawsn(x: _Any, name: _Any = None) -> _Any:
    """Computes Dawson's integral: ``exp(-x**2)`` times the integral of ``exp(t**2)`` from 0 to x."""

def DecodeAndCropJpeg(
    contents: _Any,
    crop_window: _Any,
    channels: _Any = 0,
    ratio: _Any = 1,
    fancy_upscaling: _Any = True,
    try_recover_truncated: _Any = False,
    acceptable_fraction: _Any = 1.0,
    dct_method: _Any = "",
    name: _Any = None,
) -> _Any:
    """Decodes a part of a JPEG file."""

def DecodeBase64(input: _Any, name: _Any = None) -> _Any:
    """Decodes strings in web-safe base64."""

def DecodeBmp(contents: _Any, channels: _Any = 0, name: _Any = None) -> _Any:
    """Decodes a BMP file."""

def DecodeCSV(
    records: _Any,
    record_defaults: _Any,
    field_delim: _Any = ",",
    use_quote_delim: _Any = True,
    na_value: _Any = "",
    select_cols: _Any = ...,
    name: _Any = None,
) -> _Any:
    """Converts CSV records to tensors, one for each column."""

def DecodeCompressed(bytes: _Any, compression_type: _Any = "", name: _Any = None) -> _Any:
    """Decompresses strings."""

def DecodeGif(contents: _Any, name: _Any = None) -> _Any:
    """Decodes a GIF file."""

def DecodeImage(
    contents: _Any,
    channels: _Any = 0,
    dtype: _Any = ...,
    expand_animations: _Any = True,
    name: _Any = None,
) -> _Any:
    """Decodes a file of any format."""

def DecodeJSONExample(json_examples: _Any, name: _Any = None) -> _Any:
    """Converts JSON-encoded ``Example`` messages to the binary format of ``tf.io.parse_example``."""

def DecodeJpeg(
    contents: _Any,
    channels: _Any = 0,
    ratio: _Any = 1,
    fancy_upscaling: _Any = True,
    try_recover_truncated: _Any = False,
    acceptable_fraction: _Any = 1.0,
    dct_method: _Any = "",
    name: _Any = None,
) -> _Any:
    """Decodes a JPEG file."""

def DecodePaddedRaw(
    input_bytes: _Any,
    fixed_length: _Any,
    out_type: _Any,
    little_endian: _Any = True,
    name: _Any = None,
) -> _Any:
    """Reinterprets the bytes of strings as numbers, after padding or truncation to a fixed length."""

def DecodePng(contents: _Any, channels: _Any = 0, dtype: _Any = ..., name: _Any = None) -> _Any:
    """Decodes a PNG file."""

def DecodeProtoV2(
    bytes: _Any,
    message_type: _Any,
    field_names: _Any,
    output_types: _Any,
    descriptor_source: _Any = "local://",
    message_format: _Any = "binary",
    sanitize: _Any = False,
    name: _Any = None,
) -> _Any:
    """Decodes fields of serialized protocol buffers."""

def DecodeRaw(bytes: _Any, out_type: _Any, little_endian: _Any = True, name: _Any = None) -> _Any:
    """Reinterprets the bytes of strings as numbers."""

def DecodeWav(
    contents: _Any, desired_channels: _Any = -1, desired_samples: _Any = -1, name: _Any = None
) -> _Any:
    """Decodes a WAV file of 16-bit samples."""

def DecodeWebP(contents: _Any, channels: _Any = 0, dtype: _Any = ..., name: _Any = None) -> _Any:
    """Decodes a WebP file."""

def DenseBincount(
    input: _Any, size: _Any, weights: _Any, binary_output: _Any = False, name: _Any = None
) -> _Any:
    """Counts the occurrences of each integer, or sums their weights."""

def DenseCountSparseOutput(
    values: _Any,
    weights: _Any,
    binary_output: _Any,
    minlength: _Any = -1,
    maxlength: _Any = -1,
    name: _Any = None,
) -> _Any:
    """Counts the occurrences of integers in a vector or in each matrix row, as a sparse tensor."""

def DenseToDenseSetOperation(
    set1: _Any, set2: _Any, set_operation: _Any, validate_indices: _Any = True, name: _Any = None
) -> _Any:
    """Applies a set operation to the last dimension of two dense tensors."""

def DenseToSparseSetOperation(
    set1: _Any,
    set2_indices: _Any,
    set2_values: _Any,
    set2_shape: _Any,
    set_operation: _Any,
    validate_indices: _Any = True,
    name: _Any = None,
) -> _Any:
    """Applies a set operation to the last dimension of a dense and a sparse tensor."""

def DepthToSpace(
    input: _Any, block_size: _Any, data_format: _Any = "NHWC", name: _Any = None
) -> _Any:
    """Rearranges the channel dimension into square blocks of pixels."""

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
    """Computes a depthwise 2-D convolution: each channel has its own filters."""

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
    """Computes the gradient of a depthwise convolution with respect to its filters."""

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
    """Computes the gradient of a depthwise convolution with respect to its input."""

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
    """Dequantizes a tensor of a quantized dtype to a float tensor."""

def DeserializeManySparse(serialized_sparse: _Any, dtype: _Any, name: _Any = None) -> _Any:
    """Deserializes sparse tensors and stacks them along a new first dimension."""

def DestroyResourceOp(resource: _Any, ignore_lookup_error: _Any = True, name: _Any = None) -> _Any:
    """Runs the operation DestroyResourceOp."""

def Diag(diagonal: _Any, name: _Any = None) -> _Any:
    """Returns a diagonal tensor of twice the rank: ``result[i..., i...] = diagonal[i...]``, else 0."""

def DiagPart(input: _Any, name: _Any = None) -> _Any:
    """Returns the diagonal part of a tensor: ``result[i...] = input[i..., i...]``."""

def Digamma(x: _Any, name: _Any = None) -> _Any:
    """Computes the digamma function, the derivative of ``lgamma``, element-wise."""

def Dilation2D(
    input: _Any, filter: _Any, strides: _Any, rates: _Any, padding: _Any, name: _Any = None
) -> _Any:
    """Computes the grayscale dilation of images: the maximum of image plus filter over a window."""

def Dilation2DBackpropFilter(
    input: _Any,
    filter: _Any,
    out_backprop: _Any,
    strides: _Any,
    rates: _Any,
    padding: _Any,
    name: _Any = None,
) -> _Any:
    """Computes the gradient of a dilation with respect to its filter."""

def Dilation2DBackpropInput(
    input: _Any,
    filter: _Any,
    out_backprop: _Any,
    strides: _Any,
    rates: _Any,
    padding: _Any,
    name: _Any = None,
) -> _Any:
    """Computes the gradient of a dilation with respect to its images."""

def DisableCopyOnRead(resource: _Any, name: _Any = None) -> _Any:
    """Runs the operation DisableCopyOnRead."""

def DivNoNan(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns x / y element-wise, and 0 where y is 0."""

def DrawBoundingBoxes(images: _Any, boxes: _Any, name: _Any = None) -> _Any:
    """Draws boxes on images in ten colours."""

def DrawBoundingBoxesV2(images: _Any, boxes: _Any, colors: _Any, name: _Any = None) -> _Any:
    """Draws boxes on images."""

def DynamicPartition(data: _Any, partitions: _Any, num_partitions: _Any, name: _Any = None) -> _Any:
    """Partitions the elements or slices of a tensor into several tensors by partition index."""

def DynamicStitch(indices: _Any, data: _Any, name: _Any = None) -> _Any:
    """Interleaves slices of several tensors into one; for duplicate indices the last slice wins."""

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
    """Computes the Levenshtein distance between sequences."""

def Eig(input: _Any, Tout: _Any, compute_v: _Any = True, name: _Any = None) -> _Any:
    """Computes eigenvalues and eigenvectors of matrices."""

def Einsum(inputs: _Any, equation: _Any, name: _Any = None) -> _Any:
    """Contracts tensors by an Einstein summation equation."""

def Elu(features: _Any, name: _Any = None) -> _Any:
    """Computes the exponential linear unit element-wise: x if positive, else ``exp(x) - 1``."""

def EluGrad(gradients: _Any, outputs: _Any, name: _Any = None) -> _Any:
    """Computes the gradients of the exponential linear unit."""

def EmptyTensorList(
    element_shape: _Any, max_num_elements: _Any, element_dtype: _Any, name: _Any = None
) -> _Any:
    """Runs the operation EmptyTensorList."""

def EncodeBase64(input: _Any, pad: _Any = False, name: _Any = None) -> _Any:
    """Encodes strings in web-safe base64."""

def EncodeJpeg(
    image: _Any,
    format: _Any = "",
    quality: _Any = 95,
    progressive: _Any = False,
    optimize_size: _Any = False,
    chroma_downsampling: _Any = True,
    density_unit: _Any = "in",
    x_density: _Any = 300,
    y_density: _Any = 300,
    xmp_metadata: _Any = "",
    name: _Any = None,
) -> _Any:
    """Encodes an image as a JPEG file."""

def EncodeJpegVariableQuality(images: _Any, quality: _Any, name: _Any = None) -> _Any:
    """Encodes an image as a JPEG file of a quality."""

def EncodePng(image: _Any, compression: _Any = -1, name: _Any = None) -> _Any:
    """Encodes images as PNG files."""

def EncodeProto(
    sizes: _Any,
    values: _Any,
    field_names: _Any,
    message_type: _Any,
    descriptor_source: _Any = "local://",
    name: _Any = None,
) -> _Any:
    """Encodes tensors as fields of serialized protocol buffers."""

def EncodeWav(audio: _Any, sample_rate: _Any, name: _Any = None) -> _Any:
    """Encodes audio as a WAV file of 16-bit samples."""

def EnsureShape(input: _Any, shape: _Any, name: _Any = None) -> _Any:
    """Checks that a tensor has the given shape, and returns it."""

def Equal(x: _Any, y: _Any, incompatible_shape_error: _Any = True, name: _Any = None) -> _Any:
    """Returns True where x == y, element-wise."""

def Erf(x: _Any, name: _Any = None) -> _Any:
    """Computes the error function element-wise."""

def Erfc(x: _Any, name: _Any = None) -> _Any:
    """Computes the complementary error function ``1 - erf(x)`` element-wise, without cancellation."""

def Erfinv(x: _Any, name: _Any = None) -> _Any:
    """Computes the inverse error function element-wise."""

def EuclideanNorm(input: _Any, axis: _Any, keep_dims: _Any = False, name: _Any = None) -> _Any:
    """Computes the Euclidean norm of elements along axes; rounded down for integers."""

def Exp(x: _Any, name: _Any = None) -> _Any:
    """Returns the exponential of x, element-wise."""

def ExpandDims(input: _Any, axis: _Any, name: _Any = None) -> _Any:
    """Inserts an axis of size 1."""

def Expint(x: _Any, name: _Any = None) -> _Any:
    """Computes the exponential integral Ei(x): the integral of ``exp(t) / t`` from -inf to x."""

def Expm1(x: _Any, name: _Any = None) -> _Any:
    """Returns exp(x) - 1 element-wise, accurate near 0."""

def ExtractGlimpse(
    input: _Any,
    size: _Any,
    offsets: _Any,
    centered: _Any = True,
    normalized: _Any = True,
    uniform_noise: _Any = True,
    noise: _Any = "uniform",
    name: _Any = None,
) -> _Any:
    """Extracts a window of each image at an offset of its centre."""

def ExtractGlimpseV2(
    input: _Any,
    size: _Any,
    offsets: _Any,
    centered: _Any = True,
    normalized: _Any = True,
    uniform_noise: _Any = True,
    noise: _Any = "uniform",
    name: _Any = None,
) -> _Any:
    """Extracts a window of each image at an offset."""

def ExtractImagePatches(
    images: _Any, ksizes: _Any, strides: _Any, rates: _Any, padding: _Any, name: _Any = None
) -> _Any:
    """Extracts the patches of images under a sliding window."""

def ExtractJpegShape(contents: _Any, output_type: _Any = ..., name: _Any = None) -> _Any:
    """Returns the shape of the image in a JPEG file, from its header alone."""

def ExtractVolumePatches(
    input: _Any, ksizes: _Any, strides: _Any, padding: _Any, name: _Any = None
) -> _Any:
    """Extracts the patches of volumes under a sliding window."""

def FFT(input: _Any, name: _Any = None) -> _Any:
    """Returns the Fourier transform of complex numbers over the last dimension."""

def FFT2D(input: _Any, name: _Any = None) -> _Any:
    """Returns the Fourier transform of complex numbers over the last two dimensions."""

def FFT3D(input: _Any, name: _Any = None) -> _Any:
    """Returns the Fourier transform of complex numbers over the last three dimensions."""

def FFTND(input: _Any, fft_length: _Any, axes: _Any, name: _Any = None) -> _Any:
    """Computes the FFT over the given axes."""

def FakeQuantWithMinMaxArgs(
    inputs: _Any,
    min: _Any = -6.0,
    max: _Any = 6.0,
    num_bits: _Any = 8,
    narrow_range: _Any = False,
    name: _Any = None,
) -> _Any:
    """Fake-quantizes a tensor: clips it to a range and rounds it to ``2**num_bits`` levels."""

def FakeQuantWithMinMaxArgsGradient(
    gradients: _Any,
    inputs: _Any,
    min: _Any = -6.0,
    max: _Any = 6.0,
    num_bits: _Any = 8,
    narrow_range: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns the gradient of fake quantization: passed within the limits, 0 elsewhere."""

def FakeQuantWithMinMaxVars(
    inputs: _Any,
    min: _Any,
    max: _Any,
    num_bits: _Any = 8,
    narrow_range: _Any = False,
    name: _Any = None,
) -> _Any:
    """Fake-quantizes a tensor: clips it to a range and rounds it to ``2**num_bits`` levels."""

def FakeQuantWithMinMaxVarsGradient(
    gradients: _Any,
    inputs: _Any,
    min: _Any,
    max: _Any,
    num_bits: _Any = 8,
    narrow_range: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns the gradients of fake quantization for the input and both limits."""

def FakeQuantWithMinMaxVarsPerChannel(
    inputs: _Any,
    min: _Any,
    max: _Any,
    num_bits: _Any = 8,
    narrow_range: _Any = False,
    name: _Any = None,
) -> _Any:
    """Fake-quantizes a tensor with separate limits per channel (the last axis)."""

def FakeQuantWithMinMaxVarsPerChannelGradient(
    gradients: _Any,
    inputs: _Any,
    min: _Any,
    max: _Any,
    num_bits: _Any = 8,
    narrow_range: _Any = False,
    name: _Any = None,
) -> _Any:
    """Returns the gradients of per-channel fake quantization for the input and the limits."""

def Fill(dims: _Any, value: _Any, name: _Any = None) -> _Any:
    """Returns a tensor filled with one scalar value."""

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
    """Samples classes from a fixed unigram distribution, given by weights."""

def Floor(x: _Any, name: _Any = None) -> _Any:
    """Returns the largest integer not greater than x, element-wise."""

def FloorDiv(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns x / y rounded towards negative infinity, element-wise."""

def FloorMod(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns the remainder of floor division, element-wise; it has the sign of y."""

def FractionalAvgPool(
    value: _Any,
    pooling_ratio: _Any,
    pseudo_random: _Any = False,
    overlapping: _Any = False,
    deterministic: _Any = False,
    seed: _Any = 0,
    seed2: _Any = 0,
    name: _Any = None,
) -> _Any:
    """Performs fractional average pooling over images."""

def FractionalAvgPoolGrad(
    orig_input_tensor_shape: _Any,
    out_backprop: _Any,
    row_pooling_sequence: _Any,
    col_pooling_sequence: _Any,
    overlapping: _Any = False,
    name: _Any = None,
) -> _Any:
    """Computes the gradient of ``FractionalAvgPool``."""

def FractionalMaxPool(
    value: _Any,
    pooling_ratio: _Any,
    pseudo_random: _Any = False,
    overlapping: _Any = False,
    deterministic: _Any = False,
    seed: _Any = 0,
    seed2: _Any = 0,
    name: _Any = None,
) -> _Any:
    """Performs fractional max pooling over images."""

def FractionalMaxPoolGrad(
    orig_input: _Any,
    orig_output: _Any,
    out_backprop: _Any,
    row_pooling_sequence: _Any,
    col_pooling_sequence: _Any,
    overlapping: _Any = False,
    name: _Any = None,
) -> _Any:
    """Computes the gradient of ``FractionalMaxPool``."""

def FresnelCos(x: _Any, name: _Any = None) -> _Any:
    """Computes Fresnel's cosine integral: the integral of ``cos(pi * t**2 / 2)`` from 0 to x."""

def FresnelSin(x: _Any, name: _Any = None) -> _Any:
    """Computes Fresnel's sine integral: the integral of ``sin(pi * t**2 / 2)`` from 0 to x."""

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
    """Computes batch normalization of images."""

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
    """Computes the gradients of fused batch normalization."""

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
    """Computes the gradients of fused batch normalization."""

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
    """Computes the gradients of fused batch normalization."""

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
    """Computes batch normalization of images, which may be 16-bit floats."""

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
    """Computes batch normalization of images or volumes, which may be 16-bit floats."""

def GatherNd(params: _Any, indices: _Any, bad_indices_policy: _Any = "", name: _Any = None) -> _Any:
    """Gathers elements or slices of a tensor by index vectors."""

def GatherV2(
    params: _Any, indices: _Any, axis: _Any, batch_dims: _Any = 0, name: _Any = None
) -> _Any:
    """Gathers slices of a tensor along an axis by index."""

def GenerateBoundingBoxProposals(
    scores: _Any,
    bbox_deltas: _Any,
    image_info: _Any,
    anchors: _Any,
    nms_threshold: _Any,
    pre_nms_topn: _Any,
    min_size: _Any,
    post_nms_topn: _Any = 300,
    name: _Any = None,
) -> _Any:
    """Selects regions from the scores and the moves of anchors, by non-maximum suppression."""

def Greater(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns True where x > y, element-wise."""

def GreaterEqual(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns True where x >= y, element-wise."""

def GuaranteeConst(input: _Any, name: _Any = None) -> _Any:
    """Returns the input; marks it as a value that never changes."""

def HSVToRGB(images: _Any, name: _Any = None) -> _Any:
    """Converts images from hue, saturation and value to red, green and blue."""

def HashTableV2(
    key_dtype: _Any,
    value_dtype: _Any,
    container: _Any = "",
    shared_name: _Any = "",
    use_node_name_sharing: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation HashTableV2."""

def HistogramFixedWidth(
    values: _Any, value_range: _Any, nbins: _Any, dtype: _Any = ..., name: _Any = None
) -> _Any:
    """Computes a histogram of values with equal-width bins."""

def HistogramSummary(tag: _Any, values: _Any, name: _Any = None) -> _Any:
    """Returns the summary of a histogram."""

def IFFT(input: _Any, name: _Any = None) -> _Any:
    """Returns the inverse Fourier transform of complex numbers over the last dimension."""

def IFFT2D(input: _Any, name: _Any = None) -> _Any:
    """Returns the inverse Fourier transform of complex numbers over the last two dimensions."""

def IFFT3D(input: _Any, name: _Any = None) -> _Any:
    """Returns the inverse Fourier transform of complex numbers over the last three dimensions."""

def IFFTND(input: _Any, fft_length: _Any, axes: _Any, name: _Any = None) -> _Any:
    """Computes the inverse FFT over the given axes."""

def IRFFT(input: _Any, fft_length: _Any, Treal: _Any = ..., name: _Any = None) -> _Any:
    """Returns the inverse Fourier transform to real numbers over the last dimension."""

def IRFFT2D(input: _Any, fft_length: _Any, Treal: _Any = ..., name: _Any = None) -> _Any:
    """Returns the inverse Fourier transform to real numbers over the last two dimensions."""

def IRFFT3D(input: _Any, fft_length: _Any, Treal: _Any = ..., name: _Any = None) -> _Any:
    """Returns the inverse Fourier transform to real numbers over the last three dimensions."""

def IRFFTND(
    input: _Any, fft_length: _Any, axes: _Any, Treal: _Any = ..., name: _Any = None
) -> _Any:
    """Computes the inverse FFT to a real tensor over the given axes."""

def Identity(input: _Any, name: _Any = None) -> _Any:
    """Returns a tensor with the same value."""

def IdentityN(input: _Any, name: _Any = None) -> _Any:
    """Returns a list of tensors with the same values as the input tensors."""

def Igamma(a: _Any, x: _Any, name: _Any = None) -> _Any:
    """Computes the lower regularized incomplete gamma function."""

def IgammaGradA(a: _Any, x: _Any, name: _Any = None) -> _Any:
    """Computes the derivative of ``igamma(a, x)`` with respect to ``a``."""

def Igammac(a: _Any, x: _Any, name: _Any = None) -> _Any:
    """Computes the upper regularized incomplete gamma function."""

def Imag(input: _Any, Tout: _Any = ..., name: _Any = None) -> _Any:
    """Returns the imaginary part of a complex tensor."""

def ImageProjectiveTransformV2(
    images: _Any,
    transforms: _Any,
    output_shape: _Any,
    interpolation: _Any,
    fill_mode: _Any = "CONSTANT",
    name: _Any = None,
) -> _Any:
    """Applies projective transforms to images, with zero fill."""

def ImageProjectiveTransformV3(
    images: _Any,
    transforms: _Any,
    output_shape: _Any,
    fill_value: _Any,
    interpolation: _Any,
    fill_mode: _Any = "CONSTANT",
    name: _Any = None,
) -> _Any:
    """Applies projective transforms to images."""

def ImageSummary(
    tag: _Any, tensor: _Any, max_images: _Any = 3, bad_color: _Any = None, name: _Any = None
) -> _Any:
    """Returns the summary of images, as PNG files."""

def InTopKV2(predictions: _Any, targets: _Any, k: _Any, name: _Any = None) -> _Any:
    """Returns True for each target that is among the k largest predictions of its row."""

def InitializeTableFromTextFileV2(
    table_handle: _Any,
    filename: _Any,
    key_index: _Any,
    value_index: _Any,
    vocab_size: _Any = -1,
    delimiter: _Any = ...,
    offset: _Any = 0,
    name: _Any = None,
) -> _Any:
    """Runs the operation InitializeTableFromTextFileV2."""

def InitializeTableV2(table_handle: _Any, keys: _Any, values: _Any, name: _Any = None) -> _Any:
    """Runs the operation InitializeTableV2."""

def Inv(x: _Any, name: _Any = None) -> _Any:
    """Runs the operation Inv."""

def InvGrad(y: _Any, dy: _Any, name: _Any = None) -> _Any:
    """Runs the operation InvGrad."""

def Invert(x: _Any, name: _Any = None) -> _Any:
    """Inverts all bits of x, element-wise."""

def InvertPermutation(x: _Any, name: _Any = None) -> _Any:
    """Returns the inverse of a permutation."""

def IsFinite(x: _Any, name: _Any = None) -> _Any:
    """Returns True where x is finite, element-wise."""

def IsInf(x: _Any, name: _Any = None) -> _Any:
    """Returns True where x is positive or negative infinity, element-wise."""

def IsNan(x: _Any, name: _Any = None) -> _Any:
    """Returns True where x is NaN, element-wise."""

def IsVariableInitialized(ref: _Any, name: _Any = None) -> _Any:
    """Runs the operation IsVariableInitialized."""

def IsotonicRegression(input: _Any, output_dtype: _Any = ..., name: _Any = None) -> _Any:
    """Computes the non-increasing isotonic regression of each row."""

def L2Loss(t: _Any, name: _Any = None) -> _Any:
    """Computes the L2 loss: half the sum of the squares of all elements."""

def LRN(
    input: _Any,
    depth_radius: _Any = 5,
    bias: _Any = 1.0,
    alpha: _Any = 1.0,
    beta: _Any = 0.5,
    name: _Any = None,
) -> _Any:
    """Computes local response normalization: ``input / (bias + alpha * sqr_sum) ** beta``."""

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
    """Computes the gradient of local response normalization."""

def LeakyRelu(features: _Any, alpha: _Any = 0.2, name: _Any = None) -> _Any:
    """Computes leaky ReLU element-wise: ``features`` if positive, else ``alpha * features``."""

def LeakyReluGrad(gradients: _Any, features: _Any, alpha: _Any = 0.2, name: _Any = None) -> _Any:
    """Computes the gradient of leaky ReLU: dy where features are positive, else alpha * dy."""

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
    """Samples classes by the frequency of target classes in earlier calls with the same seeds."""

def LeftShift(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Shifts the bits of x left by y positions, element-wise."""

def Less(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns True where x < y, element-wise."""

def LessEqual(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns True where x <= y, element-wise."""

def Lgamma(x: _Any, name: _Any = None) -> _Any:
    """Computes the logarithm of the absolute value of the gamma function element-wise."""

def LinSpace(start: _Any, stop: _Any, num: _Any, name: _Any = None) -> _Any:
    """Runs the operation LinSpace."""

def ListDiff(x: _Any, y: _Any, out_idx: _Any = ..., name: _Any = None) -> _Any:
    """Returns the elements of a vector that do not occur in another one, and their indices."""

def Log(x: _Any, name: _Any = None) -> _Any:
    """Returns the natural logarithm of x, element-wise."""

def Log1p(x: _Any, name: _Any = None) -> _Any:
    """Returns log(1 + x) element-wise, accurate near 0."""

def LogMatrixDeterminant(input: _Any, name: _Any = None) -> _Any:
    """Computes the signs of determinants and the logarithms of their absolute values."""

def LogSoftmax(logits: _Any, name: _Any = None) -> _Any:
    """Computes log-softmax along the last dimension: ``x - log(sum(exp(x)))``."""

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
    """Samples classes from a log-uniform (Zipfian) distribution."""

def LogicalAnd(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns the logical AND of x and y, element-wise."""

def LogicalNot(x: _Any, name: _Any = None) -> _Any:
    """Returns the logical NOT of x, element-wise."""

def LogicalOr(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns the logical OR of x and y, element-wise."""

def LookupTableExportV2(table_handle: _Any, Tkeys: _Any, Tvalues: _Any, name: _Any = None) -> _Any:
    """Runs the operation LookupTableExportV2."""

def LookupTableFindV2(
    table_handle: _Any, keys: _Any, default_value: _Any, name: _Any = None
) -> _Any:
    """Runs the operation LookupTableFindV2."""

def LookupTableImportV2(table_handle: _Any, keys: _Any, values: _Any, name: _Any = None) -> _Any:
    """Runs the operation LookupTableImportV2."""

def LookupTableInsertV2(table_handle: _Any, keys: _Any, values: _Any, name: _Any = None) -> _Any:
    """Runs the operation LookupTableInsertV2."""

def LookupTableRemoveV2(table_handle: _Any, keys: _Any, name: _Any = None) -> _Any:
    """Runs the operation LookupTableRemoveV2."""

def LookupTableSizeV2(table_handle: _Any, name: _Any = None) -> _Any:
    """Runs the operation LookupTableSizeV2."""

def LowerBound(sorted_inputs: _Any, values: _Any, out_type: _Any = ..., name: _Any = None) -> _Any:
    """Returns the leftmost insertion index of each value in its sorted row."""

def Lu(input: _Any, output_idx_type: _Any = ..., name: _Any = None) -> _Any:
    """Computes the LU decomposition of square matrices with partial pivoting."""

def MatMul(
    a: _Any,
    b: _Any,
    transpose_a: _Any = False,
    transpose_b: _Any = False,
    grad_a: _Any = False,
    grad_b: _Any = False,
    name: _Any = None,
) -> _Any:
    """Multiplies two matrices."""

def MatchingFiles(pattern: _Any, name: _Any = None) -> _Any:
    """Returns the sorted names of the files that match a glob pattern."""

def MatrixBandPart(input: _Any, num_lower: _Any, num_upper: _Any, name: _Any = None) -> _Any:
    """Returns matrices with all elements outside a central band set to zero."""

def MatrixDeterminant(input: _Any, name: _Any = None) -> _Any:
    """Computes the determinants of square matrices."""

def MatrixDiagPartV2(input: _Any, k: _Any, padding_value: _Any, name: _Any = None) -> _Any:
    """Returns diagonals of matrices, left-aligned in their padded rows."""

def MatrixDiagPartV3(
    input: _Any, k: _Any, padding_value: _Any, align: _Any = "RIGHT_LEFT", name: _Any = None
) -> _Any:
    """Returns the diagonals of batches of matrices."""

def MatrixDiagV3(
    diagonal: _Any,
    k: _Any,
    num_rows: _Any,
    num_cols: _Any,
    padding_value: _Any,
    align: _Any = "RIGHT_LEFT",
    name: _Any = None,
) -> _Any:
    """Returns matrices with the given diagonals and padding elsewhere."""

def MatrixInverse(input: _Any, adjoint: _Any = False, name: _Any = None) -> _Any:
    """Computes the inverses of square matrices."""

def MatrixLogarithm(input: _Any, name: _Any = None) -> _Any:
    """Computes the principal logarithms of square complex matrices."""

def MatrixSetDiagV3(
    input: _Any, diagonal: _Any, k: _Any, align: _Any = "RIGHT_LEFT", name: _Any = None
) -> _Any:
    """Returns a copy of matrices with some diagonals replaced."""

def MatrixSolve(matrix: _Any, rhs: _Any, adjoint: _Any = False, name: _Any = None) -> _Any:
    """Solves systems of linear equations."""

def MatrixSolveLs(
    matrix: _Any, rhs: _Any, l2_regularizer: _Any, fast: _Any = True, name: _Any = None
) -> _Any:
    """Solves linear least-squares problems."""

def MatrixSquareRoot(input: _Any, name: _Any = None) -> _Any:
    """Computes the principal square roots of square matrices."""

def MatrixTriangularSolve(
    matrix: _Any, rhs: _Any, lower: _Any = True, adjoint: _Any = False, name: _Any = None
) -> _Any:
    """Solves systems of linear equations with triangular matrices."""

def Max(input: _Any, axis: _Any, keep_dims: _Any = False, name: _Any = None) -> _Any:
    """Computes the maximum of elements along axes; NaN if one is NaN."""

def MaxPool(
    input: _Any,
    ksize: _Any,
    strides: _Any,
    padding: _Any,
    explicit_paddings: _Any = ...,
    data_format: _Any = "NHWC",
    name: _Any = None,
) -> _Any:
    """Performs max pooling over images."""

def MaxPool3D(
    input: _Any,
    ksize: _Any,
    strides: _Any,
    padding: _Any,
    data_format: _Any = "NDHWC",
    name: _Any = None,
) -> _Any:
    """Performs max pooling over volumes."""

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
    """Computes the gradient of max pooling over volumes; it goes to all maxima of a window."""

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
    """Computes the second-order gradient of max pooling over volumes."""

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
    """Computes the gradient of max pooling over images; it goes to the first maximum of a window."""

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
    """Computes the second-order gradient of max pooling over images."""

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
    """Computes the second-order gradient of max pooling over images, with given argmax indices."""

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
    """Computes the gradient of max pooling over images, with given argmax indices."""

def MaxPoolWithArgmax(
    input: _Any,
    ksize: _Any,
    strides: _Any,
    padding: _Any,
    Targmax: _Any = ...,
    include_batch_in_index: _Any = False,
    name: _Any = None,
) -> _Any:
    """Performs max pooling over images and returns the maxima and their indices."""

def Maximum(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns the maximum of x and y element-wise; NaN if either is NaN."""

def Mean(input: _Any, axis: _Any, keep_dims: _Any = False, name: _Any = None) -> _Any:
    """Computes the mean of elements along axes."""

def MergeSummary(inputs: _Any, name: _Any = None) -> _Any:
    """Returns the union of summaries."""

def MergeV2Checkpoints(
    checkpoint_prefixes: _Any,
    destination_prefix: _Any,
    delete_old_dirs: _Any = True,
    allow_missing_files: _Any = False,
    name: _Any = None,
) -> _Any:
    """Merges several checkpoints into one and deletes them."""

def Min(input: _Any, axis: _Any, keep_dims: _Any = False, name: _Any = None) -> _Any:
    """Computes the minimum of elements along axes; NaN if one is NaN."""

def Minimum(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns the minimum of x and y element-wise; NaN if either is NaN."""

def MirrorPad(input: _Any, paddings: _Any, mode: _Any, name: _Any = None) -> _Any:
    """Pads a tensor with its mirrored elements."""

def MirrorPadGrad(input: _Any, paddings: _Any, mode: _Any, name: _Any = None) -> _Any:
    """Gradient of mirror padding: adds the mirrored paddings to the inner part of a tensor."""

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
    """Draws samples from categorical (multinomial) distributions."""

def MutableDenseHashTableV2(
    empty_key: _Any,
    deleted_key: _Any,
    value_dtype: _Any,
    container: _Any = "",
    shared_name: _Any = "",
    use_node_name_sharing: _Any = False,
    value_shape: _Any = None,
    initial_num_buckets: _Any = 131072,
    max_load_factor: _Any = 0.8,
    name: _Any = None,
) -> _Any:
    """Runs the operation MutableDenseHashTableV2."""

def MutableHashTableOfTensorsV2(
    key_dtype: _Any,
    value_dtype: _Any,
    container: _Any = "",
    shared_name: _Any = "",
    use_node_name_sharing: _Any = False,
    value_shape: _Any = None,
    name: _Any = None,
) -> _Any:
    """Runs the operation MutableHashTableOfTensorsV2."""

def MutableHashTableV2(
    key_dtype: _Any,
    value_dtype: _Any,
    container: _Any = "",
    shared_name: _Any = "",
    use_node_name_sharing: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation MutableHashTableV2."""

def Ndtri(x: _Any, name: _Any = None) -> _Any:
    """Computes the quantile function of the standard normal distribution."""

def Neg(x: _Any, name: _Any = None) -> _Any:
    """Returns -x element-wise."""

def NextAfter(x1: _Any, x2: _Any, name: _Any = None) -> _Any:
    """Returns the next representable value after x1 in the direction of x2, element-wise."""

def NoOp(name: _Any = None) -> _Any:
    """Runs the operation NoOp."""

def NonDeterministicInts(shape: _Any, dtype: _Any = ..., name: _Any = None) -> _Any:
    """Draws non-deterministic random integers."""

def NonMaxSuppression(
    boxes: _Any, scores: _Any, max_output_size: _Any, iou_threshold: _Any = 0.5, name: _Any = None
) -> _Any:
    """Selects boxes by non-maximum suppression."""

def NonMaxSuppressionV2(
    boxes: _Any, scores: _Any, max_output_size: _Any, iou_threshold: _Any, name: _Any = None
) -> _Any:
    """Selects boxes by non-maximum suppression."""

def NonMaxSuppressionV3(
    boxes: _Any,
    scores: _Any,
    max_output_size: _Any,
    iou_threshold: _Any,
    score_threshold: _Any,
    name: _Any = None,
) -> _Any:
    """Selects boxes by non-maximum suppression."""

def NonMaxSuppressionV4(
    boxes: _Any,
    scores: _Any,
    max_output_size: _Any,
    iou_threshold: _Any,
    score_threshold: _Any,
    pad_to_max_output_size: _Any = False,
    name: _Any = None,
) -> _Any:
    """Selects boxes by non-maximum suppression."""

def NonMaxSuppressionV5(
    boxes: _Any,
    scores: _Any,
    max_output_size: _Any,
    iou_threshold: _Any,
    score_threshold: _Any,
    soft_nms_sigma: _Any,
    pad_to_max_output_size: _Any = False,
    name: _Any = None,
) -> _Any:
    """Selects boxes by non-maximum suppression, with scores that may shrink instead."""

def NonMaxSuppressionWithOverlaps(
    overlaps: _Any,
    scores: _Any,
    max_output_size: _Any,
    overlap_threshold: _Any,
    score_threshold: _Any,
    name: _Any = None,
) -> _Any:
    """Selects boxes by given overlaps."""

def NotEqual(x: _Any, y: _Any, incompatible_shape_error: _Any = True, name: _Any = None) -> _Any:
    """Returns True where x != y, element-wise."""

def NthElement(input: _Any, n: _Any, reverse: _Any = False, name: _Any = None) -> _Any:
    """Returns the n-th smallest (or largest) element along the last axis."""

def OneHot(
    indices: _Any, depth: _Any, on_value: _Any, off_value: _Any, axis: _Any = -1, name: _Any = None
) -> _Any:
    """Returns a one-hot tensor with a new axis of size ``depth``."""

def OnesLike(x: _Any, name: _Any = None) -> _Any:
    """Returns ones of a tensor's dtype and shape."""

def OptionalFromValue(components: _Any, name: _Any = None) -> _Any:
    """Runs the operation OptionalFromValue."""

def OptionalGetValue(
    optional: _Any, output_types: _Any, output_shapes: _Any, name: _Any = None
) -> _Any:
    """Runs the operation OptionalGetValue."""

def OptionalNone(name: _Any = None) -> _Any:
    """Runs the operation OptionalNone."""

def Pack(values: _Any, axis: _Any = 0, name: _Any = None) -> _Any:
    """Stacks tensors of the same shape along a new axis."""

def Pad(input: _Any, paddings: _Any, name: _Any = None) -> _Any:
    """Pads a tensor with zeros (empty strings or False for string and bool dtypes)."""

def PadV2(input: _Any, paddings: _Any, constant_values: _Any, name: _Any = None) -> _Any:
    """Pads a tensor with a constant value."""

def ParallelConcat(values: _Any, shape: _Any, name: _Any = None) -> _Any:
    """Concatenates tensors along their first axis, whose size is 1 in each."""

def ParallelDynamicStitch(indices: _Any, data: _Any, name: _Any = None) -> _Any:
    """Interleaves slices of several tensors into one; duplicate indices have no defined order."""

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
    """Parses serialized examples into tensors."""

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
    """Parses serialized sequence examples into tensors."""

def ParseTensor(serialized: _Any, out_type: _Any, name: _Any = None) -> _Any:
    """Parses a tensor from a serialized ``TensorProto``."""

def Placeholder(dtype: _Any, shape: _Any = None, name: _Any = None) -> _Any:
    """Runs the operation Placeholder."""

def PlaceholderWithDefault(input: _Any, shape: _Any, name: _Any = None) -> _Any:
    """Runs the operation PlaceholderWithDefault."""

def Polygamma(a: _Any, x: _Any, name: _Any = None) -> _Any:
    """Computes the polygamma function: the ``a``-th derivative of the digamma function at ``x``."""

def PopulationCount(x: _Any, name: _Any = None) -> _Any:
    """Returns the number of set bits of each integer, in two's complement."""

def Pow(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns x raised to the power of y, element-wise."""

def PreventGradient(input: _Any, message: _Any = "", name: _Any = None) -> _Any:
    """Runs the operation PreventGradient."""

def Prod(input: _Any, axis: _Any, keep_dims: _Any = False, name: _Any = None) -> _Any:
    """Computes the product of elements along axes."""

def Qr(input: _Any, full_matrices: _Any = False, name: _Any = None) -> _Any:
    """Computes the QR decomposition of matrices."""

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
    """Quantizes and then dequantizes a tensor, which simulates the loss of precision."""

def QuantizeAndDequantizeV4Grad(
    gradients: _Any,
    input: _Any,
    input_min: _Any,
    input_max: _Any,
    axis: _Any = -1,
    name: _Any = None,
) -> _Any:
    """Returns the gradient: passed within the limits, 0 elsewhere and for the limits."""

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
    """Quantizes a float tensor to a quantized dtype; returns the integers and the range."""

def RFFT(input: _Any, fft_length: _Any, Tcomplex: _Any = ..., name: _Any = None) -> _Any:
    """Returns the Fourier transform of real numbers over the last dimension."""

def RFFT2D(input: _Any, fft_length: _Any, Tcomplex: _Any = ..., name: _Any = None) -> _Any:
    """Returns the Fourier transform of real numbers over the last two dimensions."""

def RFFT3D(input: _Any, fft_length: _Any, Tcomplex: _Any = ..., name: _Any = None) -> _Any:
    """Returns the Fourier transform of real numbers over the last three dimensions."""

def RFFTND(
    input: _Any, fft_length: _Any, axes: _Any, Tcomplex: _Any = ..., name: _Any = None
) -> _Any:
    """Computes the FFT of a real tensor over the given axes; the last one has length n / 2 + 1."""

def RGBToHSV(images: _Any, name: _Any = None) -> _Any:
    """Converts images from red, green and blue to hue, saturation and value."""

def RaggedBincount(
    splits: _Any,
    values: _Any,
    size: _Any,
    weights: _Any,
    binary_output: _Any = False,
    name: _Any = None,
) -> _Any:
    """Counts the occurrences of integers in each row of a ragged matrix."""

def RaggedCountSparseOutput(
    splits: _Any,
    values: _Any,
    weights: _Any,
    binary_output: _Any,
    minlength: _Any = -1,
    maxlength: _Any = -1,
    name: _Any = None,
) -> _Any:
    """Counts the occurrences of integers in each row of a ragged tensor, as a sparse tensor."""

def RaggedFillEmptyRows(
    value_rowids: _Any, values: _Any, nrows: _Any, default_value: _Any, name: _Any = None
) -> _Any:
    """Fills empty rows of a ragged tensor with a default value."""

def RaggedFillEmptyRowsGrad(reverse_index_map: _Any, grad_values: _Any, name: _Any = None) -> _Any:
    """Computes the gradients of the elements and of the default value."""

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
    """Returns a ragged tensor of ranges, a row for each start."""

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
    """Pads a ragged tensor to a dense tensor."""

def RandomGamma(
    shape: _Any, alpha: _Any, seed: _Any = 0, seed2: _Any = 0, name: _Any = None
) -> _Any:
    """Draws random numbers from gamma distributions of rate 1."""

def RandomGammaGrad(alpha: _Any, sample: _Any, name: _Any = None) -> _Any:
    """Computes the derivatives of gamma samples with respect to the shape parameters."""

def RandomIndexShuffle(
    index: _Any, seed: _Any, max_index: _Any, rounds: _Any = 4, name: _Any = None
) -> _Any:
    """Returns the positions of indices in a pseudorandom permutation of 0 to ``max_index``."""

def RandomPoissonV2(
    shape: _Any, rate: _Any, seed: _Any = 0, seed2: _Any = 0, dtype: _Any = ..., name: _Any = None
) -> _Any:
    """Draws random numbers from Poisson distributions."""

def RandomShuffle(value: _Any, seed: _Any = 0, seed2: _Any = 0, name: _Any = None) -> _Any:
    """Randomly shuffles a tensor along its first dimension."""

def RandomStandardNormal(
    shape: _Any, dtype: _Any, seed: _Any = 0, seed2: _Any = 0, name: _Any = None
) -> _Any:
    """Draws random numbers from the standard normal distribution."""

def RandomUniform(
    shape: _Any, dtype: _Any, seed: _Any = 0, seed2: _Any = 0, name: _Any = None
) -> _Any:
    """Draws random numbers from the uniform distribution over [0, 1)."""

def RandomUniformInt(
    shape: _Any, minval: _Any, maxval: _Any, seed: _Any = 0, seed2: _Any = 0, name: _Any = None
) -> _Any:
    """Draws random integers from the uniform distribution over [minval, maxval)."""

def Range(start: _Any, limit: _Any, delta: _Any, name: _Any = None) -> _Any:
    """Returns the sequence from ``start`` (included) to ``limit`` (excluded) in steps of ``delta``."""

def Rank(input: _Any, name: _Any = None) -> _Any:
    """Runs the operation Rank."""

def ReadFile(filename: _Any, name: _Any = None) -> _Any:
    """Reads the contents of a file."""

def ReadVariableOp(resource: _Any, dtype: _Any, name: _Any = None) -> _Any:
    """Returns the value of a variable, without a copy."""

def Real(input: _Any, Tout: _Any = ..., name: _Any = None) -> _Any:
    """Returns the real part of a complex tensor."""

def RealDiv(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns x / y element-wise, for floating-point and complex tensors."""

def Reciprocal(x: _Any, name: _Any = None) -> _Any:
    """Returns the reciprocal of x, element-wise."""

def ReciprocalGrad(y: _Any, dy: _Any, name: _Any = None) -> _Any:
    """Computes the gradient of ``reciprocal`` from its output and the upstream gradient."""

def ReduceJoin(
    inputs: _Any,
    reduction_indices: _Any,
    keep_dims: _Any = False,
    separator: _Any = "",
    name: _Any = None,
) -> _Any:
    """Joins strings along axes."""

def RegexFullMatch(input: _Any, pattern: _Any, name: _Any = None) -> _Any:
    """Checks whether strings fully match a regular expression, given as a tensor."""

def RegexReplace(
    input: _Any, pattern: _Any, rewrite: _Any, replace_global: _Any = True, name: _Any = None
) -> _Any:
    """Replaces matches of a regular expression in strings; pattern and rewrite are tensors."""

def Relu(features: _Any, name: _Any = None) -> _Any:
    """Computes the rectified linear unit element-wise: ``max(features, 0)``."""

def Relu6(features: _Any, name: _Any = None) -> _Any:
    """Computes ReLU6 element-wise: ``min(max(features, 0), 6)``."""

def Relu6Grad(gradients: _Any, features: _Any, name: _Any = None) -> _Any:
    """Computes the gradient of ReLU6: the upstream gradient where 0 < features < 6, else 0."""

def ReluGrad(gradients: _Any, features: _Any, name: _Any = None) -> _Any:
    """Computes the gradient of ReLU: the upstream gradient where features are positive, else 0."""

def Reshape(tensor: _Any, shape: _Any, name: _Any = None) -> _Any:
    """Returns a tensor with the same elements in another shape."""

def ResizeArea(images: _Any, size: _Any, align_corners: _Any = False, name: _Any = None) -> _Any:
    """Resizes images by means over the areas of pixels."""

def ResizeBicubic(
    images: _Any,
    size: _Any,
    align_corners: _Any = False,
    half_pixel_centers: _Any = False,
    name: _Any = None,
) -> _Any:
    """Resizes images by bicubic interpolation."""

def ResizeBicubicGrad(
    grads: _Any,
    original_image: _Any,
    align_corners: _Any = False,
    half_pixel_centers: _Any = False,
    name: _Any = None,
) -> _Any:
    """Computes the gradient of ``ResizeBicubic``."""

def ResizeBilinear(
    images: _Any,
    size: _Any,
    align_corners: _Any = False,
    half_pixel_centers: _Any = False,
    name: _Any = None,
) -> _Any:
    """Resizes images by bilinear interpolation."""

def ResizeBilinearGrad(
    grads: _Any,
    original_image: _Any,
    align_corners: _Any = False,
    half_pixel_centers: _Any = False,
    name: _Any = None,
) -> _Any:
    """Computes the gradient of ``ResizeBilinear``."""

def ResizeNearestNeighbor(
    images: _Any,
    size: _Any,
    align_corners: _Any = False,
    half_pixel_centers: _Any = False,
    name: _Any = None,
) -> _Any:
    """Resizes images by the nearest pixel."""

def ResizeNearestNeighborGrad(
    grads: _Any,
    size: _Any,
    align_corners: _Any = False,
    half_pixel_centers: _Any = False,
    name: _Any = None,
) -> _Any:
    """Computes the gradient of ``ResizeNearestNeighbor``."""

def ResourceApplyAdaMax(
    var: _Any,
    m: _Any,
    v: _Any,
    beta1_power: _Any,
    lr: _Any,
    beta1: _Any,
    beta2: _Any,
    epsilon: _Any,
    grad: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceApplyAdaMax."""

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

def ResourceApplyAdagradV2(
    var: _Any,
    accum: _Any,
    lr: _Any,
    epsilon: _Any,
    grad: _Any,
    use_locking: _Any = False,
    update_slots: _Any = True,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceApplyAdagradV2."""

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

def ResourceApplyAdamWithAmsgrad(
    var: _Any,
    m: _Any,
    v: _Any,
    vhat: _Any,
    beta1_power: _Any,
    beta2_power: _Any,
    lr: _Any,
    beta1: _Any,
    beta2: _Any,
    epsilon: _Any,
    grad: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceApplyAdamWithAmsgrad."""

def ResourceApplyAddSign(
    var: _Any,
    m: _Any,
    lr: _Any,
    alpha: _Any,
    sign_decay: _Any,
    beta: _Any,
    grad: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceApplyAddSign."""

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

def ResourceApplyFtrlV2(
    var: _Any,
    accum: _Any,
    linear: _Any,
    grad: _Any,
    lr: _Any,
    l1: _Any,
    l2: _Any,
    l2_shrinkage: _Any,
    lr_power: _Any,
    use_locking: _Any = False,
    multiply_linear_by_lr: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceApplyFtrlV2."""

def ResourceApplyGradientDescent(
    var: _Any, alpha: _Any, delta: _Any, use_locking: _Any = False, name: _Any = None
) -> _Any:
    """Runs the operation ResourceApplyGradientDescent."""

def ResourceApplyKerasMomentum(
    var: _Any,
    accum: _Any,
    lr: _Any,
    grad: _Any,
    momentum: _Any,
    use_locking: _Any = False,
    use_nesterov: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceApplyKerasMomentum."""

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

def ResourceApplyPowerSign(
    var: _Any,
    m: _Any,
    lr: _Any,
    logbase: _Any,
    sign_decay: _Any,
    beta: _Any,
    grad: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceApplyPowerSign."""

def ResourceApplyProximalAdagrad(
    var: _Any,
    accum: _Any,
    lr: _Any,
    l1: _Any,
    l2: _Any,
    grad: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceApplyProximalAdagrad."""

def ResourceApplyProximalGradientDescent(
    var: _Any,
    alpha: _Any,
    l1: _Any,
    l2: _Any,
    delta: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceApplyProximalGradientDescent."""

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
    """Increments a counter variable that is below a limit."""

def ResourceGather(
    resource: _Any,
    indices: _Any,
    dtype: _Any,
    batch_dims: _Any = 0,
    validate_indices: _Any = True,
    name: _Any = None,
) -> _Any:
    """Gathers rows of a variable's value."""

def ResourceGatherNd(resource: _Any, indices: _Any, dtype: _Any, name: _Any = None) -> _Any:
    """Gathers elements or slices of a variable's value by index vectors."""

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

def ResourceSparseApplyAdagradV2(
    var: _Any,
    accum: _Any,
    lr: _Any,
    epsilon: _Any,
    grad: _Any,
    indices: _Any,
    use_locking: _Any = False,
    update_slots: _Any = True,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceSparseApplyAdagradV2."""

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

def ResourceSparseApplyFtrlV2(
    var: _Any,
    accum: _Any,
    linear: _Any,
    grad: _Any,
    indices: _Any,
    lr: _Any,
    l1: _Any,
    l2: _Any,
    l2_shrinkage: _Any,
    lr_power: _Any,
    use_locking: _Any = False,
    multiply_linear_by_lr: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceSparseApplyFtrlV2."""

def ResourceSparseApplyKerasMomentum(
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
    """Runs the operation ResourceSparseApplyKerasMomentum."""

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

def ResourceSparseApplyProximalAdagrad(
    var: _Any,
    accum: _Any,
    lr: _Any,
    l1: _Any,
    l2: _Any,
    grad: _Any,
    indices: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceSparseApplyProximalAdagrad."""

def ResourceSparseApplyProximalGradientDescent(
    var: _Any,
    alpha: _Any,
    l1: _Any,
    l2: _Any,
    grad: _Any,
    indices: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation ResourceSparseApplyProximalGradientDescent."""

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
    """Assigns to a strided slice of a variable."""

def RestoreV2(
    prefix: _Any, tensor_names: _Any, shape_and_slices: _Any, dtypes: _Any, name: _Any = None
) -> _Any:
    """Restores tensors from a checkpoint, after all of them have been read and verified."""

def ReverseSequence(
    input: _Any, seq_lengths: _Any, seq_dim: _Any, batch_dim: _Any = 0, name: _Any = None
) -> _Any:
    """Reverses the first ``seq_lengths[i]`` elements of each row along an axis."""

def ReverseV2(tensor: _Any, axis: _Any, name: _Any = None) -> _Any:
    """Reverses the order of the elements along axes."""

def RightShift(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Shifts the bits of x right by y positions, element-wise; arithmetic for signed integers."""

def Rint(x: _Any, name: _Any = None) -> _Any:
    """Rounds x to the nearest integer, element-wise; halves round to even."""

def RngReadAndSkip(resource: _Any, alg: _Any, delta: _Any, name: _Any = None) -> _Any:
    """Advances the state of a generator and returns the state before."""

def Roll(input: _Any, shift: _Any, axis: _Any, name: _Any = None) -> _Any:
    """Rolls a tensor's elements along axes; elements shifted past the end wrap around."""

def Round(x: _Any, name: _Any = None) -> _Any:
    """Rounds x to the nearest integer, element-wise; halves round to even."""

def Rsqrt(x: _Any, name: _Any = None) -> _Any:
    """Returns the reciprocal of the square root of x, element-wise."""

def RsqrtGrad(y: _Any, dy: _Any, name: _Any = None) -> _Any:
    """Computes the gradient of ``rsqrt`` from its output and the upstream gradient."""

def SampleDistortedBoundingBox(
    image_size: _Any,
    bounding_boxes: _Any,
    seed: _Any = 0,
    seed2: _Any = 0,
    min_object_covered: _Any = 0.1,
    aspect_ratio_range: _Any = ...,
    area_range: _Any = ...,
    max_attempts: _Any = 100,
    use_image_if_no_bounding_boxes: _Any = False,
    name: _Any = None,
) -> _Any:
    """Draws a crop that covers a part of some box."""

def SampleDistortedBoundingBoxV2(
    image_size: _Any,
    bounding_boxes: _Any,
    min_object_covered: _Any,
    seed: _Any = 0,
    seed2: _Any = 0,
    aspect_ratio_range: _Any = ...,
    area_range: _Any = ...,
    max_attempts: _Any = 100,
    use_image_if_no_bounding_boxes: _Any = False,
    name: _Any = None,
) -> _Any:
    """Draws a crop that covers a part of some box."""

def SaveV2(
    prefix: _Any, tensor_names: _Any, shape_and_slices: _Any, tensors: _Any, name: _Any = None
) -> _Any:
    """Saves tensors as a checkpoint, atomically: it replaces an earlier one when all is written."""

def ScalarSummary(tags: _Any, values: _Any, name: _Any = None) -> _Any:
    """Returns the summary of scalars."""

def ScaleAndTranslate(
    images: _Any,
    size: _Any,
    scale: _Any,
    translation: _Any,
    kernel_type: _Any = "lanczos3",
    antialias: _Any = True,
    name: _Any = None,
) -> _Any:
    """Scales and translates images with a sampling kernel."""

def ScaleAndTranslateGrad(
    grads: _Any,
    original_image: _Any,
    scale: _Any,
    translation: _Any,
    kernel_type: _Any = "lanczos3",
    antialias: _Any = True,
    name: _Any = None,
) -> _Any:
    """Computes the gradient of ``ScaleAndTranslate``."""

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
    """Scatters updates into a tensor of zeros by index vectors; duplicates are summed."""

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
    """Adds sparse updates to a copy of a tensor; for booleans logical OR."""

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
    """Computes the maximum of the rows of each segment; 0 for empty segments."""

def SegmentMean(data: _Any, segment_ids: _Any, name: _Any = None) -> _Any:
    """Computes the mean of the rows of each segment; 0 for empty segments."""

def SegmentMin(data: _Any, segment_ids: _Any, name: _Any = None) -> _Any:
    """Computes the minimum of the rows of each segment; 0 for empty segments."""

def SegmentProd(data: _Any, segment_ids: _Any, name: _Any = None) -> _Any:
    """Computes the product of the rows of each segment; 1 for empty segments."""

def SegmentSum(data: _Any, segment_ids: _Any, name: _Any = None) -> _Any:
    """Computes the sum of the rows of each segment; 0 for empty segments."""

def Select(condition: _Any, x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Runs the operation Select."""

def SelectV2(condition: _Any, t: _Any, e: _Any, name: _Any = None) -> _Any:
    """Selects elements of x where a condition is True and of y elsewhere."""

def SelfAdjointEigV2(input: _Any, compute_v: _Any = True, name: _Any = None) -> _Any:
    """Computes eigenvalues and eigenvectors of self-adjoint matrices."""

def Selu(features: _Any, name: _Any = None) -> _Any:
    """Computes the scaled exponential linear unit (SELU) element-wise."""

def SeluGrad(gradients: _Any, outputs: _Any, name: _Any = None) -> _Any:
    """Computes the gradients of the scaled exponential linear unit."""

def SerializeManySparse(
    sparse_indices: _Any,
    sparse_values: _Any,
    sparse_shape: _Any,
    out_type: _Any = ...,
    name: _Any = None,
) -> _Any:
    """Serializes each slice of a sparse tensor along its first dimension to a row of three strings."""

def SerializeSparse(
    sparse_indices: _Any,
    sparse_values: _Any,
    sparse_shape: _Any,
    out_type: _Any = ...,
    name: _Any = None,
) -> _Any:
    """Serializes a sparse tensor to a vector of three strings."""

def SerializeTensor(tensor: _Any, name: _Any = None) -> _Any:
    """Serializes a tensor to a string."""

def SetSize(
    set_indices: _Any,
    set_values: _Any,
    set_shape: _Any,
    validate_indices: _Any = True,
    name: _Any = None,
) -> _Any:
    """Computes the number of unique elements along the last dimension of a sparse tensor."""

def Shape(input: _Any, out_type: _Any = ..., name: _Any = None) -> _Any:
    """Returns the shape of a tensor as a tensor."""

def ShapeN(input: _Any, out_type: _Any = ..., name: _Any = None) -> _Any:
    """Returns the shapes of several tensors."""

def ShardedFilename(basename: _Any, shard: _Any, num_shards: _Any, name: _Any = None) -> _Any:
    """Returns the file name of a checkpoint shard."""

def Sigmoid(x: _Any, name: _Any = None) -> _Any:
    """Computes the sigmoid element-wise: ``1 / (1 + exp(-x))``, without overflow."""

def SigmoidGrad(y: _Any, dy: _Any, name: _Any = None) -> _Any:
    """Computes the gradients of the sigmoid."""

def Sign(x: _Any, name: _Any = None) -> _Any:
    """Returns the sign of x (-1, 0 or 1), element-wise; x / |x| for complex numbers."""

def Sin(x: _Any, name: _Any = None) -> _Any:
    """Returns the sine of x, element-wise."""

def Sinh(x: _Any, name: _Any = None) -> _Any:
    """Returns the hyperbolic sine of x, element-wise."""

def Size(input: _Any, out_type: _Any = ..., name: _Any = None) -> _Any:
    """Runs the operation Size."""

def Slice(input: _Any, begin: _Any, size: _Any, name: _Any = None) -> _Any:
    """Extracts a contiguous slice of a tensor."""

def SobolSample(
    dim: _Any, num_results: _Any, skip: _Any, dtype: _Any = ..., name: _Any = None
) -> _Any:
    """Returns points of a Sobol sequence."""

def Softmax(logits: _Any, name: _Any = None) -> _Any:
    """Computes softmax along the last dimension: ``exp(x) / sum(exp(x))``."""

def SoftmaxCrossEntropyWithLogits(features: _Any, labels: _Any, name: _Any = None) -> _Any:
    """Computes softmax cross entropy of logits with label distributions, and its gradients."""

def Softplus(features: _Any, name: _Any = None) -> _Any:
    """Computes softplus element-wise: ``log(1 + exp(x))``, without overflow."""

def SoftplusGrad(gradients: _Any, features: _Any, name: _Any = None) -> _Any:
    """Runs the operation SoftplusGrad."""

def Softsign(features: _Any, name: _Any = None) -> _Any:
    """Computes softsign element-wise: ``x / (1 + abs(x))``."""

def SoftsignGrad(gradients: _Any, features: _Any, name: _Any = None) -> _Any:
    """Computes the gradients of softsign."""

def SpaceToBatchND(input: _Any, block_shape: _Any, paddings: _Any, name: _Any = None) -> _Any:
    """Rearranges blocks of the spatial dimensions into the batch dimension."""

def SpaceToDepth(
    input: _Any, block_size: _Any, data_format: _Any = "NHWC", name: _Any = None
) -> _Any:
    """Rearranges square blocks of pixels into the channel dimension."""

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
    """Adds two sparse tensors."""

def SparseAddGrad(
    backprop_val_grad: _Any, a_indices: _Any, b_indices: _Any, sum_indices: _Any, name: _Any = None
) -> _Any:
    """Computes the gradients of the values of two sparse tensors from that of their sum."""

def SparseApplyAdadelta(
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
    """Runs the operation SparseApplyAdadelta."""

def SparseApplyAdagrad(
    var: _Any,
    accum: _Any,
    lr: _Any,
    grad: _Any,
    indices: _Any,
    use_locking: _Any = False,
    update_slots: _Any = True,
    name: _Any = None,
) -> _Any:
    """Runs the operation SparseApplyAdagrad."""

def SparseApplyAdagradDA(
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
    """Runs the operation SparseApplyAdagradDA."""

def SparseApplyAdagradV2(
    var: _Any,
    accum: _Any,
    lr: _Any,
    epsilon: _Any,
    grad: _Any,
    indices: _Any,
    use_locking: _Any = False,
    update_slots: _Any = True,
    name: _Any = None,
) -> _Any:
    """Runs the operation SparseApplyAdagradV2."""

def SparseApplyCenteredRMSProp(
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
    """Runs the operation SparseApplyCenteredRMSProp."""

def SparseApplyFtrl(
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
    """Runs the operation SparseApplyFtrl."""

def SparseApplyFtrlV2(
    var: _Any,
    accum: _Any,
    linear: _Any,
    grad: _Any,
    indices: _Any,
    lr: _Any,
    l1: _Any,
    l2: _Any,
    l2_shrinkage: _Any,
    lr_power: _Any,
    use_locking: _Any = False,
    multiply_linear_by_lr: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation SparseApplyFtrlV2."""

def SparseApplyMomentum(
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
    """Runs the operation SparseApplyMomentum."""

def SparseApplyProximalAdagrad(
    var: _Any,
    accum: _Any,
    lr: _Any,
    l1: _Any,
    l2: _Any,
    grad: _Any,
    indices: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation SparseApplyProximalAdagrad."""

def SparseApplyProximalGradientDescent(
    var: _Any,
    alpha: _Any,
    l1: _Any,
    l2: _Any,
    grad: _Any,
    indices: _Any,
    use_locking: _Any = False,
    name: _Any = None,
) -> _Any:
    """Runs the operation SparseApplyProximalGradientDescent."""

def SparseApplyRMSProp(
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
    """Runs the operation SparseApplyRMSProp."""

def SparseBincount(
    indices: _Any,
    values: _Any,
    dense_shape: _Any,
    size: _Any,
    weights: _Any,
    binary_output: _Any = False,
    name: _Any = None,
) -> _Any:
    """Counts the occurrences of integers in a sparse vector or in each row of a sparse matrix."""

def SparseConcat(
    indices: _Any, values: _Any, shapes: _Any, concat_dim: _Any, name: _Any = None
) -> _Any:
    """Concatenates sparse tensors along an axis."""

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
    """Counts the occurrences of integers in each row of a sparse matrix, as a sparse tensor."""

def SparseDenseCwiseAdd(
    sp_indices: _Any, sp_values: _Any, sp_shape: _Any, dense: _Any, name: _Any = None
) -> _Any:
    """Adds a dense tensor, which is broadcast, to the elements of a sparse tensor."""

def SparseDenseCwiseDiv(
    sp_indices: _Any, sp_values: _Any, sp_shape: _Any, dense: _Any, name: _Any = None
) -> _Any:
    """Divides a sparse tensor element-wise by a dense tensor, which is broadcast."""

def SparseDenseCwiseMul(
    sp_indices: _Any, sp_values: _Any, sp_shape: _Any, dense: _Any, name: _Any = None
) -> _Any:
    """Multiplies a sparse tensor element-wise by a dense tensor, which is broadcast."""

def SparseFillEmptyRows(
    indices: _Any, values: _Any, dense_shape: _Any, default_value: _Any, name: _Any = None
) -> _Any:
    """Fills empty rows of a sparse tensor with a default value."""

def SparseMatMul(
    a: _Any,
    b: _Any,
    transpose_a: _Any = False,
    transpose_b: _Any = False,
    a_is_sparse: _Any = False,
    b_is_sparse: _Any = False,
    name: _Any = None,
) -> _Any:
    """Multiplies two matrices of float32 or bfloat16; computes in float32."""

def SparseReduceMax(
    input_indices: _Any,
    input_values: _Any,
    input_shape: _Any,
    reduction_axes: _Any,
    keep_dims: _Any = False,
    name: _Any = None,
) -> _Any:
    """Computes the maximum over dimensions of a sparse tensor, as a dense tensor; 0 if empty."""

def SparseReduceMaxSparse(
    input_indices: _Any,
    input_values: _Any,
    input_shape: _Any,
    reduction_axes: _Any,
    keep_dims: _Any = False,
    name: _Any = None,
) -> _Any:
    """Computes the maximum over dimensions of a sparse tensor, as a sparse tensor."""

def SparseReduceSum(
    input_indices: _Any,
    input_values: _Any,
    input_shape: _Any,
    reduction_axes: _Any,
    keep_dims: _Any = False,
    name: _Any = None,
) -> _Any:
    """Computes the sum over dimensions of a sparse tensor, as a dense tensor."""

def SparseReduceSumSparse(
    input_indices: _Any,
    input_values: _Any,
    input_shape: _Any,
    reduction_axes: _Any,
    keep_dims: _Any = False,
    name: _Any = None,
) -> _Any:
    """Computes the sum over dimensions of a sparse tensor, as a sparse tensor."""

def SparseReorder(
    input_indices: _Any, input_values: _Any, input_shape: _Any, name: _Any = None
) -> _Any:
    """Reorders a sparse tensor to row-major order of its indices."""

def SparseReshape(
    input_indices: _Any, input_shape: _Any, new_shape: _Any, name: _Any = None
) -> _Any:
    """Reshapes a sparse tensor: returns the indices of its elements in a new shape."""

def SparseSegmentMean(
    data: _Any, indices: _Any, segment_ids: _Any, sparse_gradient: _Any = False, name: _Any = None
) -> _Any:
    """Computes the mean of gathered rows for each segment."""

def SparseSegmentMeanGrad(
    grad: _Any, indices: _Any, segment_ids: _Any, output_dim0: _Any, name: _Any = None
) -> _Any:
    """Computes the gradient of a segment reduction of gathered rows."""

def SparseSegmentMeanGradV2(
    grad: _Any, indices: _Any, segment_ids: _Any, dense_output_dim0: _Any, name: _Any = None
) -> _Any:
    """Computes the gradient of a segment reduction for the gathered rows only."""

def SparseSegmentMeanWithNumSegments(
    data: _Any,
    indices: _Any,
    segment_ids: _Any,
    num_segments: _Any,
    sparse_gradient: _Any = False,
    name: _Any = None,
) -> _Any:
    """Computes the mean of gathered rows for each segment, with a given number of segments."""

def SparseSegmentSqrtN(
    data: _Any, indices: _Any, segment_ids: _Any, sparse_gradient: _Any = False, name: _Any = None
) -> _Any:
    """Computes segment sums of gathered rows, divided by the square root of the row count."""

def SparseSegmentSqrtNGrad(
    grad: _Any, indices: _Any, segment_ids: _Any, output_dim0: _Any, name: _Any = None
) -> _Any:
    """Computes the gradient of a segment reduction of gathered rows."""

def SparseSegmentSqrtNGradV2(
    grad: _Any, indices: _Any, segment_ids: _Any, dense_output_dim0: _Any, name: _Any = None
) -> _Any:
    """Computes the gradient of a segment reduction for the gathered rows only."""

def SparseSegmentSqrtNWithNumSegments(
    data: _Any,
    indices: _Any,
    segment_ids: _Any,
    num_segments: _Any,
    sparse_gradient: _Any = False,
    name: _Any = None,
) -> _Any:
    """Computes segment sums divided by sqrt(row count), with a given number of segments."""

def SparseSegmentSum(
    data: _Any, indices: _Any, segment_ids: _Any, sparse_gradient: _Any = False, name: _Any = None
) -> _Any:
    """Computes the sum of gathered rows for each segment."""

def SparseSegmentSumGrad(
    grad: _Any, indices: _Any, segment_ids: _Any, output_dim0: _Any, name: _Any = None
) -> _Any:
    """Computes the gradient of a segment reduction of gathered rows."""

def SparseSegmentSumGradV2(
    grad: _Any, indices: _Any, segment_ids: _Any, dense_output_dim0: _Any, name: _Any = None
) -> _Any:
    """Computes the gradient of a segment reduction for the gathered rows only."""

def SparseSegmentSumWithNumSegments(
    data: _Any,
    indices: _Any,
    segment_ids: _Any,
    num_segments: _Any,
    sparse_gradient: _Any = False,
    name: _Any = None,
) -> _Any:
    """Computes the sum of gathered rows for each segment, with a given number of segments."""

def SparseSlice(
    indices: _Any, values: _Any, shape: _Any, start: _Any, size: _Any, name: _Any = None
) -> _Any:
    """Slices a sparse tensor."""

def SparseSoftmax(sp_indices: _Any, sp_values: _Any, sp_shape: _Any, name: _Any = None) -> _Any:
    """Computes the softmax over the last dimension of a sparse tensor, ignoring missing elements."""

def SparseSoftmaxCrossEntropyWithLogits(features: _Any, labels: _Any, name: _Any = None) -> _Any:
    """Computes softmax cross entropy of logits with integer labels, and its gradients."""

def SparseSparseMaximum(
    a_indices: _Any,
    a_values: _Any,
    a_shape: _Any,
    b_indices: _Any,
    b_values: _Any,
    b_shape: _Any,
    name: _Any = None,
) -> _Any:
    """Returns the element-wise maximum of two sparse tensors; missing elements are 0."""

def SparseSparseMinimum(
    a_indices: _Any,
    a_values: _Any,
    a_shape: _Any,
    b_indices: _Any,
    b_values: _Any,
    b_shape: _Any,
    name: _Any = None,
) -> _Any:
    """Returns the element-wise minimum of two sparse tensors; missing elements are 0."""

def SparseSplit(
    split_dim: _Any, indices: _Any, values: _Any, shape: _Any, num_split: _Any, name: _Any = None
) -> _Any:
    """Splits a sparse tensor along an axis; the first parts are larger if not divisible."""

def SparseTensorDenseAdd(
    a_indices: _Any, a_values: _Any, a_shape: _Any, b: _Any, name: _Any = None
) -> _Any:
    """Adds a sparse tensor and a dense tensor."""

def SparseTensorDenseMatMul(
    a_indices: _Any,
    a_values: _Any,
    a_shape: _Any,
    b: _Any,
    adjoint_a: _Any = False,
    adjoint_b: _Any = False,
    name: _Any = None,
) -> _Any:
    """Multiplies a sparse matrix by a dense matrix."""

def SparseToDense(
    sparse_indices: _Any,
    output_shape: _Any,
    sparse_values: _Any,
    default_value: _Any,
    validate_indices: _Any = True,
    name: _Any = None,
) -> _Any:
    """Scatters sparse values into a dense tensor."""

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
    """Applies a set operation to the last dimension of two sparse tensors."""

def Spence(x: _Any, name: _Any = None) -> _Any:
    """Computes Spence's function: the integral of ``log(t) / (1 - t)`` from 1 to x."""

def Split(axis: _Any, value: _Any, num_split: _Any, name: _Any = None) -> _Any:
    """Splits a tensor into equal consecutive parts along one axis."""

def SplitV(value: _Any, size_splits: _Any, axis: _Any, num_split: _Any, name: _Any = None) -> _Any:
    """Splits a tensor into consecutive parts of the given sizes along one axis."""

def Sqrt(x: _Any, name: _Any = None) -> _Any:
    """Returns the square root of x, element-wise."""

def SqrtGrad(y: _Any, dy: _Any, name: _Any = None) -> _Any:
    """Computes the gradient of ``sqrt`` from its output and the upstream gradient."""

def Square(x: _Any, name: _Any = None) -> _Any:
    """Returns the square of x, element-wise."""

def SquaredDifference(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns (x - y) * (x - y) element-wise; (x - y) * conj(x - y) for complex numbers."""

def Squeeze(input: _Any, axis: _Any = ..., name: _Any = None) -> _Any:
    """Removes axes of size 1."""

def StatefulRandomBinomial(
    resource: _Any,
    algorithm: _Any,
    shape: _Any,
    counts: _Any,
    probs: _Any,
    dtype: _Any = ...,
    name: _Any = None,
) -> _Any:
    """Draws random numbers from binomial distributions with a generator, and advances its state."""

def StatelessMultinomial(
    logits: _Any, num_samples: _Any, seed: _Any, output_dtype: _Any = ..., name: _Any = None
) -> _Any:
    """Draws deterministic samples from categorical distributions, determined by the seed."""

def StatelessParameterizedTruncatedNormal(
    shape: _Any,
    seed: _Any,
    means: _Any,
    stddevs: _Any,
    minvals: _Any,
    maxvals: _Any,
    name: _Any = None,
) -> _Any:
    """Draws deterministic random numbers from truncated normal distributions, by seed."""

def StatelessRandomBinomial(
    shape: _Any, seed: _Any, counts: _Any, probs: _Any, dtype: _Any = ..., name: _Any = None
) -> _Any:
    """Draws deterministic random numbers from binomial distributions, determined by the seed."""

def StatelessRandomGammaV3(
    shape: _Any, key: _Any, counter: _Any, alg: _Any, alpha: _Any, name: _Any = None
) -> _Any:
    """Draws random numbers from gamma distributions of rate 1, from a key and a counter."""

def StatelessRandomGetKeyCounter(seed: _Any, name: _Any = None) -> _Any:
    """Derives the key and the counter from a seed."""

def StatelessRandomNormalV2(
    shape: _Any, key: _Any, counter: _Any, alg: _Any, dtype: _Any = ..., name: _Any = None
) -> _Any:
    """Draws random numbers from the standard normal distribution, from a key and a counter."""

def StatelessRandomPoisson(
    shape: _Any, seed: _Any, lam: _Any, dtype: _Any, name: _Any = None
) -> _Any:
    """Draws deterministic random numbers from Poisson distributions, determined by the seed."""

def StatelessRandomUniformFullIntV2(
    shape: _Any, key: _Any, counter: _Any, alg: _Any, dtype: _Any = ..., name: _Any = None
) -> _Any:
    """Draws random integers from the full range of a dtype, from a key and a counter."""

def StatelessRandomUniformIntV2(
    shape: _Any, key: _Any, counter: _Any, alg: _Any, minval: _Any, maxval: _Any, name: _Any = None
) -> _Any:
    """Draws random integers from [minval, maxval), from a key and a counter."""

def StatelessRandomUniformV2(
    shape: _Any, key: _Any, counter: _Any, alg: _Any, dtype: _Any = ..., name: _Any = None
) -> _Any:
    """Draws random numbers from the uniform distribution over [0, 1), from a key and a counter."""

def StatelessSampleDistortedBoundingBox(
    image_size: _Any,
    bounding_boxes: _Any,
    min_object_covered: _Any,
    seed: _Any,
    aspect_ratio_range: _Any = ...,
    area_range: _Any = ...,
    max_attempts: _Any = 100,
    use_image_if_no_bounding_boxes: _Any = False,
    name: _Any = None,
) -> _Any:
    """Draws a crop that covers a part of some box, by a seed alone."""

def StatelessShuffle(value: _Any, key: _Any, counter: _Any, alg: _Any, name: _Any = None) -> _Any:
    """Shuffles a tensor along its first dimension, determined by a key and a counter."""

def StatelessTruncatedNormalV2(
    shape: _Any, key: _Any, counter: _Any, alg: _Any, dtype: _Any = ..., name: _Any = None
) -> _Any:
    """Draws random numbers from the truncated standard normal distribution, by key and counter."""

def StaticRegexFullMatch(input: _Any, pattern: _Any, name: _Any = None) -> _Any:
    """Checks whether strings fully match a regular expression."""

def StaticRegexReplace(
    input: _Any, pattern: _Any, rewrite: _Any, replace_global: _Any = True, name: _Any = None
) -> _Any:
    """Replaces matches of a regular expression in strings."""

def StopGradient(input: _Any, name: _Any = None) -> _Any:
    """Returns the input unchanged; blocks gradients."""

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
    """Extracts a strided slice of a tensor."""

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
    """Gradient of a strided slice: zeros with the upstream gradient in the slice."""

def StringFormat(
    inputs: _Any,
    template: _Any = "%s",
    placeholder: _Any = "%s",
    summarize: _Any = 3,
    name: _Any = None,
) -> _Any:
    """Runs the operation StringFormat."""

def StringJoin(inputs: _Any, separator: _Any = "", name: _Any = None) -> _Any:
    """Joins tensors of strings element-wise."""

def StringLength(input: _Any, unit: _Any = "BYTE", name: _Any = None) -> _Any:
    """Computes the lengths of strings."""

def StringLower(input: _Any, encoding: _Any = "", name: _Any = None) -> _Any:
    """Converts strings to lower case."""

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
    """Strips leading and trailing whitespace from strings."""

def StringToHashBucket(string_tensor: _Any, num_buckets: _Any, name: _Any = None) -> _Any:
    """Hashes strings to bucket indices."""

def StringToHashBucketFast(input: _Any, num_buckets: _Any, name: _Any = None) -> _Any:
    """Hashes strings to bucket indices with a fast hash (FarmHash)."""

def StringToHashBucketStrong(input: _Any, num_buckets: _Any, key: _Any, name: _Any = None) -> _Any:
    """Hashes strings to bucket indices with a keyed strong hash (SipHash-2-4)."""

def StringToNumber(string_tensor: _Any, out_type: _Any = ..., name: _Any = None) -> _Any:
    """Converts strings to numbers."""

def StringUpper(input: _Any, encoding: _Any = "", name: _Any = None) -> _Any:
    """Converts strings to upper case."""

def Sub(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns x - y element-wise."""

def Substr(input: _Any, pos: _Any, len: _Any, unit: _Any = "BYTE", name: _Any = None) -> _Any:
    """Returns substrings of strings."""

def Sum(input: _Any, axis: _Any, keep_dims: _Any = False, name: _Any = None) -> _Any:
    """Computes the sum of elements along axes."""

def Svd(
    input: _Any, compute_uv: _Any = True, full_matrices: _Any = False, name: _Any = None
) -> _Any:
    """Computes the singular value decomposition of matrices."""

def Tan(x: _Any, name: _Any = None) -> _Any:
    """Returns the tangent of x, element-wise."""

def Tanh(x: _Any, name: _Any = None) -> _Any:
    """Returns the hyperbolic tangent of x, element-wise."""

def TanhGrad(y: _Any, dy: _Any, name: _Any = None) -> _Any:
    """Computes the gradients of the hyperbolic tangent."""

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

def TensorListGather(
    input_handle: _Any, indices: _Any, element_shape: _Any, element_dtype: _Any, name: _Any = None
) -> _Any:
    """Runs the operation TensorListGather."""

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
    """Adds sparse updates to a copy of a tensor."""

def TensorScatterMax(
    tensor: _Any, indices: _Any, updates: _Any, bad_indices_policy: _Any = "", name: _Any = None
) -> _Any:
    """Takes the element-wise maximum of a tensor and sparse updates."""

def TensorScatterMin(
    tensor: _Any, indices: _Any, updates: _Any, bad_indices_policy: _Any = "", name: _Any = None
) -> _Any:
    """Takes the element-wise minimum of a tensor and sparse updates."""

def TensorScatterSub(
    tensor: _Any, indices: _Any, updates: _Any, bad_indices_policy: _Any = "", name: _Any = None
) -> _Any:
    """Subtracts sparse updates from a copy of a tensor."""

def TensorScatterUpdate(
    tensor: _Any, indices: _Any, updates: _Any, bad_indices_policy: _Any = "", name: _Any = None
) -> _Any:
    """Scatters updates into a copy of a tensor; for duplicate indices the last update wins."""

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
    """Returns a copy of a tensor with a strided slice replaced."""

def TensorSummaryV2(
    tag: _Any, tensor: _Any, serialized_summary_metadata: _Any, name: _Any = None
) -> _Any:
    """Returns the summary of a tensor."""

def Tile(input: _Any, multiples: _Any, name: _Any = None) -> _Any:
    """Repeats a tensor along each axis."""

def TopKV2(
    input: _Any, k: _Any, sorted: _Any = True, index_type: _Any = ..., name: _Any = None
) -> _Any:
    """Returns the k largest elements along the last axis, and their indices."""

def Transpose(x: _Any, perm: _Any, name: _Any = None) -> _Any:
    """Permutes the axes of a tensor."""

def TridiagonalMatMul(
    superdiag: _Any, maindiag: _Any, subdiag: _Any, rhs: _Any, name: _Any = None
) -> _Any:
    """Multiplies tridiagonal matrices by dense matrices."""

def TridiagonalSolve(
    diagonals: _Any,
    rhs: _Any,
    partial_pivoting: _Any = True,
    perturb_singular: _Any = False,
    name: _Any = None,
) -> _Any:
    """Solves tridiagonal systems of linear equations."""

def TruncateDiv(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns x / y rounded towards zero, element-wise."""

def TruncateMod(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns the remainder of truncated division, element-wise; it has the sign of x."""

def TruncatedNormal(
    shape: _Any, dtype: _Any, seed: _Any = 0, seed2: _Any = 0, name: _Any = None
) -> _Any:
    """Draws random numbers from the standard normal distribution, truncated to (-2, 2)."""

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
    """Determines the script codes of Unicode code points."""

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
    """Samples classes from a uniform distribution."""

def Unique(x: _Any, out_idx: _Any = ..., name: _Any = None) -> _Any:
    """Returns the unique elements of a vector, and each element's index among them."""

def UniqueV2(x: _Any, axis: _Any, out_idx: _Any = ..., name: _Any = None) -> _Any:
    """Returns the unique slices of a tensor along an axis, and the index of each slice among them."""

def UniqueWithCounts(x: _Any, out_idx: _Any = ..., name: _Any = None) -> _Any:
    """Returns the unique elements of a vector, each element's index among them, and the counts."""

def UniqueWithCountsV2(x: _Any, axis: _Any, out_idx: _Any = ..., name: _Any = None) -> _Any:
    """Returns the unique slices along an axis, the index of each slice among them, and the counts."""

def Unpack(value: _Any, num: _Any, axis: _Any = 0, name: _Any = None) -> _Any:
    """Unstacks a tensor into its slices along an axis."""

def UnravelIndex(indices: _Any, dims: _Any, name: _Any = None) -> _Any:
    """Converts flat indices into index vectors for an array of the given shape."""

def UnsortedSegmentJoin(
    inputs: _Any, segment_ids: _Any, num_segments: _Any, separator: _Any = "", name: _Any = None
) -> _Any:
    """Joins the strings of each segment; the empty string for empty segments."""

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
    """Returns the rightmost insertion index of each value in its sorted row."""

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
    """Checks whether a variable is initialized."""

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
    """Returns the indices of the nonzero or True elements."""

def WriteFile(filename: _Any, contents: _Any, name: _Any = None) -> _Any:
    """Writes a string to a file and creates missing directories."""

def Xdivy(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns x / y element-wise, and 0 where x is 0 for any y."""

def Xlog1py(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns x * log(1 + y) element-wise, and 0 where x is 0 for any y."""

def Xlogy(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Returns x * log(y) element-wise, and 0 where x is 0 for any y."""

def ZerosLike(x: _Any, name: _Any = None) -> _Any:
    """Returns zeros of a tensor's dtype and shape."""

def Zeta(x: _Any, q: _Any, name: _Any = None) -> _Any:
    """Computes the Hurwitz zeta function: the sum of ``(q + n) ** -x`` over n = 0, 1, 2, ..."""
