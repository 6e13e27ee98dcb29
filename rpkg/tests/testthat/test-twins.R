list2env(tensor_verbs(), environment())

core_test("sums and means of rows and columns", {
  m <- matrix(c(1, 2, NA, 4, 5, 6), 2)
  x <- as_tensor(m)
  for (f in list(rowSums, colSums, rowMeans, colMeans)) {
    expect_tensor(f(x), f(m), "float64")
    expect_tensor(f(x, na.rm = TRUE), f(m, na.rm = TRUE), "float64")
  }
  a <- array(1:24, 2:4)
  expect_tensor(rowSums(as_tensor(a), dims = 2), rowSums(a, dims = 2), "int32")
  expect_tensor(colMeans(as_tensor(a), dims = 2), colMeans(a, dims = 2), "float64", 4L)
  expect_error(rowSums(as_tensor(1:3)), "at least two dimensions", class = "twinflow_error")
  expect_error(colSums(x, dims = 2), "invalid 'dims'")
  e <- tryCatch(rowSums(1:3), error = identity)
  expect_identical(conditionCall(e)[[1]], quote(rowSums))
  with(tf$GradientTape() %as% tape, {
    tape$watch(x)
    y <- sum(rowSums(x) * c(1, 2))
  })
  expect_tensor(tape$gradient(y, x), matrix(1:2, 2, 3), "float64")
})

core_test("sweep", {
  m <- matrix(c(1, 2, 3, 4, 5, 7), 2)
  a <- array(as.numeric(1:24), 2:4)
  x <- as_tensor(m)
  expect_tensor(sweep(x, 1, c(1, 2)), sweep(m, 1, c(1, 2)), "float64")
  expect_tensor(sweep(x, 2, as_tensor(c(1, 2, 3)), "*"), sweep(m, 2, 1:3, "*"), "float64")
  expect_tensor(sweep(m, 2, colMeans(x)), sweep(m, 2, colMeans(m)), "float64")
  expect_tensor(sweep(x, 2, as_tensor(2)), m - 2, "float64")
  b <- matrix(as.numeric(1:8), 2)
  expect_tensor(sweep(as_tensor(a), c(1, 3), as_tensor(b)), sweep(a, c(1, 3), b), "float64")
  expect_tensor(sweep(as_tensor(a), c(3, 1), t(b)), sweep(a, c(3, 1), t(b)), "float64")
  expect_identical(sweep(m, 1, 1:2), base::sweep(m, 1, 1:2))
  expect_error(sweep(x, 3, 1:2), "`MARGIN` must be", class = "twinflow_error")
  expect_error(sweep(x, 2, 1:2), "`STATS` must have", class = "twinflow_error")
  shares <- function(x) sweep(x, 1, rowSums(x), "/")
  with(tf$GradientTape() %as% tape, {
    tape$watch(x)
    y <- sum(shares(x)[, 1])
  })
  totals <- rowSums(m)
  expect_tensor(tape$gradient(y, x), cbind(totals - m[, 1], -m[, 1], -m[, 1]) / totals^2, "float64")
  expect_tensor(tf_function(shares)(x), prop.table(m, 1), "float64")
})

core_test("parallel extremes", {
  x <- as_tensor(c(1, 5, NA))
  expect_tensor(pmin(x, 2), c(1, 2, NaN), "float64")
  expect_tensor(pmax(0, x, c(2, 2, 2)), c(2, 5, NaN), "float64")
  expect_tensor(pmax(x, 3, na.rm = TRUE), c(3, 5, 3), "float64")
  expect_tensor(pmax(as_tensor(1:3), 2), c(2L, 2L, 3L), "int32")
  expect_identical(pmin(c(a = 1, b = 5), 2), c(a = 1, b = 2))
  expect_error(pmax(as_tensor(1:3), 2.5), "int32 cannot hold 2.5")
  v <- tf$Variable(c(1, 3))
  with(tf$GradientTape() %as% tape, y <- sum(pmax(v, 2)))
  expect_tensor(tape$gradient(y, v), c(0, 1), "float32")
})

