x10 <- function() as_tensor(1:10)
m23 <- function() as_tensor(matrix(1:6, 2))
a234 <- function() as_tensor(array(1:24, 2:4))

core_test("indices count from 1 and include both ends", {
  x <- x10()
  expect_tensor(x[1], 1L, "int32")
  expect_tensor(x[10], 10L, "int32")
  expect_tensor(x[2:4], 2:4, "int32")
  expect_tensor(x[1:9:2], c(1L, 3L, 5L, 7L, 9L), "int32")
  expect_tensor(x[seq(1, 9, by = 2)], c(1L, 3L, 5L, 7L, 9L), "int32")
  expect_tensor(x[NULL:3], 1:3, "int32")
  expect_tensor(x[NA:3], 1:3, "int32")
  expect_tensor(x[8:NULL], 8:10, "int32")
  expect_tensor(x[`8:`], 8:10, "int32")
  expect_tensor(x[`::2`], c(1L, 3L, 5L, 7L, 9L), "int32")
  expect_tensor(x[1, drop = FALSE], 1L, "int32", 1L)
  expect_tensor(x[10, drop = FALSE], 10L, "int32", 1L)
  n <- 3
  expect_tensor(x[n], 3L, "int32")
  expect_tensor(x[2:n], 2:3, "int32")
  expect_tensor(tail(x, 3), 8:10, "int32")
  expect_tensor(head(x, 3), 1:3, "int32")
})

core_test("falling slices run backwards", {
  x <- x10()
  expect_tensor(x[3:1], 3:1, "int32")
  expect_tensor(x[10:1], 10:1, "int32")
  expect_tensor(x[10:1:-2], c(10L, 8L, 6L, 4L, 2L), "int32")
  expect_tensor(m23()[, 3:1], matrix(1:6, 2)[, 3:1], "int32")
  expect_tensor(rev(x), 10:1, "int32")
})

core_test("what is out of bounds is an error", {
  x <- x10()
  for (f in list(
    function() x[0], function() x[11], function() x[2:11], function() x[-11], function() x[[11]],
    function() m23()[3, 1], function() m23()[1, 1:4]
  )) {
    expect_error(suppressWarnings(f()), "out of bounds")
  }
  withr::local_options(tensorflow.extract.dissallow_out_of_bounds = FALSE)
  expect_tensor(x[5:20], 5:10, "int32")
})

core_test("negative numbers count from the end, with one warning", {
  withr::local_options(tensorflow.extract.warn_negatives_pythonic = NULL)
  x <- x10()
  expect_warning(y <- x[-2], "count from the end")
  expect_tensor(y, 9L, "int32")
  expect_no_warning(y <- x[2:-2])
  expect_tensor(y, 2:9, "int32")
  expect_tensor(x[-3:-1], 8:10, "int32")
})

core_test("dims", {
  m <- m23()
  a <- a234()
  r <- array(1:24, 2:4)
  expect_tensor(m[1, ], c(1L, 3L, 5L), "int32")
  expect_tensor(m[, 2], 3:4, "int32")
  expect_tensor(m[, 1:2], matrix(1:4, 2), "int32")
  expect_tensor(m[2, 3], 6L, "int32")
  expect_tensor(m[1, , drop = FALSE], matrix(c(1L, 3L, 5L), 1), "int32")
  expect_tensor(m[, , NULL], array(1:6, c(2, 3, 1)), "int32")
  expect_tensor(m[tf$newaxis, , ], array(1:6, c(1, 2, 3)), "int32")
  expect_tensor(a[1, 2, 3], r[1, 2, 3], "int32")
  expect_tensor(a[, , 1], r[, , 1], "int32")
  expect_tensor(a[1, , ], r[1, , ], "int32")
  expect_tensor(a[all_dims(), 4], r[, , 4], "int32")
  expect_tensor(a[2, all_dims()], r[2, , ], "int32")
  expect_tensor(a[1, all_dims(), 2], r[1, , 2], "int32")
  expect_warning(y <- m[1], "Incorrect number of dimensions")
  expect_tensor(y, c(1L, 3L, 5L), "int32")
  expect_error(m[1, 1, 1], "2 required, but received 3")
})

