"""The operations that graphs hold for what programs say: names, types, inputs, as TensorFlow makes them."""

import pytest

import twinflow as tf

# An expression to the operations that it adds to a graph.
ADDED = {
    "tf.reduce_sum(a)": """
        Const Const()
        Sum Sum(a, Const)
    """,
    'tf.reduce_mean(a, 1, name="mean")': """
        mean/reduction_indices Const()
        mean Mean(a, mean/reduction_indices)
    """,
    "tf.transpose(a)": """
        transpose/perm Const()
        transpose Transpose(a, transpose/perm)
    """,
    "a[0, 1:]": """
        strided_slice/stack Const()
        strided_slice/stack_1 Const()
        strided_slice/stack_2 Const()
        strided_slice StridedSlice(a, strided_slice/stack, strided_slice/stack_1, strided_slice/stack_2)
    """,
    "a[k]": """
        add/y Const()
        add AddV2(k, add/y)
        strided_slice/stack Pack(k)
        strided_slice/stack_1 Pack(add)
        strided_slice/stack_2 Const()
        strided_slice StridedSlice(a, strided_slice/stack, strided_slice/stack_1, strided_slice/stack_2)
    """,
    "a[k:, ::2]": """
        Const Const()
        Const_1 Const()
        strided_slice/stack/1 Const()
        strided_slice/stack Pack(k, strided_slice/stack/1)
        strided_slice/stack_1/1 Const()
        strided_slice/stack_1 Pack(Const, strided_slice/stack_1/1)
        strided_slice/stack_2/1 Const()
        strided_slice/stack_2 Pack(Const_1, strided_slice/stack_2/1)
        strided_slice StridedSlice(a, strided_slice/stack, strided_slice/stack_1, strided_slice/stack_2)
    """,
    "a[:, None, k]": """
        add/y Const()
        add AddV2(k, add/y)
        strided_slice/stack/0 Const()
        strided_slice/stack/1 Const()
        strided_slice/stack Pack(strided_slice/stack/0, strided_slice/stack/1, k)
        strided_slice/stack_1/0 Const()
        strided_slice/stack_1/1 Const()
        strided_slice/stack_1 Pack(strided_slice/stack_1/0, strided_slice/stack_1/1, add)
        strided_slice/stack_2 Const()
        strided_slice StridedSlice(a, strided_slice/stack, strided_slice/stack_1, strided_slice/stack_2)
    """,
    "tf.reshape(a, [k, -1])": """
        Reshape/shape/1 Const()
        Reshape/shape Pack(k, Reshape/shape/1)
        Reshape Reshape(a, Reshape/shape)
    """,
    'tf.stack([k, 4], name="st")': """
        st/1 Const()
        st Pack(k, st/1)
    """,
    "tf.stack([1, k, 3])": """
        stack/0 Const()
        stack/2 Const()
        stack Pack(stack/0, k, stack/2)
    """,
    'tf.split(a, 2, axis=1, name="sp")': """
        sp/split_dim Const()
        sp Split(sp/split_dim, a)
    """,
    "tf.one_hot([0, 2], 4)": """
        one_hot/on_value Const()
        one_hot/off_value Const()
        one_hot/indices Const()
        one_hot/depth Const()
        one_hot OneHot(one_hot/indices, one_hot/depth, one_hot/on_value, one_hot/off_value)
    """,
    'tf.one_hot(k, 4, name="hot")': """
        hot/on_value Const()
        hot/off_value Const()
        hot/depth Const()
        hot OneHot(k, hot/depth, hot/on_value, hot/off_value)
    """,
    "tf.zeros([k, 2])": """
        zeros/packed/1 Const()
        zeros/packed Pack(k, zeros/packed/1)
        zeros/Const Const()
        zeros Fill(zeros/packed, zeros/Const)
    """,
    "tf.ones([40, 50])": """
        ones/shape_as_tensor Const()
        ones/Const Const()
        ones Fill(ones/shape_as_tensor, ones/Const)
    """,
    "tf.zeros_like(a)": """
        zeros_like Const()
    """,
    "tf.shape(a)[1]": """
        Shape Const()
        strided_slice/stack Const()
        strided_slice/stack_1 Const()
        strided_slice/stack_2 Const()
        strided_slice StridedSlice(Shape, strided_slice/stack, strided_slice/stack_1, strided_slice/stack_2)
    """,
    "tf.range(k)": """
        range/start Const()
        range/delta Const()
        range Range(range/start, k, range/delta)
    """,
    'tf.range(1, 9, 2, name="odd")': """
        odd/start Const()
        odd/limit Const()
        odd/delta Const()
        odd Range(odd/start, odd/limit, odd/delta)
    """,
    "a / 4.0": """
        truediv/y Const()
        truediv RealDiv(a, truediv/y)
    """,
    "8.0 / a": """
        truediv/x Const()
        truediv RealDiv(truediv/x, a)
    """,
    "tf.divide(k, 3)": """
        truediv/y Const()
        truediv/Cast Cast(k)
        truediv/Cast_1 Cast(truediv/y)
        truediv RealDiv(truediv/Cast, truediv/Cast_1)
    """,
    "a * 2.0 + 1.0": """
        mul/y Const()
        mul Mul(a, mul/y)
        add/y Const()
        add AddV2(mul, add/y)
    """,
    "tf.math.divide_no_nan(a, 2.0)": """
        div_no_nan/y Const()
        div_no_nan DivNoNan(a, div_no_nan/y)
    """,
    "tf.nn.moments(a, [0])": """
        moments/mean/reduction_indices Const()
        moments/mean Mean(a, moments/mean/reduction_indices)
        moments/StopGradient StopGradient(moments/mean)
        moments/SquaredDifference SquaredDifference(a, moments/StopGradient)
        moments/variance/reduction_indices Const()
        moments/variance Mean(moments/SquaredDifference, moments/variance/reduction_indices)
        moments/Squeeze Squeeze(moments/mean)
        moments/Squeeze_1 Squeeze(moments/variance)
    """,
    "tf.nn.dropout(a, 0.25, seed=7)": """
        dropout/Const Const()
        dropout/Mul Mul(a, dropout/Const)
        dropout/Shape Const()
        dropout/random_uniform/RandomUniform RandomUniform(dropout/Shape)
        dropout/GreaterEqual/y Const()
        dropout/GreaterEqual GreaterEqual(dropout/random_uniform/RandomUniform, dropout/GreaterEqual/y)
        dropout/Const_1 Const()
        dropout/SelectV2 SelectV2(dropout/GreaterEqual, dropout/Mul, dropout/Const_1)
    """,
    "tf.nn.l2_normalize(a, 1)": """
        l2_normalize/Square Square(a)
        l2_normalize/Sum/reduction_indices Const()
        l2_normalize/Sum Sum(l2_normalize/Square, l2_normalize/Sum/reduction_indices)
        l2_normalize/Maximum/y Const()
        l2_normalize/Maximum Maximum(l2_normalize/Sum, l2_normalize/Maximum/y)
        l2_normalize/Rsqrt Rsqrt(l2_normalize/Maximum)
        l2_normalize Mul(a, l2_normalize/Rsqrt)
    """,
    "tf.linalg.trace(a)": """
        Trace/diag_part/k Const()
        Trace/diag_part/padding_value Const()
        Trace/diag_part MatrixDiagPartV3(a, Trace/diag_part/k, Trace/diag_part/padding_value)
        Trace/reduction_indices Const()
        Trace Sum(Trace/diag_part, Trace/reduction_indices)
    """,
    "tf.linalg.norm(a)": """
        norm/mul Mul(a, a)
        norm/Const Const()
        norm/Sum Sum(norm/mul, norm/Const)
        norm/Sqrt Sqrt(norm/Sum)
        norm/Squeeze Squeeze(norm/Sqrt)
    """,
    "tf.eye(2)": """
        eye/ones Const()
        eye/diag/k Const()
        eye/diag/num_rows Const()
        eye/diag/num_cols Const()
        eye/diag/padding_value Const()
        eye/diag MatrixDiagV3(eye/ones, eye/diag/k, eye/diag/num_rows, eye/diag/num_cols, eye/diag/padding_value)
    """,
    "tf.math.reduce_std(a, 0)": """
        reduce_std/reduce_variance/Mean/reduction_indices Const()
        reduce_std/reduce_variance/Mean Mean(a, reduce_std/reduce_variance/Mean/reduction_indices)
        reduce_std/reduce_variance/sub Sub(a, reduce_std/reduce_variance/Mean)
        reduce_std/reduce_variance/Square Square(reduce_std/reduce_variance/sub)
        reduce_std/reduce_variance/Mean_1/reduction_indices Const()
        reduce_std/reduce_variance/Mean_1 Mean(reduce_std/reduce_variance/Square, reduce_std/reduce_variance/Mean_1/reduction_indices)
        reduce_std/Sqrt Sqrt(reduce_std/reduce_variance/Mean_1)
    """,
    "tf.random.normal([2, k], seed=3)": """
        random_normal/shape/0 Const()
        random_normal/shape Pack(random_normal/shape/0, k)
        random_normal/mean Const()
        random_normal/stddev Const()
        random_normal/RandomStandardNormal RandomStandardNormal(random_normal/shape)
        random_normal/mul Mul(random_normal/RandomStandardNormal, random_normal/stddev)
        random_normal AddV2(random_normal/mul, random_normal/mean)
    """,
    "tf.random.uniform([3], seed=3)": """
        random_uniform/shape Const()
        random_uniform/RandomUniform RandomUniform(random_uniform/shape)
    """,
    "tf.random.stateless_uniform([3], [1, 2])": """
        stateless_random_uniform/shape Const()
        stateless_random_uniform/min Const()
        stateless_random_uniform/max Const()
        stateless_random_uniform/StatelessRandomGetKeyCounter/seed Const()
        stateless_random_uniform/StatelessRandomGetKeyCounter StatelessRandomGetKeyCounter(stateless_random_uniform/StatelessRandomGetKeyCounter/seed)
        stateless_random_uniform/StatelessRandomUniformV2/alg Const()
        stateless_random_uniform/StatelessRandomUniformV2 StatelessRandomUniformV2(stateless_random_uniform/shape, stateless_random_uniform/StatelessRandomGetKeyCounter, stateless_random_uniform/StatelessRandomGetKeyCounter:1, stateless_random_uniform/StatelessRandomUniformV2/alg)
        stateless_random_uniform/sub Sub(stateless_random_uniform/max, stateless_random_uniform/min)
        stateless_random_uniform/mul Mul(stateless_random_uniform/StatelessRandomUniformV2, stateless_random_uniform/sub)
        stateless_random_uniform AddV2(stateless_random_uniform/mul, stateless_random_uniform/min)
    """,
    "tf.clip_by_value(a, -1.0, 1.0)": """
        clip_by_value/Minimum/y Const()
        clip_by_value/Minimum Minimum(a, clip_by_value/Minimum/y)
        clip_by_value/y Const()
        clip_by_value Maximum(clip_by_value/Minimum, clip_by_value/y)
    """,
    "tf.cond(k > 1, lambda: a, lambda: -a)": """
        Greater/y Const()
        Greater Greater(k, Greater/y)
        cond StatelessIf(Greater, a)
        cond/Identity Identity(cond)
    """,
    'tf.nn.conv1d(a[None], tf.zeros([2, 4, 5]), 1, "SAME")': """
        strided_slice/stack Const()
        strided_slice/stack_1 Const()
        strided_slice/stack_2 Const()
        strided_slice StridedSlice(a, strided_slice/stack, strided_slice/stack_1, strided_slice/stack_2)
        zeros Const()
        conv1d/ExpandDims/dim Const()
        conv1d/ExpandDims ExpandDims(strided_slice, conv1d/ExpandDims/dim)
        conv1d/ExpandDims_1/dim Const()
        conv1d/ExpandDims_1 ExpandDims(zeros, conv1d/ExpandDims_1/dim)
        conv1d Conv2D(conv1d/ExpandDims, conv1d/ExpandDims_1)
        conv1d/Squeeze Squeeze(conv1d)
    """,
    "u + 1.0": """
        ReadVariableOp ReadVariableOp(u)
        add/y Const()
        add AddV2(ReadVariableOp, add/y)
    """,
    "2.0 * u": """
        ReadVariableOp ReadVariableOp(u)
        mul/x Const()
        mul Mul(mul/x, ReadVariableOp)
    """,
    "-u": """
        ReadVariableOp ReadVariableOp(u)
        Neg Neg(ReadVariableOp)
    """,
    "u[1]": """
        ReadVariableOp ReadVariableOp(u)
        strided_slice/stack Const()
        strided_slice/stack_1 Const()
        strided_slice/stack_2 Const()
        strided_slice StridedSlice(ReadVariableOp, strided_slice/stack, strided_slice/stack_1, strided_slice/stack_2)
    """,
    "tf.gather(u, [1, 0])": """
        Gather/indices Const()
        Gather ResourceGather(u, Gather/indices)
    """,
    "tf.nn.embedding_lookup(u, [1])": """
        embedding_lookup/ids Const()
        embedding_lookup ResourceGather(u, embedding_lookup/ids)
        embedding_lookup/Identity Identity(embedding_lookup)
    """,
    "tf.math.ndtri(a)": """
        ndtri/Ndtri Ndtri(a)
    """,
    'tf.math.xlog1py(a, a, name="xl")': """
        xl/Xlog1py Xlog1py(a, a)
    """,
    "tf.convert_to_tensor([[k, 2], [3, k]])": """
        packed/0/1 Const()
        packed/0 Pack(k, packed/0/1)
        packed/1/0 Const()
        packed/1 Pack(packed/1/0, k)
        packed Pack(packed/0, packed/1)
    """,
    "tf.TensorArray(tf.float32, 2).unstack(a[:2]).read(1)": """
        TensorArrayV2/element_shape Const()
        TensorArrayV2/num_elements Const()
        TensorArrayV2 TensorListReserve(TensorArrayV2/element_shape, TensorArrayV2/num_elements)
        strided_slice/stack Const()
        strided_slice/stack_1 Const()
        strided_slice/stack_2 Const()
        strided_slice StridedSlice(a, strided_slice/stack, strided_slice/stack_1, strided_slice/stack_2)
        TensorArrayUnstack/TensorListFromTensor/element_shape Const()
        TensorArrayUnstack/TensorListFromTensor TensorListFromTensor(strided_slice, TensorArrayUnstack/TensorListFromTensor/element_shape)
        TensorArrayV2Read/TensorListGetItem/index Const()
        TensorArrayV2Read/TensorListGetItem/element_shape Const()
        TensorArrayV2Read/TensorListGetItem TensorListGetItem(TensorArrayUnstack/TensorListFromTensor, TensorArrayV2Read/TensorListGetItem/index, TensorArrayV2Read/TensorListGetItem/element_shape)
    """,
    "tf.gradients(tf.exp(a), a)": """
        Exp Exp(a)
        gradients/Shape Const()
        gradients/grad_ys_0/Const Const()
        gradients/grad_ys_0 Fill(gradients/Shape, gradients/grad_ys_0/Const)
        gradients/Exp_grad/mul Mul(gradients/grad_ys_0, Exp)
    """,
    "tf.saturate_cast(a, tf.uint8)": """
        saturate_cast/Const Const()
        saturate_cast/Const_1 Const()
        saturate_cast/clamp ClipByValue(a, saturate_cast/Const, saturate_cast/Const_1)
        saturate_cast Cast(saturate_cast/clamp)
    """,
}

