core_test("tensors print", {
  expect_snapshot({
    as_tensor(1)
    as_tensor(1:3)
    as_tensor(c(1.5, 2, 1e10))
    as_tensor(1:4, "float32", shape = c(2, 2))
    as_tensor(array(1:8, c(2, 2, 2)))
    as_tensor(c("a", "it's"))
    as_tensor(c(TRUE, FALSE))
    as_tensor(c(1i, 2 + 3i))
    as_tensor(numeric(0))
    as_tensor(matrix(0, 100, 100))
    as_tensor(1:3, "bfloat16")
  })
})

core_test("variables print", {
  expect_snapshot({
    tf$Variable(1L)
    tf$Variable(c(2, 3))
    tf$Variable(matrix(1:4, 2))
    tf$Variable("a", name = "word")
    tf$Variable(c(2, 3))$assign_add(c(1, 1))
  })
})

core_test("other forms of text", {
  expect_snapshot({
    str(as_tensor(1))
    str(as_tensor(1:3))
    str(list(as_tensor(1), as_tensor(matrix(1:4, 2))))
    str(tf$Variable(c(1, 2)))
    str(tf$Variable(matrix(1:4, 2)))
    cat(format(as_tensor(1:2)))
    print(list(a = as_tensor(1)))
    as_tensor(1)$dtype
    as.character(tf$float32)
    as_tensor(1:3)$shape
    summary(as_tensor(c(1, 2, 4)))
  })
})

core_test("pillar shows tensors", {
  skip_if_not_installed("pillar")
  expect_identical(
    pillar::type_sum(as_tensor(matrix(1:4, 2))),
    "<tf.Tensor: shape=(2, 2), dtype=int32, numpy=\u2026>"
  )
})

core_test("a tensor of another session is recognised", {
  file <- withr::local_tempfile()
  saveRDS(as_tensor(1), file)
  x <- readRDS(file)
  expect_output(print(x), "<pointer: 0x0>")
  for (f in list(as.array, dim, function(x) x + 1, function(x) x[1], function(x) x$dtype, tf$abs)) {
    expect_error(f(x), "session that has ended", class = "twinflow_dead_pointer")
  }
})

core_test("tensors are drawn", {
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  expect_no_error(plot(as_tensor(c(1, 4, 9))))
  expect_no_error(graphics::image(as_tensor(matrix(1:6 + 0, 2))))
  expect_identical(graphics::hist(as_tensor(c(1, 2, 2)), plot = FALSE)$counts, c(1L, 2L))
  expect_identical(graphics::boxplot(as_tensor(c(1, 2, 9)), plot = FALSE)$n, 3)
  expect_identical(dim(graphics::barplot(as_tensor(matrix(1:4, 2)), beside = TRUE, plot = FALSE)), c(2L, 2L))
})

core_test("what cannot be drawn is an error that says so", {
  cube <- as_tensor(array(1, c(2, 2, 2)))
  expect_error(plot(cube), "rank 1 or 2 to be plotted\nx It has rank 3")
  expect_error(graphics::image(as_tensor(1:3)), "rank 2 to be an image\nx It has rank 1")
})

core_test("symbolic tensors tell what they are", {
  traced <- tf_function(function(x) {
    message("traced with ", x)
    print(x)
    x
  })
  said <- 'traced with Tensor("x:0", shape=(2,), dtype=float64)'
  expect_output(expect_message(traced(as_tensor(c(1, 2))), said, fixed = TRUE))
  some <- list(tf$TensorSpec(shape(NA), "float32"))
  shown <- tf_function(function(x) print(x), input_signature = some)
  expect_output(shown(tf$constant(c(1, 2))), 'Tensor("x:0", shape=(None), dtype=float32)', fixed = TRUE)
})

core_test("the parts of a SparseTensor print R's shapes", {
  x <- tf$sparse$SparseTensor(indices = list(list(0, 0), list(1, 2)), values = c(1, 2), dense_shape = c(3, 4))
  text <- capture.output(print(x))
  expect_match(text[[3L]], "values=tf.Tensor([1. 2.], shape=(2), dtype=float32)", fixed = TRUE)
  expect_match(text[[3L]], "dense_shape=tf.Tensor([3 4], shape=(2), dtype=int64)", fixed = TRUE)
})