core_test("tensors as indices", {
  withr::local_options(tensorflow.extract.warn_tensors_passed_asis = FALSE)
  x <- x10()
  expect_tensor(x[tf$constant(1L)], 2L, "int32")
  expect_tensor(x[x > 8L], 9:10, "int32")
  expect_tensor(x[tf$constant(c(2L, 0L))], c(3L, 1L), "int32")
  expect_tensor(m23()[, tf$argsort(c(3, 1, 2))], matrix(1:6, 2)[, c(2, 3, 1)], "int32")
  expect_tensor(m23()[as_tensor(cbind(0:1, 2:1))], 5:4, "int32")
})

# As base R, for what base R takes.
expect_selection <- function(select, values) {
  expected <- select(values)
  got <- select(as_tensor(values))
  expect_tensor(got, expected, got$dtype$name, if (is.null(dim(expected))) length(expected) else dim(expected))
}

selections <- list(
  function(x) x[c(4, 1, 2), ], function(x) x[c(1, 1, 4), ], function(x) x[, c(3, 1)],
  function(x) x[c(4, 1, 2), c(3, 1)],
  function(x) x[-c(1, 3), ], function(x) x[-(1:2), ], function(x) x[, -c(3, 3)], function(x) x[-c(1, 2), c(3, 1)],
  function(x) x[c(TRUE, FALSE, TRUE, FALSE), ], function(x) x[c(TRUE, FALSE), ], function(x) x[, c(FALSE, TRUE, TRUE)],
  function(x) x[c(4, 1, 2), c(TRUE, FALSE, TRUE)], function(x) x[c(4, 1, 2), 2], function(x) x[2, c(3, 1)],
  function(x) x[c(4, 1, 2), 2, drop = FALSE], function(x) x[2:1, c(3, 1)], function(x) x[x > 3],
  function(x) x[as.array(x) > 3], function(x) x[lower.tri(x)], function(x) x[upper.tri(x, diag = TRUE)],
  function(x) x[cbind(c(1, 4, 4), c(2, 3, 1))], function(x) x[rep(FALSE, 4), ],
  function(x) x[which(as.vector(x[, 1]) > 2), ],
  function(x) x[order(x[, 2], decreasing = TRUE), ], function(x) head(x, 2), function(x) tail(x, -1)
)

core_test("vectors, masks and matrices select as in base R", {
  for (select in selections) expect_selection(select, matrix(1:12 + 0.5, 4))
  a <- array(1:24, 2:4)
  for (select in list(
    function(x) x[2:1, c(3, 1), c(4, 1, 2)], function(x) x[1, c(3, 1, 2), ], function(x) x[x > 7L],
    function(x) x[cbind(1:2, 3:2, 4)], function(x) x[, -c(1, 3), c(TRUE, FALSE), drop = FALSE],
    function(x) x[1, 2, c(4, 1, 2)]
  )) {
    expect_selection(select, a)
  }
  for (select in list(
    function(x) x[c(1, 3, 4)], function(x) x[-c(1, 10)], function(x) x[-(1:2)], function(x) x[c(TRUE, FALSE)],
    function(x) x[TRUE], function(x) x[FALSE], function(x) x[c(3, 3, 1)], function(x) x[seq_along(x) != 4],
    function(x) x[x > 4], function(x) x[which(as.vector(x) > 4)], function(x) head(x, -3), function(x) rev(x)
  )) {
    expect_selection(select, 1:10)
  }
  expect_tensor(as_tensor(a)[all_dims(), c(4, 1, 2)], a[, , c(4, 1, 2)], "int32")
  expect_tensor(as_tensor(a)[NULL, 1, c(3, 1, 2), ], array(a[1, c(3, 1, 2), ], c(1, 3, 4)), "int32")
  expect_tensor(as_tensor(c("a", "b", "c"))[c(3, 1)], c("c", "a"), "string")
  x <- sample(x10())
  expect_identical(sort(as.vector(x)), 1:10)
  expect_tensor(x[order(x)], 1:10, "int32")
  expect_tensor(x10()[0:1, style = "python"], 1L, "int32", 1L)
  expect_tensor(x10()[c(0, 2, -1), style = "python"], c(1L, 3L, 10L), "int32")
})