core_test("what is among the values of a table", {
  x <- as_tensor(c(1, 2, NaN))
  expect_tensor(x %in% c(2, 3), c(FALSE, TRUE, FALSE), "bool")
  expect_tensor(x %in% as_tensor(c(NA, 1)), c(TRUE, FALSE, TRUE), "bool")
  expect_identical(2:3 %in% x, c(TRUE, FALSE))
  expect_identical(c("a", NA) %in% NA, c(FALSE, TRUE)) # nolint: equals_na_linter.
  m <- as_tensor(matrix(c("a", "b", "c", "a"), 2))
  expect_tensor(m %in% "a", matrix(c(TRUE, FALSE, FALSE, TRUE), 2), "bool")
  expect_tensor(as_tensor(0.1, "float32") %in% 0.1, TRUE, "bool")
  expect_tensor(as_tensor(1:2) %in% c(1.5, NA, 1), c(TRUE, FALSE), "bool")
})

core_test("diagonals", {
  m <- matrix(1:6 + 0, 2)
  expect_tensor(diag(as_tensor(m)), diag(m), "float64")
  expect_tensor(diag(as_tensor(1:2)), diag(1:2), "int32")
  expect_error(diag(as_tensor(3L)), "tf[$]eye")
  expect_identical(diag(3), base::diag(3))
  expect_identical(diag(nrow = 2), base::diag(nrow = 2))
  expect_identical(diag(c(1, 2), 2, 3), base::diag(c(1, 2), 2, 3))
})

core_test("ifelse() of a tensor is one operation", {
  x <- as_tensor(c(-1, 2))
  expect_tensor(ifelse(x > 0, x, 0), c(0, 2), "float64")
  expect_tensor(ifelse(x > 0, 1L, 2.5), c(2.5, 1), "float64")
  expect_tensor(ifelse(x > 0, "yes", "no"), c("no", "yes"), "string")
  expect_tensor(tf_function(function(x) ifelse(x > 0, x, 2 * x))(x), c(-2, 2), "float64")
  expect_identical(ifelse(c(TRUE, NA), 1, stop("not asked for")), c(1, NA))
  expect_error(ifelse(TRUE, x, 0), "tf[$]where")
})

core_test("positions are numbers of R", {
  x <- c(3, 1, 3, 2)
  expect_identical(rank(as_tensor(x)), rank(x))
  expect_identical(rank(as_tensor(x), ties.method = "first"), rank(x, ties.method = "first"))
  expect_identical(which.max(as_tensor(x)), 1L)
  expect_identical(which.min(as_tensor(x)), 2L)
  expect_identical(nchar(as_tensor(c("a", "bcd"))), c(1L, 3L))
  expect_identical(nchar("bcd", "bytes"), 3L)
})

core_test("cat() writes values", {
  expect_identical(capture.output(cat("loss:", as_tensor(0.5), as_tensor(1:2), "\n")), "loss: 0.5 1 2 ")
  expect_identical(capture.output(cat(as_tensor(1:2), sep = "-")), "1-2")
  expect_identical(capture.output(cat(shape(1, NA), "and", tf$float32)), "(1, NA) and <dtype: 'float32'>")
  expect_output(tf_function(function(x) cat("traced with", x, "\n"))(as_tensor(1)), "traced with Tensor[(]\"x:0\"")
  expect_silent(cat())
})

core_test("matrix products in every version of R", {
  m <- matrix(1:6 + 0, 2)
  x <- as_tensor(m)
  expect_tensor(x %*% t(m), m %*% t(m), "float64")
  expect_tensor(m %*% t(x), m %*% t(m), "float64")
  expect_tensor(x %*% 1:3, m %*% 1:3, "float64")
  expect_tensor(crossprod(x), crossprod(m), "float64")
  expect_tensor(crossprod(m, x), crossprod(m), "float64")
  expect_tensor(tcrossprod(x), tcrossprod(m), "float64")
  expect_identical(m %*% t(m), tcrossprod(m))
  e <- tryCatch(x %*% x, error = identity)
  expect_s3_class(e, "InvalidArgumentError")
  expect_identical(conditionCall(e), quote(x %*% x))
})

core_test("outer() combines tensors, and is base R's for everything else", {
  x <- as_tensor(c(1, 2, 3))
  m <- matrix(1:4 + 0, 2)
  expect_tensor(outer(x, 1:2), outer(1:3 + 0, 1:2), "float64")
  expect_tensor(1:3 %o% as_tensor(4:5), 1:3 %o% 4:5, "int32")
  expect_tensor(outer(as_tensor(m), x, "-"), outer(m, 1:3, "-"), "float64")
  expect_tensor(outer(as_tensor(2), m, function(a, b) a + b), outer(2, m, `+`), "float64")
  expect_identical(outer(1:2, c(a = 1, b = 2), "+"), base::outer(1:2, c(a = 1, b = 2), "+"))
  expect_error(outer(x, x, function(a, b) b), "element by element", class = "twinflow_error")
  with(tf$GradientTape() %as% tape, {
    tape$watch(x)
    y <- sum(outer(x, 1:2))
  })
  expect_tensor(tape$gradient(y, x), c(3, 3, 3), "float64")
})

