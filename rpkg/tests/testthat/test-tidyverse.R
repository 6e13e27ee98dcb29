core_test("expect_equal() compares values", {
  expect_equal(as_tensor(1), as_tensor(1))
  expect_equal(list(a = tf$Variable(c(1, 2))), list(a = tf$Variable(c(1, 2))))
  expect_equal(as_tensor(1 + 1e-12), as_tensor(1))
  expect_failure(expect_equal(as_tensor(c(1, 2)), as_tensor(c(1, 3))))
  shown <- paste(waldo::compare(as_tensor(c(1, 2)), as_tensor(c(1, 3))), collapse = "\n")
  expect_match(shown, "values")
  expect_match(paste(waldo::compare(as_tensor(1L), as_tensor(1)), collapse = "\n"), "int32.*float64")
  expect_match(paste(waldo::compare(as_tensor(1), tf$Variable(1, dtype = "float64")), collapse = "\n"), "variable")
  expect_equal(shape(1, NA), shape(1, NA))
})

core_test("tibbles take tensors in lists alone", {
  skip_if_not_installed("tibble")
  expect_error(tibble::tibble(a = as_tensor(1:3)), "must be vectors")
  table <- tibble::tibble(a = list(as_tensor(1:3)))
  expect_output(print(table), "tf.Tensor: shape=(3)", fixed = TRUE)
})

core_test("metrics are tidied, optimizers, metrics and losses print as R", {
  mean <- tf$keras$metrics$Mean(name = "error")
  mean$update_state(c(1, 2))
  expect_output(print(mean), "<Mean error: 1.5>", fixed = TRUE)
  expect_identical(tidy_metric(mean), data.frame(.metric = "error", .estimate = 1.5))
  optimizer <- tf$keras$optimizers$Adam(0.1)
  expect_output(print(optimizer), "^<Adam: learning_rate = 0.1, beta_1 = 0.9, .*epsilon = 1e-07; 0 steps>")
  schedule <- tf$keras$optimizers$schedules$ExponentialDecay(0.1, 10L, 0.5)
  expect_output(print(tf$keras$optimizers$SGD(schedule)), "^<SGD: learning_rate = a schedule")
  expect_output(print(tf$keras$losses$MeanSquaredError()), "<MeanSquaredError loss>", fixed = TRUE)
})

core_test("digits, width and the number of values can be chosen", {
  x <- as_tensor(c(1.123456789, 2000))
  expect_output(print(x, digits = 3), "tf.Tensor([1.12 2e+03], shape=(2), dtype=float64)", fixed = TRUE)
  expect_identical(format(as_tensor(pi), digits = 3), "tf.Tensor(3.14, shape=(), dtype=float64)")
  withr::local_options(twinflow.max = 5)
  expect_output(print(as_tensor(1:100)), "[  1   2   3 ...  98  99 100]", fixed = TRUE)
  withr::local_options(twinflow.max = NULL, twinflow.width = 20)
  expect_length(strsplit(format(as_tensor(1:20)), "\n")[[1L]], 5L)
})

core_test("str() and format() of optimizers, metrics and losses are their line", {
  line <- "<SGD: learning_rate = 0.1, momentum = 0; 0 steps>"
  expect_identical(format(tf$keras$optimizers$SGD(0.1)), line)
  expect_output(str(tf$keras$optimizers$SGD(0.1)), line, fixed = TRUE)
  expect_output(str(list(tf$keras$metrics$Mean(), tf$keras$losses$MeanSquaredError())), "MeanSquaredError loss")
})
