list2env(tensor_verbs(), environment())

square <- matrix(c(2, 0.5, 0.3, 1.5), 2)
values <- c(3, 1, 2, 8)
columns <- matrix(c(3, 1, 2, 5, 4, 7), 3)

core_test("determinants", {
  expect_tensor(det(as_tensor(square)), det(square), "float64")
  expect_tensor(det(as_tensor(-diag(3))), -1, "float64")
  d <- determinant(as_tensor(-diag(3)), logarithm = FALSE)
  expect_equal(as.array(d$modulus), 1)
  expect_equal(as.array(d$sign), -1)
  expect_false(inherits(det(as_tensor(square)), "twinflow_factor"))
  expect_error(determinant(as_tensor(columns)), "square matrix")
})

core_test("variances, covariances, correlations", {
  x <- as_tensor(values)
  m <- as_tensor(columns)
  expect_tensor(var(x), var(values), "float64")
  expect_tensor(var(as_tensor(1:5)), 2.5, "float64")
  expect_tensor(sd(x), sd(values), "float64")
  expect_tensor(sd(m), sd(columns), "float64")
  expect_tensor(var(m), var(columns), "float64")
  expect_tensor(cov(columns, m), cov(columns), "float64")
  expect_tensor(cor(m), cor(columns), "float64")
  expect_tensor(cor(x, rev(values)), cor(values, rev(values)), "float64")
  missing_one <- c(1, NA, 3, 7)
  expect_true(is.na(as.array(var(as_tensor(missing_one)))))
  expect_tensor(var(as_tensor(missing_one), na.rm = TRUE), var(missing_one, na.rm = TRUE), "float64")
  expect_tensor(sd(as_tensor(missing_one), na.rm = TRUE), sd(missing_one, na.rm = TRUE), "float64")
  expect_error(cor(x), "matrix-like")
  expect_error(cov(x, 1:3), "incompatible dimensions")
  expect_error(cor(x, x, method = "kendall"), "pearson")
  expect_error(var(x, use = "pairwise.complete.obs"), "complete.obs")
  expect_identical(var(c(1, NA, 3), na.rm = TRUE), 2)
  expect_identical(sd(values), stats::sd(values))
})

core_test("quantiles and scaled columns", {
  x <- as_tensor(values)
  probabilities <- c(0, 0.1, 1 / 3, 0.5, 0.99, 1)
  expect_tensor(quantile(x, probabilities), unname(quantile(values, probabilities)), "float64")
  expect_tensor(quantile(as_tensor(c(1, NA, 3)), na.rm = TRUE), c(1, 1.5, 2, 2.5, 3), "float64")
  expect_tensor(quantile(as_tensor(c(1, Inf)), 0), 1, "float64", 1L)
  expect_error(quantile(as_tensor(c(1, NA))), "na.rm")
  expect_error(quantile(x, 2), "probs")
  expect_error(quantile(x, type = 6), "type 7")
  m <- as_tensor(columns)
  for (center in list(TRUE, FALSE, c(1, 2))) {
    for (by in list(TRUE, FALSE, c(2, 4))) {
      expect_equal(as.vector(as.array(scale(m, center, by))), as.vector(scale(columns, center, by)))
    }
  }
  expect_error(scale(m, center = 1:3), "number of columns")
})

core_test("quantiles in traced functions", {
  any_size <- list(tf$TensorSpec(shape(NA), "float64"))
  f <- tf_function(function(x) quantile(x, c(0, 0.1, 1 / 3, 1)), input_signature = any_size)
  expect_tensor(f(as_tensor(values)), unname(quantile(values, c(0, 0.1, 1 / 3, 1))), "float64")
  expect_identical(as.vector(f(as_tensor(c(1, NaN, 2)))), rep(NaN, 4))
  expect_identical(as.vector(f(as_tensor(numeric()))), rep(NaN, 4))
  without <- tf_function(function(x) quantile(x, 0.5, na.rm = TRUE))
  expect_tensor(without(as_tensor(c(1, NaN, 2))), 1.5, "float64", 1L)
  expect_tensor(tf_function(function(x) var(x, use = "all.obs"))(as_tensor(values)), var(values), "float64")
})