core_test("sprintf() takes all values of tensors", {
  expect_identical(sprintf("%s: %.1f", c("a", "b"), as_tensor(c(1, 2.25))), c("a: 1.0", "b: 2.2"))
  expect_identical(sprintf("%d", as_tensor(matrix(1:4, 2), "int64")), as.character(1:4))
  expect_identical(sprintf("%5.2f|%s", pi, "x"), base::sprintf("%5.2f|%s", pi, "x"))
  expect_identical(conditionCall(tryCatch(sprintf("%d", 1.5), error = identity))[[1]], quote(sprintf))
})


test_that("library(twinflow) replaces nothing of R's", {
  for (package in c("base", "stats", "utils", "methods", "graphics", "grDevices", "datasets")) {
    expect_identical(intersect(getNamespaceExports("twinflow"), getNamespaceExports(package)), character())
  }
  expect_false(exists(".conflicts.OK", asNamespace("twinflow"), inherits = FALSE))
})

test_that("functions are attached where they are asked for, and taken away again", {
  before <- search()
  expect_message(attach_verbs(), "package:stats: var, cov, cor, sd", fixed = TRUE)
  withr::defer(detach_verbs())
  expect_identical(setdiff(search(), before), "twinflow:verbs")
  expect_false(identical(get("rowSums", globalenv()), base::rowSums))
  expect_message(attach_verbs("pmax"), "package:base: pmax", fixed = TRUE)
  expect_identical(ls("twinflow:verbs"), "pmax")
  expect_identical(get("rowSums", globalenv()), base::rowSums)
  expect_no_message(attach_verbs("pmax", quiet = TRUE))
  expect_true(detach_verbs())
  expect_false(detach_verbs())
  expect_identical(search(), before)
  expect_error(attach_verbs("lm"), "`names` must be among those", class = "twinflow_error")
})

core_test("the usual functions say what they cannot do, and cut nothing off", {
  x <- as_tensor(c(3, 1, 2, 5, 4))
  m <- as_tensor(diag(2))
  expect_identical(base::sprintf("%.1f", x[2]), "1.0")
  expect_identical(base::sprintf("%.1f", tf$Variable(2)), "2.0")
  e <- tryCatch(base::sprintf("%.1f", x), twinflow_error = identity)
  expect_match(conditionMessage(e), "as.vector(x)", fixed = TRUE)
  expect_identical(conditionCall(e), quote(base::sprintf("%.1f", x)))
  expect_error(base::sprintf("%s", x), "as.vector(x)", fixed = TRUE)
  expect_error(base::cat(x))
  expect_error(base::rowSums(m))
  expect_error(base::pmax(x, 2))
  expect_error(stats::var(x))
  expect_error(base::which(x > 2))
  expect_error(base::ifelse(x > 2, x, 0), "tf[$]where")
  expect_identical(base::outer(x, x), as.vector(x) %o% as.vector(x))
  expect_tensor(base::outer(x, x, "-"), base::outer(as.vector(x), as.vector(x), "-"), "float64")
  expect_equal(stats::sd(x), stats::sd(1:5))
})

core_test("functions of packages that were attached before are found", {
  skip_if_not_installed("Matrix")
  sparse <- Matrix::sparseMatrix(i = c(1, 3), j = c(2, 1), x = c(5, 7))
  code <- "library(Matrix); library(twinflow); attach_verbs(); s <- sparseMatrix(i = c(1, 3), j = c(2, 1), x = c(5, 7));
    writeLines(format(c(rowSums(s), diag(s), which(s > 6), sum(crossprod(s)), diag(as_tensor(diag(2)))$shape[[1]])))"
  rscript <- file.path(R.home("bin"), "Rscript")
  said <- system2(rscript, c("--no-save", "-e", shQuote(code)), stdout = TRUE, stderr = FALSE)
  values <- c(Matrix::rowSums(sparse), Matrix::diag(sparse), 3, sum(Matrix::crossprod(sparse)), 2)
  expect_identical(as.numeric(said), as.numeric(values))
})
