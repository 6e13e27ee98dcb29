# A wrong argument is named in the error, whichever function got it.

core_test("each argument of the functions for datasets is checked by its name", {
  data <- tensor_slices_dataset(1:4)
  wrong <- list(
    dataset = 5, batch_size = c(1, 2), size = 0, count = NA, buffer_size = "a", map_func = 5, predicate = NULL,
    drop_remainder = NA, num_shards = 2.5, index = TRUE, seed = "a", filenames = NA_character_, weights = c(1, NA),
    cycle_length = data.frame(a = 1), iter_max = NULL, tensors = NULL, initial_state = list(), select_columns = TRUE
  )
  right <- list(
    dataset = data, datasets = list(data, data), batch_size = 2, size = 2, count = 2, buffer_size = 4, index = 0,
    map_func = ~.x, predicate = ~ .x > 0, num_shards = 2, filenames = tempfile(), initial_state = 0L,
    reduce_func = ~.x, scan_func = ~ list(.x, .x), cycle_length = 2, file_pattern = tempfile(), tensors = 1:3
  )
  functions <- list(
    dataset_batch = dataset_batch, dataset_map = dataset_map, dataset_filter = dataset_filter,
    dataset_take = dataset_take, dataset_shuffle = dataset_shuffle, dataset_shard = dataset_shard,
    dataset_window = dataset_window, dataset_interleave = dataset_interleave, dataset_reduce = dataset_reduce,
    dataset_collect = dataset_collect, sample_from_datasets = sample_from_datasets,
    text_line_dataset = text_line_dataset, tensor_slices_dataset = tensor_slices_dataset,
    make_csv_dataset = make_csv_dataset
  )
  tried <- 0L
  for (f in functions) {
    for (name in intersect(names(formals(f)), names(wrong))) {
      needed <- Filter(function(n) identical(formals(f)[[n]], quote(expr = )), names(formals(f)))
      arguments <- right[needed]
      arguments[name] <- wrong[name]
      if (name == "count" && is.null(wrong[[name]])) next
      expect_error(do.call(f, arguments), paste0("`", name, "` must be"), class = "twinflow_error")
      tried <- tried + 1L
    }
  }
  expect_gt(tried, 30L)
})

core_test("NULL passes where it is the default, and what is missing is R's to say", {
  data <- tensor_slices_dataset(1:4)
  expect_length(dataset_collect(dataset_take(dataset_repeat(data, NULL), 6)), 6L)
  expect_error(dataset_batch(data), "\"batch_size\" is missing")
  expect_error(dataset_batch(data, NULL), "`batch_size` must be a whole number, 1 or more\nx It is NULL.", fixed = TRUE)
  expect_length(dataset_collect(dataset_batch(data, as_tensor(2L, "int64"))), 2L)
})

core_test("distributions name the parameter that is no number", {
  expect_error(tf_dnorm(as_tensor(1), sd = "a"), "`sd` must be numbers")
  expect_error(tf_qbeta(0.5, NULL, as_tensor(1)), "`shape1` must be numbers")
  expect_error(tf_rgamma("a", as_tensor(1)), "`n`, the number of values")
  expect_error(tf_choose(as_tensor(4), mean), "`k` must be numbers")
})

core_test("functions of tf name the argument that they cannot take", {
  expect_error(tf$add(x = NULL, y = 1), "x The argument is `x`.", fixed = TRUE)
  expect_error(tf$zeros(2.5), "x The argument is `shape`.", fixed = TRUE)
  expect_error(tf$map_fn(NULL, as_tensor(1:2)), "AttributeError: `fn` cannot be NULL", fixed = TRUE)
  expect_error(tf$map_fn("a", as_tensor(1:2)), "`fn` cannot be a string", fixed = TRUE)
  expect_error(tf$add(1L, NA_integer_), "x The argument is `y`.", fixed = TRUE)
  expect_error(tf$Variable(1)$assign_add(data.frame(a = 1)), "x The argument is `delta`.", fixed = TRUE)
  expect_error(tf$add(mean, 1), "a value (a function) with", fixed = TRUE)
  expect_error(tf$add(1, y ~ x), "a value (an object of R's) with an unsupported type", fixed = TRUE)
  expect_error(tf$concat(list(), 0), "The list is empty")
})

core_test("errors of functions that are being traced are their own", {
  data <- range_dataset(0, 3)
  expect_error(dataset_map(data, function(x) stop("my own")), "^my own$")
  expect_error(dataset_reduce(data, 0L, function(s, x) s + x), "^TypeError: Input 'y' of 'AddV2' Op has type int64")
  f <- tf_function(function(x) tf$matmul(x, x))
  expect_error(f(as_tensor(1:2)), "^ValueError: Shape must be rank 2 but is rank 1 for MatMul with input shapes")
})

core_test("functions of classes have R's errors, too", {
  e <- tryCatch(tf$data$Dataset$from_tensor_slices(mean), error = identity)
  expect_s3_class(e, "ValueError")
  expect_identical(conditionCall(e), quote(tf$data$Dataset$from_tensor_slices(mean)))
  expect_s3_class(tf$TensorShape$`__add__`, "twinflow_function")
})

core_test("generics of R name the argument that they cannot take", {
  x <- as_tensor(c(1, 2))
  m <- as_tensor(diag(2))
  expect_error(rep(x, "a"), "`times` must be whole numbers")
  expect_error(rep(x, -1), "`times` must be whole numbers")
  expect_error(round(x, "a"), "`digits` must be one number")
  expect_error(signif(x, c(1, 2)), "`digits` must be one number")
  expect_error(log(x, base = "a"), "`base` must be numbers")
  expect_error(sum(x, axis = 5), "axis = 5: the tensor has 1 dim", fixed = TRUE)
  expect_error(mean(as_tensor(1), axis = 1), "axis = 1: the tensor has no dims", fixed = TRUE)
  expect_error(aperm(m, c(3, 1)), "`perm` must be the numbers 1 to 2 in their new order, not 3", fixed = TRUE)
  expect_error(chol(as_tensor(matrix(-1))), "the matrix must be positive definite")
  expect_tensor(sum(m, axis = -2), c(1, 1), "float64")
})