core_test("norms", {
  m <- as_tensor(columns)
  for (type in c("O", "1", "I", "F", "E", "M", "2")) expect_tensor(norm(m, type), norm(columns, type), "float64")
  expect_error(norm(m, "x"), "must be one of")
  expect_error(norm(as_tensor(values)), "matrix")
  expect_identical(norm(columns), base::norm(columns))
})

# The table: what functions of base R and stats make of a tensor that a tape follows. A function either gives a tensor
# with the right gradient, or warns.
with_gradient <- list(
  abs = abs, acos = function(x) acos(x / 20), acosh = function(x) acosh(x + 2), asin = function(x) asin(x / 20),
  asinh = asinh, atan = atan, atanh = function(x) atanh(x / 20), cos = cos, cosh = cosh, cospi = cospi,
  cumprod = cumprod,
  cumsum = cumsum, digamma = digamma, exp = exp, expm1 = expm1, gamma = gamma, lgamma = lgamma,
  log = log, log10 = log10,
  log1p = log1p, log2 = log2, log_base = function(x) log(x, 3), max = max, mean = mean, min = min, prod = prod,
  range = range, sin = sin, sinh = sinh, sinpi = sinpi, sqrt = sqrt, sum = sum, tan = tan, tanh = tanh,
  trigamma = trigamma,
  power = function(x) x^1.5, divide = function(x) 1 / x, modulo = function(x) x %% 1.7, cummax = cummax,
  cummin = cummin,
  diff = diff, median = median, weighted.mean = function(x) weighted.mean(x, 1:4),
  quantile = function(x) quantile(x, 0.3),
  var = var, sd = sd, rev = rev, head = function(x) head(x, 2), tail = function(x) tail(x, 2),
  rep = function(x) rep(x, 2),
  sort = sort, t = t, pmin = function(x) pmin(x, 2.5), pmax = function(x) pmax(x, 2.5),
  ifelse = function(x) ifelse(x > 2, x, x^2),
  outer = function(x) outer(x, x), diag = diag, select = function(x) x[2:3],
  subset = function(x) subset(x, c(TRUE, FALSE, TRUE, TRUE)),
  Reduce = function(x) Reduce(`*`, x), do.call = function(x) do.call(sum, as.list(x)),
  vector = function(x) x[c(4, 1, 1)], dropped = function(x) x[-c(1, 3)], mask = function(x) x[x > 2],
  ordered = function(x) x[order(x)], replace = function(x) replace(x, 2, 0), unique = unique,
  split = function(x) split(x, c(1, 1, 2, 2))[[2L]], tapply = function(x) tapply(x, c(1, 1, 2, 2), sum)[[1L]],
  ave = function(x) ave(x, c(1, 1, 2, 2)), sweep = function(x) x - mean(x), proportions = proportions,
  mad = mad, trunc = function(x) trunc(x) * x, within = function(x) within(list(a = x), b <- a * 2)$b,
  rep_each = function(x) rep(x, each = 2), factorial = factorial, lfactorial = lfactorial,
  weighted = function(x) weighted.mean(x, x), dim = function(x) {
    dim(x) <- c(2, 2)
    x
  }
)
of_matrix <- list(
  det = det, determinant = function(m) determinant(m)$modulus, solve = solve, chol = function(m) chol(m %*% t(m)),
  cov = cov, cor = function(m) cor(rbind(m, 1:2)), scale = function(m) scale(m) + m, norm = function(m) norm(m, "F"),
  spectral = function(m) norm(m, "2"), rowSums = rowSums, colSums = colSums, rowMeans = rowMeans, colMeans = colMeans,
  crossprod = crossprod, tcrossprod = tcrossprod, aperm = function(m) aperm(m, 2:1), cbind = function(m) cbind(m, m),
  rbind = function(m) rbind(m, 1:2), diag = diag, rev = rev, sweep_rows = function(m) sweep(m, 1, c(2, 3), "*"),
  elements = function(m) m[cbind(c(1, 2), c(2, 1))], triangle = function(m) m[lower.tri(m, TRUE)],
  rows = function(m) m[c(2, 1, 2), ], unique = unique, head = function(m) head(m, 1), diff = diff,
  apply_unstacked = function(m) lapply(tf$unstack(m), sum)[[1L]]
)
with_warning <- list(
  svd = function(m) svd(m)$d, eigen = function(m) eigen(m)$values, qr = function(m) qr(m)$qr,
  apply = function(m) apply(m, 1, sum),
  matrix = function(m) matrix(m, 1), array = function(m) array(m, 4), kronecker = function(m) kronecker(m, diag(2)),
  sd = function(m) stats::sd(m), outer = function(m) base::outer(m, m), norm = function(m) base::norm(m, "2"),
  IQR = function(m) IQR(m), dist = function(m) dist(m), backsolve = function(m) backsolve(m, 1:2),
  mahalanobis = function(m) mahalanobis(m, c(0, 0), diag(2)),
  approx = function(m) approx(1:2, m[, 1], 1.5)$y, spline = function(m) spline(1:2, m[, 1], n = 3)$y,
  lowess = function(m) lowess(m[, 1])$y, asplit = function(m) asplit(m, 1), max.col = function(m) max.col(m),
  prcomp = function(m) prcomp(m)$sdev, kappa = function(m) kappa(m)
)

