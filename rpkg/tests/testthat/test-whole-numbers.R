# Whole doubles where only integers can be meant. Each call is written with integers, as Python needs them, and run
# with doubles, as R users write them.

with_doubles <- function(expr) {
  if (is.integer(expr)) {
    return(as.numeric(expr))
  }
  if (is.call(expr)) as.call(lapply(expr, with_doubles)) else expr
}

compared <- function(x) {
  if (is.list(x) && !is.object(x)) {
    return(lapply(x, compared))
  }
  if (inherits(x, "twinflow_tensor")) list(x$dtype$name, dim(x), as.vector(as.array(x))) else format(x)
}

objects <- function() {
  m <- as_tensor(matrix(c(1.5, 2, 3, 4), 2))
  list(
    m = m, x = as_tensor(1:4), i = as_tensor(0:2), v = as_tensor(c(5.5, 6, 7, 8)), im = as_tensor(matrix(1:4, 2)),
    cube = tf$zeros(list(1L, 2L, 1L)), img = tf$random$stateless_uniform(list(1L, 8L, 8L, 3L), list(1L, 2L)),
    kernel = tf$ones(list(3L, 3L, 3L, 4L))
  )
}

whole_calls <- expression(
  tf$zeros(c(2L, 3L)), tf$zeros(3L), tf$ones(3L), tf$ones(c(2L, 2L), "int32"), tf$fill(c(2L, 2L), 1.5), tf$eye(2L),
  tf$eye(2L, 3L), tf$eye(2L, batch_shape = c(3L, 1L)), tf$linspace(0.5, 1.5, 5L), tf$one_hot(i, 3L),
  tf$one_hot(c(0L, 1L), 3L), tf$one_hot(0L, 3L), tf$sequence_mask(c(1L, 3L), 4L), tf$linalg$diag(v, k = 1L),
  tf$constant(c(1L, 2L), "int32"), tf$constant(3L, dtype = "int64"), tf$constant(0.5, shape = c(2L, 2L)),
  tf$Variable(c(1L, 2L), dtype = "int32"), tf$cast(c(1L, 2L), "int32"),
  # shapes
  tf$reshape(m, c(4L, 1L)), tf$reshape(m, 4L), tf$reshape(m, -1L), tf$reshape(m, list(-1L, 1L)),
  tf$TensorShape(c(2L, 3L)),
  tf$TensorSpec(c(2L, 3L)), tf$ensure_shape(m, c(2L, 2L)), tf$broadcast_to(v, c(3L, 4L)), tf$tile(m, c(2L, 1L)),
  tf$pad(m, list(c(1L, 1L), c(0L, 2L))), tf$`repeat`(v, 2L), tf$`repeat`(v, c(1L, 2L, 0L, 1L), 0L),
  tf$expand_dims(m, 0L), tf$expand_dims(m, -1L), tf$squeeze(cube, 0L), tf$squeeze(cube, c(0L, 2L)),
  tf$transpose(m, c(1L, 0L)), tf$transpose(m, perm = list(1L, 0L)), tf$roll(v, 1L, 0L),
  tf$roll(m, c(1L, 1L), c(0L, 1L)),
  tf$reverse(m, list(0L)), tf$reverse(m, c(0L, 1L)), tf$concat(list(m, m), 0L), tf$concat(list(m, m), axis = 1L),
  tf$stack(list(m, m), 2L), tf$unstack(m, axis = 1L), tf$split(v, 2L), tf$split(v, c(1L, 3L)),
  tf$split(m, 2L, axis = 1L),
  tf$slice(m, c(0L, 0L), c(1L, 2L)), tf$strided_slice(m, c(0L, 0L), c(2L, 2L), c(1L, 1L)),
  tf$space_to_batch(img, c(2L, 2L), matrix(0L, 2, 2)), tf$nn$space_to_depth(img, 2L),
  # axes
  tf$reduce_mean(m, 1L), tf$reduce_sum(m, axis = 0L), tf$reduce_max(m, c(0L, 1L)), tf$reduce_sum(m, array(1L)),
  tf$reduce_logsumexp(m, 1L), tf$math$reduce_variance(m, 0L), tf$math$reduce_any(m > 1.5, 1L),
  tf$math$count_nonzero(m, 0L), tf$argmax(m, 1L), tf$argmin(m, axis = 0L), tf$math$argmax(m, 1L), tf$cumsum(m, 1L),
  tf$math$cumprod(m, axis = 1L), tf$math$cumulative_logsumexp(v, 0L), tf$sort(m, 0L), tf$argsort(m, axis = 0L),
  tf$norm(m, axis = 1L), tf$norm(m, 2L), tf$tensordot(m, m, 1L), tf$tensordot(m, m, list(1L, 0L)), tf$nn$softmax(m, 1L),
  tf$nn$log_softmax(m, axis = 0L), tf$nn$l2_normalize(m, 1L), tf$nn$moments(m, 0L), tf$nn$moments(m, c(0L, 1L)),
  tf$boolean_mask(m, c(TRUE, FALSE), axis = 1L), tf$linalg$band_part(m, 0L, -1L), tf$linalg$diag_part(m, k = 1L),
  # indices
  tf$gather(v, 1L), tf$gather(v, c(0L, 2L)), tf$gather(v, list(0L, 1L)), tf$gather(v, array(0:1)),
  tf$gather(m, 1L, axis = 1L), tf$gather_nd(m, list(c(0L, 1L), c(1L, 0L))), tf$gather_nd(m, c(0L, 1L)),
  tf$scatter_nd(list(list(1L), list(3L)), c(9.5, 10), list(8L)), tf$nn$embedding_lookup(m, c(1L, 0L)),
  tf$tensor_scatter_nd_update(v, list(list(1L)), list(9.5)), tf$math$segment_sum(v, c(0L, 0L, 1L, 1L)),
  tf$math$unsorted_segment_sum(v, c(0L, 0L, 1L, 1L), 2L), tf$math$bincount(c(1L, 1L, 2L)),
  tf$math$bincount(x, minlength = 6L), tf$dynamic_partition(v, c(0L, 1L, 0L, 1L), 2L),
  tf$dynamic_stitch(list(c(0L, 1L), c(2L, 3L)), list(c(1.5, 2), c(3.5, 4))), tf$math$top_k(v, 2L),
  tf$nn$top_k(v, k = 2L),
  tf$nn$sparse_softmax_cross_entropy_with_logits(c(0L, 1L), m), tf$math$confusion_matrix(c(0L, 1L), c(0L, 1L), 2L),
  tf$TensorArray(tf$float32, size = 3L)$write(0L, 1.5)$read(0L),
  tf$RaggedTensor$from_row_lengths(v, c(1L, 3L)), tf$RaggedTensor$from_row_splits(v, c(0L, 1L, 4L)),
  tf$SparseTensor(list(c(0L, 1L), c(1L, 0L)), c(1.5, 2), c(2L, 2L)), tf$histogram_fixed_width(v, c(0.5, 10), 5L),
  # beside tensors of integers
  tf$add(x, 1L), tf$subtract(10L, x), tf$multiply(x, 2L), tf$maximum(x, 2L), tf$minimum(2L, x), tf$equal(x, 2L),
  tf$pow(x, 2L), tf$math$floormod(x, 2L), tf$math$mod(x, c(2L, 3L, 2L, 3L)), tf$where(x > 1L, x, 0L),
  tf$clip_by_value(x, 2L, 3L), tf$bitwise$left_shift(x, 1L), tf$bitwise$bitwise_and(x, 1L),
  tf$matmul(im, list(c(1L, 2L), c(3L, 4L))), tf$Variable(1:3)$assign(c(2L, 3L, 4L)),
  tf$Variable(1:3)$assign_add(c(2L, 3L, 4L)), tf$Variable(5:5)$assign_sub(1L),
  # images, signals, texts, data
  tf$image$resize(img, c(4L, 4L)), tf$image$pad_to_bounding_box(img, 1L, 1L, 12L, 12L),
  tf$image$crop_to_bounding_box(img, 1L, 1L, 4L, 4L), tf$image$rot90(img, 1L),
  tf$image$resize_with_crop_or_pad(img, 4L, 4L), tf$nn$conv2d(img, kernel, 1L, "SAME"),
  tf$nn$conv2d(img, kernel, strides = c(2L, 2L), padding = "SAME"), tf$nn$max_pool2d(img, 2L, 2L, "VALID"),
  tf$nn$avg_pool2d(img, ksize = c(2L, 2L), strides = 2L, padding = "VALID"), tf$signal$frame(v, 2L, 1L),
  tf$strings$substr("hello", 1L, 3L), as.vector(tf$data$Dataset$range(5L)$batch(2L)$take(1L)$get_single_element()),
  as.vector(tf$data$Dataset$from_tensor_slices(1:6)$batch(3L)$skip(1L)$get_single_element()),
  tf$random$stateless_normal(c(2L, 2L), c(1L, 2L)), tf$random$stateless_uniform(list(3L), seed = c(1L, 2L))
)