core_test("the step of a falling slice is written with or without its sign", {
  x <- x10()
  expect_tensor(x[6:2:2], c(6L, 4L, 2L), "int32")
  expect_tensor(x[`6:2:2`], c(6L, 4L, 2L), "int32")
  expect_tensor(x[6:2:1], 6:2, "int32")
  expect_tensor(x[6:2:-2], c(6L, 4L, 2L), "int32")
  expect_tensor(x[10:1:3], c(10L, 7L, 4L, 1L), "int32")
  expect_tensor(x[2:6:2], c(2L, 4L, 6L), "int32")
})

core_test("selections have gradients, of variables and of tensors", {
  r <- matrix(1:12 + 0, 4)
  v <- tf$Variable(r)
  x <- as_tensor(r)
  with(tf$GradientTape(persistent = TRUE) %as% tape, {
    tape$watch(x)
    rows <- sum(v[c(1, 4, 1), ]) + sum(x[-c(1, 2), 2])
    elements <- sum(v[v > 5]^2) + sum(x[cbind(c(1, 1), c(2, 2))])
  })
  expect_tensor(tape$gradient(rows, v), matrix(c(2, 0, 0, 1), 4, 3), "float64")
  expect_tensor(tape$gradient(rows, x), cbind(0, c(0, 0, 1, 1), 0), "float64")
  expect_tensor(tape$gradient(elements, v), ifelse(r > 5, 2 * r, 0), "float64")
  expect_tensor(tape$gradient(elements, x), cbind(0, c(2, 0, 0, 0), 0)[, c(1, 2, 1)], "float64")
})

core_test("selections work in traced functions, also of sizes that are not known", {
  r <- matrix(1:12 + 0, 4)
  unknown <- function(dims) list(tf$TensorSpec(dims, "float64"))
  f <- tf_function(
    function(x) {
      list(x[-c(1, 2), ], x[c(3, 1), c(TRUE, FALSE, TRUE)], x[x > 5], x[cbind(1:2, 2:3)], x[c(TRUE, FALSE), 1])
    },
    input_signature = unknown(shape(NULL, NULL))
  )
  expected <- list(r[3:4, ], r[c(3, 1), c(1, 3)], r[r > 5], r[cbind(1:2, 2:3)], r[c(1, 3), 1])
  expect_error(f(r[1:3, ]), "no multiple of it")
  for (i in seq_along(expected)) expect_equal(as.vector(f(r)[[i]]), as.vector(expected[[i]]))
  g <- tf_function(function(x) list(x[c(1, 4, 2), ], x[x > 2]), input_signature = unknown(NULL))
  expect_equal(lapply(g(r), as.vector), list(as.vector(r[c(1, 4, 2), ]), r[r > 2]))
  h <- tf_function(function(x) {
    x[c(1, 2), ] <- 0
    x[x > 11] <- -1
    x
  }, input_signature = unknown(shape(NULL, 3)))
  r[1:2, ] <- 0
  r[4, 3] <- -1
  expect_tensor(h(matrix(1:12 + 0, 4)), r, "float64")
})