# An expression to the error that it raises in a graph.
REFUSED = {
    "a + tf.zeros([3])": (
        "ValueError",
        "Dimensions must be equal, but are 4 and 3 for '{{node add}} = AddV2[T=DT_FLOAT](a, "
        "zeros)' with input shapes: [3,4], [3].",
    ),
    "a @ tf.zeros([3, 4])": (
        "ValueError",
        "Dimensions must be equal, but are 4 and 3 for '{{node matmul}} = MatMul[T=DT_FLOAT, "
        "grad_a=false, grad_b=false, transpose_a=false, transpose_b=false](a, zeros)' with input "
        "shapes: [3,4], [3,4].",
    ),
    'tf.matmul(a, tf.ones([3, 2]), name="prod")': (
        "ValueError",
        "Dimensions must be equal, but are 4 and 3 for '{{node prod}} = MatMul[T=DT_FLOAT, "
        "grad_a=false, grad_b=false, transpose_a=false, transpose_b=false](a, ones)' with input "
        "shapes: [3,4], [3,2].",
    ),
    "tf.reshape(a, [5])": (
        "ValueError",
        "Cannot reshape a tensor with 12 elements to shape [5] (5 elements) for '{{node Reshape}} "
        "= Reshape[T=DT_FLOAT, Tshape=DT_INT32](a, Reshape/shape)' with input shapes: [3,4], [1] "
        "and with input tensors computed as partial shapes: input[1] = [5].",
    ),
    "tf.reshape(a, [-1, 5])": (
        "ValueError",
        "Dimension size must be evenly divisible by 5 but is 12 for '{{node Reshape}} = "
        "Reshape[T=DT_FLOAT, Tshape=DT_INT32](a, Reshape/shape)' with input shapes: [3,4], [2] "
        "and with input tensors computed as partial shapes: input[1] = [?,5].",
    ),
    "tf.concat([a, k], 0)": (
        "TypeError",
        "Tensors in list passed to 'values' of 'ConcatV2' Op have types [float32, int32] that "
        "don't all match.",
    ),
    "tf.concat([a, tf.zeros([2, 2])], 1)": (
        "ValueError",
        "Dimension 0 in both shapes must be equal, but are 3 and 2. Shapes are [3] and [2]. for "
        "'{{node concat}} = ConcatV2[N=2, T=DT_FLOAT, Tidx=DT_INT32](a, zeros, concat/axis)' with "
        "input shapes: [3,4], [2,2], [] and with computed input tensors: input[2] = <1>.",
    ),
    "tf.stack([a, k], 1)": (
        "TypeError",
        "Tensors in list passed to 'values' of 'Pack' Op have types [float32, int32] that don't "
        "all match.",
    ),
    "tf.concat([], 0)": (
        "ValueError",
        "List argument 'values' to 'ConcatV2' Op with length 0 shorter than minimum length 2.",
    ),
    "tf.unstack(a, num=2)": (
        "ValueError",
        "Dimension must be 2 but is 3 for '{{node unstack}} = Unpack[T=DT_FLOAT, axis=0, "
        "num=2](a)' with input shapes: [3,4].",
    ),
    "tf.squeeze(a, 1)": (
        "ValueError",
        "Can not squeeze dim[1], expected a dimension of 1, got 4 for '{{node Squeeze}} = "
        "Squeeze[T=DT_FLOAT, squeeze_dims=[1]](a)' with input shapes: [3,4].",
    ),
    "a[0, 0, 0]": (
        "ValueError",
        "Index out of range using input dim 2; input has only 2 dims for '{{node strided_slice}} "
        "= StridedSlice[Index=DT_INT32, T=DT_FLOAT, begin_mask=0, ellipsis_mask=0, end_mask=0, "
        "new_axis_mask=0, shrink_axis_mask=7](a, strided_slice/stack, strided_slice/stack_1, "
        "strided_slice/stack_2)' with input shapes: [3,4], [3], [3], [3] and with computed input "
        "tensors: input[3] = <1 1 1>.",
    ),
    "a[7]": (
        "ValueError",
        "slice index 7 of dimension 0 out of bounds. for '{{node strided_slice}} = "
        "StridedSlice[Index=DT_INT32, T=DT_FLOAT, begin_mask=0, ellipsis_mask=0, end_mask=0, "
        "new_axis_mask=0, shrink_axis_mask=1](a, strided_slice/stack, strided_slice/stack_1, "
        "strided_slice/stack_2)' with input shapes: [3,4], [1], [1], [1] and with computed input "
        "tensors: input[1] = <7>, input[2] = <8>, input[3] = <1>.",
    ),
    'tf.strings.join(["x", a])': (
        "TypeError",
        "Tensors in list passed to 'inputs' of 'StringJoin' Op have types [string, float32] that "
        "do not match expected type string.",
    ),
    'tf.nn.conv2d(tf.zeros([1, 4, 4, 1]), tf.zeros([2, 2, 1, 1]), 1, "MAYBE")': (
        "ValueError",
        "Attr 'padding' of 'Conv2D' Op passed string 'MAYBE' not in: \"SAME\", \"VALID\", \"EXPLICIT\".",
    ),
    "tf.linalg.trace(tf.zeros([3]))": (
        "ValueError",
        "Shape must be at least rank 2 but is rank 1 for '{{node Trace/diag_part}} = "
        'MatrixDiagPartV3[T=DT_FLOAT, align="RIGHT_LEFT"](zeros, Trace/diag_part/k, '
        "Trace/diag_part/padding_value)' with input shapes: [3], [], [].",
    ),
    "tf.ensure_shape(a, [4, 4])": (
        "ValueError",
        "Dimension 0 in both shapes must be equal, but are 4 and 3. Shapes are [4,4] and [3,4]. "
        "for '{{node EnsureShape}} = EnsureShape[T=DT_FLOAT, shape=[4,4]](a)' with input shapes: "
        "[3,4].",
    ),
    "u.assign_add(tf.zeros([7]))": (
        "ValueError",
        "Shapes must be equal rank, but are 2 and 1 for '{{node AssignAddVariableOp}} = "
        "AssignAddVariableOp[dtype=DT_FLOAT](u, zeros)' with input shapes: [], [7].",
    ),
    "a.set_shape([4, 4])": (
        "ValueError",
        "Dimension 0 in both shapes must be equal, but are 3 and 4. Shapes are [3,4] and [4,4].",
    ),
    "tf.clip_by_value(a, tf.zeros([5]), 1.0)": (
        "ValueError",
        "Dimensions must be equal, but are 4 and 5 for '{{node clip_by_value}} = "
        "Maximum[T=DT_FLOAT](clip_by_value/Minimum, zeros)' with input shapes: [3,4], [5].",
    ),
}