core_test("whole doubles are taken where only an integer can be meant", {
  for (expr in whole_calls) {
    doubles <- with_doubles(expr)
    expect_identical(compared(eval(doubles, objects())), compared(eval(expr, objects())), info = deparse(doubles)[[1L]])
  }
})

core_test("shapes of random numbers, of which one number is one, may be doubles", {
  expect_identical(dim(tf$random$normal(5)), 5L)
  expect_identical(dim(tf$random$normal(c(2, 3))), 2:3)
  expect_identical(dim(tf$random$uniform(c(2, 2), maxval = 10, dtype = "int32")), c(2L, 2L))
  expect_identical(tf$random$uniform(list(2), 0, 10, "int64")$dtype$name, "int64")
  expect_identical(dim(tf$random$truncated_normal(2, seed = 3)), 2L)
  expect_identical(dim(tf$random$categorical(as_tensor(matrix(0.5, 2, 2)), 3)), 2:3)
})

core_test("other doubles are errors with a hint, as often as they come", {
  m <- as_tensor(matrix(1:4 + 0, 2))
  x <- as_tensor(1:4)
  for (f in list(
    function() tf$zeros(c(2, 2.5)), function() tf$reshape(m, c(4.5, 1)), function() tf$gather(m, 0.5),
    function() tf$maximum(x, 2.5), function() tf$where(x > 1L, x, 0.5), function() tf$reduce_sum(m, axis = 0.5),
    function() tf$Variable(1:3)$assign(c(1, 2, 2.5)), function() tf$constant(2.5, "int32"),
    function() tf$one_hot(1:2, NA_real_), function() tf$zeros(Inf)
  )) {
    for (i in 1:4) expect_error(f(), class = "twinflow_error")
  }
  for (i in 1:4) {
    expect_tensor(tf$maximum(x, 2), c(2L, 2L, 3L, 4L), "int32")
    expect_error(tf$maximum(x, 2.5), "Cannot convert 2.5 to EagerTensor of dtype int32")
    expect_error(tf$zeros(c(2, 2.5)), "whole")
  }
  expect_error(tf$add(x, as_tensor(1)), "expected to be a int32 tensor")
  # What may be a float stays one.
  expect_identical(tf$range(0, 5)$dtype$name, "float32")
  expect_identical(tf$constant(2)$dtype$name, "float32")
  expect_identical(tf$fill(c(2, 2), 1)$dtype$name, "float32")
  expect_identical(tf$clip_by_value(m, 2, 3)$dtype$name, "float64")
})