changes <- list(
  function(x) {
    x[c(1, 4), ] <- 0
    x
  },
  function(x) {
    x[-c(1, 4), 2:3] <- 0
    x
  },
  function(x) {
    x[x > 5] <- 101:107
    x
  },
  function(x) {
    x[lower.tri(x)] <- 0
    x
  },
  function(x) {
    x[cbind(c(1, 4), c(2, 3))] <- c(-1, -2)
    x
  },
  function(x) {
    x[c(TRUE, FALSE, FALSE, TRUE), c(3, 1)] <- matrix(1:4, 2)
    x
  },
  function(x) {
    x[2, 3] <- 0
    x
  },
  function(x) {
    x[, 2] <- 1:4
    x
  },
  function(x) {
    x[] <- 7
    x
  }
)

core_test("functions of R that assign change no variable", {
  v <- tf$Variable(c(1, 2, 3))
  expect_tensor(replace(v, c(1, 3), 0), c(0, 2, 0), "float32")
  expect_tensor(ave(v, c("a", "a", "b")), c(1.5, 1.5, 3), "float32")
  expect_tensor(v, c(1, 2, 3), "float32")
})

core_test("assignment changes a variable, and gives a new tensor", {
  r <- matrix(1:12 + 0, 4)
  x <- as_tensor(r)
  for (change in changes) {
    v <- tf$Variable(r)
    expect_identical(change(v), v)
    expect_tensor(v, change(r), "float64")
    expect_tensor(change(x), change(r), "float64")
    expect_tensor(x, r, "float64")
  }
  words <- as_tensor(c("a", "b", "c"))
  words[c(3, 1)] <- c("z", "y")
  expect_tensor(words, c("y", "b", "z"), "string")
  x <- as_tensor(1:3)
  x[[2]] <- 9L
  expect_tensor(x, c(1L, 9L, 3L), "int32")
  expect_error(x[2] <- 2.5, "int32 cannot hold 2.5")
  expect_error(x[4] <- 1L, "out of bounds")
  expect_error(x[c(1, 3)] <- 1:3, "shape \\(3,\\) are assigned to a part of the shape \\(2,\\)")
  x <- as_tensor(c(1, 2, 3))
  y <- as_tensor(c(5, 6))
  with(tf$GradientTape() %as% tape, {
    tape$watch(list(x, y))
    z <- x
    z[c(3, 1)] <- y
    l <- sum(z^2)
  })
  expect_equal(lapply(tape$gradient(l, list(x, y)), as.vector), list(c(0, 4, 0), c(10, 12)))
})

core_test("styles and options", {
  x <- x10()
  expect_tensor(x[0:1, style = "python"], 1L, "int32", 1L)
  expect_tensor(x[-1, style = "python"], 10L, "int32")
  expect_tensor(x[1:2, options = tf_extract_opts(inclusive_stop = FALSE)], 1L, "int32", 1L)
  withr::local_options(tensorflow.extract.one_based = FALSE)
  expect_tensor(x[0:1], 1:2, "int32")
  expect_snapshot(unclass(tf_extract_opts("R")))
  expect_snapshot(unclass(tf_extract_opts("python")))
})

core_test("indices pass through functions", {
  x <- m23()
  first <- function(x, ...) x[...]
  expect_tensor(first(x, 1, 2), 3L, "int32")
  row <- function(x, i) x[i, ]
  expect_tensor(row(x, 2), c(2L, 4L, 6L), "int32")
  expect_tensor(do.call(`[`, list(x10(), 3)), 3L, "int32")
})

core_test("[[ is 1-based", {
  expect_tensor(x10()[[1]], 1L, "int32")
  expect_tensor(m23()[[2]], c(2L, 4L, 6L), "int32")
})