# An expression to the name of what it gives in the body of a function.
NAMED = {
    "tf.reduce_sum(a)": "Sum:0",
    'tf.reduce_mean(a, 1, name="mean")': "mean:0",
    "tf.transpose(a)": "transpose:0",
    "a[0, 1:]": "strided_slice:0",
    "a[k]": "strided_slice:0",
    "a[k:, ::2]": "strided_slice:0",
    "a[:, None, k]": "strided_slice:0",
    "tf.reshape(a, [k, -1])": "Reshape:0",
    'tf.stack([k, 4], name="st")': "st:0",
    "tf.stack([1, k, 3])": "stack:0",
    'tf.split(a, 2, axis=1, name="sp")': "sp:0",
    "tf.one_hot([0, 2], 4)": "one_hot:0",
    'tf.one_hot(k, 4, name="hot")': "hot:0",
    "tf.zeros([k, 2])": "zeros:0",
    "tf.ones([40, 50])": "ones:0",
    "tf.zeros_like(a)": "zeros_like:0",
    "tf.shape(a)[1]": "strided_slice:0",
    "tf.range(k)": "range:0",
    'tf.range(1, 9, 2, name="odd")': "odd:0",
    "a / 4.0": "truediv:0",
    "8.0 / a": "truediv:0",
    "tf.divide(k, 3)": "truediv:0",
    "a * 2.0 + 1.0": "add:0",
    "tf.math.divide_no_nan(a, 2.0)": "div_no_nan:0",
    "tf.nn.moments(a, [0])": "moments/Squeeze:0",
    "tf.nn.dropout(a, 0.25, seed=7)": "dropout/SelectV2:0",
    "tf.nn.l2_normalize(a, 1)": "l2_normalize:0",
    "tf.linalg.trace(a)": "Trace:0",
    "tf.linalg.norm(a)": "norm/Squeeze:0",
    "tf.eye(2)": "eye/diag:0",
    "tf.math.reduce_std(a, 0)": "reduce_std/Sqrt:0",
    "tf.random.normal([2, k], seed=3)": "random_normal:0",
    "tf.random.uniform([3], seed=3)": "random_uniform/RandomUniform:0",
    "tf.random.stateless_uniform([3], [1, 2])": "stateless_random_uniform:0",
    "tf.clip_by_value(a, -1.0, 1.0)": "clip_by_value:0",
    "tf.cond(k > 1, lambda: a, lambda: -a)": "cond/Identity:0",
    "tf.cond(k > 1, lambda: u * 1.0, lambda: a)": "cond/Identity:0",
    'tf.nn.conv1d(a[None], tf.zeros([2, 4, 5]), 1, "SAME")': "conv1d/Squeeze:0",
    "u + 1.0": "add:0",
    "2.0 * u": "mul:0",
    "-u": "Neg:0",
    "u[1]": "strided_slice:0",
    "tf.gather(u, [1, 0])": "Gather:0",
    "tf.nn.embedding_lookup(u, [1])": "embedding_lookup/Identity:0",
    "tf.math.ndtri(a)": "ndtri/Ndtri:0",
    'tf.math.xlog1py(a, a, name="xl")': "xl/Xlog1py:0",
    "tf.convert_to_tensor([[k, 2], [3, k]])": "packed:0",
    "tf.TensorArray(tf.float32, 2).unstack(a[:2]).read(1)": "TensorArrayV2Read/TensorListGetItem:0",
    "tf.gradients(tf.exp(a), a)": "gradients/Exp_grad/mul:0",
    "tf.saturate_cast(a, tf.uint8)": "saturate_cast:0",
}