core_test("whole doubles are taken in traced functions and by graphs", {
  f <- tf_function(function(m, x) {
    list(tf$reshape(m, c(4, 1)), tf$reduce_sum(m, 1), tf$gather(m, c(1, 0)), tf$maximum(x, 2), tf$zeros(c(2, 3)))
  })
  got <- f(as_tensor(matrix(1:4 + 0, 2)), as_tensor(1:3))
  expect_tensor(got[[1]], matrix(c(1, 3, 2, 4), 4), "float64")
  expect_tensor(got[[2]], c(4, 6), "float64")
  expect_tensor(got[[3]], matrix(c(2, 1, 4, 3), 2), "float64")
  expect_tensor(got[[4]], c(2L, 2L, 3L), "int32")
  expect_tensor(got[[5]], matrix(0, 2, 3), "float32")
})

core_test("Python code keeps TensorFlow's errors", {
  reticulate::py_run_string(paste(
    "import twinflow as _tf", "def _whole(shape):", "    return _tf.zeros(shape)",
    "def _beside(x):", "    return _tf.maximum(x, 2.0)",
    sep = "\n"
  ))
  py <- reticulate::import_main()
  expect_tensor(tf$zeros(3), c(0, 0, 0), "float32")
  for (i in 1:3) {
    expect_error(py$`_whole`(3), "Cannot convert 3.0 to EagerTensor of dtype int32")
    expect_error(py$`_beside`(as_tensor(1:3)), "Cannot convert 2.0 to EagerTensor of dtype int32")
    expect_tensor(tf$maximum(as_tensor(1:3), 2), c(2L, 2L, 3L), "int32")
  }
})