core_test("assignment to variables", {
  v <- tf$Variable(c(1, 2, 3))
  v[1]$assign(10)
  expect_identical(as.vector(v), c(10, 2, 3))
  v[2] <- 5
  expect_identical(as.vector(v), c(10, 5, 3))
  v[2:3] <- c(8, 9)
  expect_identical(as.vector(v), c(10, 8, 9))
  m <- tf$Variable(matrix(1:4, 2))
  m[1, ] <- 9L
  expect_identical(as.array(m), matrix(c(9L, 2L, 9L, 4L), 2))
  ragged <- tf$ragged$constant(list(list(1, 2), list(3)))
  expect_error(ragged[1] <- 2, "does not support item assignment")
  n <- tf$Variable(1:3)
  expect_error(n[1] <- 2.5, "int32 cannot hold 2.5")
  expect_error(n[4] <- 1L, "out of bounds")
  n[3:1] <- 4:6
  expect_identical(as.array(n), array(6:4))
  expect_tensor(as_tensor(1:3)[], 1:3, "int32")
  words <- tf$Variable(c("a", "b"))
  words[2] <- "z"
  expect_identical(as.vector(words), c("a", "z"))
  expect_error(as_tensor(matrix(1:4, 2))[[1, 2]], "takes one index")
})

core_test("an argument that the function around was called without is a whole dim", {
  m <- as_tensor(matrix(1:6, 2))
  part <- function(x, i, j) x[i, j]
  expect_tensor(part(m, 1), c(1L, 3L, 5L), "int32")
  expect_tensor(part(m, , 2), c(3L, 4L), "int32")
  expect_tensor(part(m), matrix(1:6, 2), "int32")
  expect_tensor(part(m, 1, 2), 3L, "int32")
})

core_test("indices that are no number are errors in R's words", {
  x <- as_tensor(1:3)
  for (f in list(
    function() x[[NA]], function() x[[NULL]], function() x[[c(1, 2)]], function() x[[TRUE]], function() x[[Inf]],
    function() x[Inf], function() x[1:Inf]
  )) {
    expect_error(f(), "one finite number", class = "twinflow_error")
  }
  expect_error(x["a"], "of type character\ni Indices are numbers")
  m <- as_tensor(matrix(1:4, 2))
  for (bad in list(
    list(function() x[0], "0-based.*3 elements"), list(function() x[c(0, 2, 3)], "0-based"),
    list(function() m[NA, 1], "NA"), list(function() m[c(1, NA), ], "NA"), list(function() m[c(TRUE, NA), ], "NA"),
    list(function() m[1, Inf], "Inf"), list(function() m[c(1, Inf), ], "Inf"), list(function() m[1, mean], "function"),
    list(function() x[factor("a")], "factor"), list(function() x[c(-1, 2)], "do not mix"),
    list(function() x[c(1, 3, 9)], "3 elements, asked for 9"), list(function() x[-c(1, 9)], "asked for -9"),
    list(function() x[c(1.5, 2, 4)], "whole numbers, not 1.5"), list(function() x[c(TRUE, FALSE)], "2 elements, .* 3$"),
    list(function() m[cbind(1, 2, 3)], "each of the 2 dims\ni This one is 1 x 3"),
    list(function() m[cbind(3, 1)], "2 elements, asked for 3"), list(function() m[cbind(-1, 1)], "negative"),
    list(function() m[matrix(TRUE, 3, 2)], "shape \\(3, 2\\), the tensor \\(2, 2\\)"),
    list(function() m[cbind(1, 1), 1], "not a matrix")
  )) {
    expect_error(bad[[1]](), bad[[2]], class = "twinflow_error")
  }
  skip_if_not_installed("bit64")
  expect_tensor(x[bit64::as.integer64(2)], 2L, "int32")
})