def _values():
    return {
        "tf": tf,
        "a": tf.compat.v1.placeholder(tf.float32, [3, 4], name="a"),
        "k": tf.compat.v1.placeholder(tf.int32, [], name="k"),
        "u": tf.compat.v1.get_variable("u", [3, 4], use_resource=True),
    }


def _text(op):
    return f"{op.name} {op.type}({', '.join(x.name.removesuffix(':0') for x in op.inputs)})"


@pytest.mark.parametrize("code", ADDED)
def test_a_graph_holds_the_operations(code):
    with tf.Graph().as_default() as graph:
        values = _values()
        count = len(graph.get_operations())
        eval(code, values)
        assert [_text(op) for op in graph.get_operations()[count:]] == [
            s.strip() for s in ADDED[code].split("\n") if s.strip()
        ]


@pytest.mark.parametrize("code", REFUSED)
def test_a_graph_refuses(code):
    with tf.Graph().as_default():
        values = _values()
        with pytest.raises(Exception) as caught:
            eval(code, values)
    assert (type(caught.value).__name__, str(caught.value)) == REFUSED[code]


@pytest.mark.parametrize("code", NAMED)
def test_a_function_names_its_tensors(code):
    u = tf.Variable(tf.zeros([3, 4]), name="u")
    names = []

    @tf.function(autograph=False)
    def body(a, k):
        found = eval(code, {"tf": tf, "a": a, "k": k, "u": u})
        while isinstance(found, (list, tuple)):
            found = found[0]
        names.append(found.name)
        return 0

    body.get_concrete_function(tf.TensorSpec([3, 4]), tf.TensorSpec([], tf.int32))
    assert names == [NAMED[code]]