slopes <- function(f, x, by = 1e-6) {
  total <- function(x) sum(as.vector(as.array(f(as_tensor(x)))) * seq_along(as.vector(as.array(f(as_tensor(x))))))
  one <- function(i) {
    above <- below <- x
    above[[i]] <- x[[i]] + by
    below[[i]] <- x[[i]] - by
    (total(above) - total(below)) / (2 * by)
  }
  vapply(seq_along(x), one, 0)
}

gradient_of <- function(f, x) {
  v <- tf$Variable(as_tensor(x))
  with(tf$GradientTape() %as% tape, {
    y <- f(v)
    # Weights in R's order of the result, as in slopes().
    weights <- as_tensor(array(seq_along(as.vector(as.array(y))) + 0, if (length(dim(y))) dim(y) else 1L), y$dtype)
    loss <- sum(y * if (length(dim(y))) weights else 1)
  })
  as.vector(as.array(tape$gradient(loss, v)))
}

core_test("functions of a followed vector have the right gradient", {
  for (name in names(with_gradient)) {
    f <- with_gradient[[name]]
    expect_equal(gradient_of(f, values + 0.25), slopes(f, values + 0.25), tolerance = 1e-5, info = name)
  }
})

core_test("functions of a followed matrix have the right gradient", {
  for (name in names(of_matrix)) {
    f <- of_matrix[[name]]
    expect_equal(gradient_of(f, square), slopes(f, square), tolerance = 1e-5, info = name)
  }
})

core_test("a followed tensor that becomes R's numbers warns, once for each function", {
  m <- tf$Variable(square)
  for (name in names(with_warning)) {
    rm(list = ls(warned_of), envir = warned_of)
    under_tape <- function() with(tf$GradientTape() %as% tape, with_warning[[name]](m))
    expect_warning(under_tape(), paste0("^", name, "\\(\\) makes an R number"), class = "twinflow_warning",
  info = name)
    expect_no_warning(under_tape())
    rm(list = ls(warned_of), envir = warned_of)
    expect_no_warning(with_warning[[name]](m))
  }
})

core_test("what users convert, print or count themselves is meant", {
  m <- tf$Variable(square)
  rm(list = ls(warned_of), envir = warned_of)
  with(tf$GradientTape() %as% tape, {
    expect_no_warning(as.array(m))
    expect_no_warning(sapply(list(m), as.numeric))
    expect_no_warning(lapply(list(m), function(x) as.vector(x)))
    expect_output(print(m), "0.5")
    expect_output(cat(m), "0.5")
    expect_no_warning(list(paste(m), format(m), sprintf("%f", m), order(m[, 1]), which(m > 1), toString(m)))
    grDevices::pdf(NULL)
    on.exit(grDevices::dev.off())
    expect_no_warning(plot(m[, 1]))
    expect_no_warning(graphics::points(m[, 1], m[, 2]))
    expect_no_warning(graphics::hist(m[, 1]))
  })
  expect_error(tape$gradient(0.5, m), "number of R's")
  with(tf$GradientTape() %as% tape, 1)
  expect_error(tape$jacobian(3L, m), "number of R's")
})

core_test("as.list() gives tensors in R's order", {
  expect_equal(vapply(as.list(as_tensor(square)), as.numeric, 0), as.vector(square))
  expect_tensor(do.call(cbind, as.list(as_tensor(1:3))), matrix(1:3, 1), "int32")
  expect_equal(as.array(as.list(as_tensor(5))[[1L]]), 5)
})