core_test("masks say which part of a variable is assigned", {
  v <- tf$Variable(c(1, 2, 3))
  v[v > 1.5] <- 0
  expect_tensor(v, c(1, 0, 0), "float32")
  v[c(TRUE, FALSE, TRUE)] <- c(7, 8)
  expect_tensor(v, c(7, 0, 8), "float32")
  w <- tf$Variable(matrix(1:6 + 0, 2))
  w[w > 3] <- 0
  w[as.array(w) == 0] <- as_tensor(9)
  expect_tensor(w, matrix(c(1, 2, 3, 9, 9, 9), 2), "float64")
  w[w > 100] <- 1
  expect_tensor(w, matrix(c(1, 2, 3, 9, 9, 9), 2), "float64")
  w[w == 9] <- c(4, 5, 6)
  expect_tensor(w, matrix(1:6 + 0, 2), "float64")
  expect_error(w[w > 4] <- c(1, 2, 3), "shape \\(3,\\) are assigned to a part of the shape \\(2,\\)")
  expect_error(v[c(TRUE, FALSE)] <- 1, "the mask has 2 elements, dimension 1 of the tensor 3")
  expect_error(v[c(TRUE, NA, TRUE)] <- 1, "NA")
  counts <- tf$Variable(1:3)
  expect_error(counts[counts == 2L] <- 2.5, "exactly")
  e <- tryCatch(counts[1] <- as_tensor(1.5), error = identity)
  expect_identical(deparse(conditionCall(e)), "`[<-`(`*tmp*`, 1, value = tensor)")
})

core_test("ragged tensors count from 1, too", {
  x <- tf$ragged$constant(list(list(1, 2), list(3)))
  expect_silent(row <- x[1])
  expect_tensor(row, c(1, 2), "float32")
  expect_tensor(x[[2]], 3, "float32", 1L)
  expect_tensor(x[1, 2], 2, "float32")
  expect_identical(length(x), 2L)
  expect_identical(dim(x), c(2L, NA))
  expect_identical(lapply(as.list(x), as.vector), list(c(1, 2), 3))
  e <- tryCatch(x[3], error = identity)
  expect_identical(deparse(conditionCall(e)), "x[3]")
})

core_test("assignments warn of negative indices, too", {
  withr::local_options(tensorflow.extract.warn_negatives_pythonic = TRUE)
  v <- tf$Variable(c(1, 2, 3))
  expect_warning(v[-1] <- 5, "count from the end")
  expect_tensor(v, c(1, 2, 5), "float32")
  expect_silent(v[-1] <- 6)
  expect_error(v[1, options = list()], "tf_extract_opts")
})

core_test("no indices give nothing, and an open stop may lie behind the last element", {
  x <- as_tensor(1:6)
  expect_identical(dim(x[integer()]), 0L)
  expect_identical(dim(as_tensor(matrix(1:6, 2))[numeric(), ]), c(0L, 3L))
  expect_identical(dim(head(as_tensor(numeric()), 2)), 0L)
  open_end <- tf_extract_opts(inclusive_stop = FALSE)
  expect_tensor(x[5:7, options = open_end], 5:6, "int32")
  expect_error(x[5:8, options = open_end], "out of bounds")
  expect_tensor(x[0:6, options = tf_extract_opts(one_based = FALSE, inclusive_stop = FALSE)], 1:6, "int32")
})

core_test("masks among several indices choose along their dim", {
  r <- array(1:24, c(2, 3, 4))
  x <- as_tensor(r)
  m <- as_tensor(r[, , 1])
  keep <- as_tensor(c(TRUE, FALSE, TRUE))
  options(tensorflow.extract.warn_tensors_passed_asis = FALSE)
  expect_tensor(m[, keep], r[, c(1, 3), 1], "int32")
  expect_tensor(m[m[, 1] > 1L, 2:3], r[2, 2:3, 1, drop = FALSE][, , 1, drop = FALSE], "int32", c(1L, 2L))
  expect_tensor(x[1, keep, 4:3], r[1, c(1, 3), 4:3], "int32")
  expect_tensor(x[all_dims(), keep, 2], r[, c(1, 3), 2], "int32")
  expect_error(m[keep, ], class = "twinflow_error")
  expect_tensor(m[, c(3, 1, 2)], r[, c(3, 1, 2), 1], "int32")
})