def test_two_operations_do_not_share_the_name_of_a_scope():
    look = tf.function(lambda ids: tf.nn.embedding_lookup([[1.0, 2.0], [3.0, 4.0]], ids))
    assert look(tf.constant([1, 0])).numpy().tolist() == [2.0, 1.0]


def test_a_scalar_does_not_take_the_name_of_what_stands_for_an_argument():
    @tf.function
    def f(x):
        return tf.cond(x > 0, lambda: tf.abs(-2.0 * x), lambda: x)

    names = [
        node.name for node in f.get_concrete_function(tf.TensorSpec([])).graph.get_operations()
    ]
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert len(set(names)) == len(names)
    assert (y.numpy(), tape.gradient(y, x).numpy()) == (6.0, 2.0)


@pytest.mark.parametrize("name", ["two words", "a:0"])
def test_what_cannot_be_a_scope_is_no_name_of_an_operation(name):
    with pytest.raises(ValueError, match=f"'{name}' is not a valid root scope name"):
        tf.function(lambda: tf.acos([0.5], name=name))()


def test_name_scopes_of_eager_code_are_no_scopes_of_a_graph():
    graph = tf.Graph()
    with tf.name_scope("eager"):
        assert tf.compat.v1.get_default_graph().get_name_scope() == ""
        with graph.as_default(), tf.name_scope("outer"), tf.name_scope("inner"):
            assert graph.get_name_scope() == "outer/inner"
