# For each distribution: values, and parameters in R's order.
grids <- list(
  norm = list(c(-40, -3, -1e-3, 0, 2, 9, 40), list(c(0, 1), c(1.5, 0.3))),
  lnorm = list(c(-1, 0, 1e-8, 0.3, 5, 1e6), list(c(0, 1), c(1, 0.5))),
  exp = list(c(-1, 0, 1e-9, 0.5, 200), list(1, 3, 0.01)),
  unif = list(c(-1, 0.2, 1, 3), list(c(0, 2), c(-1.5, 4))),
  logis = list(c(-800, -1, 0, 3, 800), list(c(0, 1), c(1, 3))),
  cauchy = list(c(-1e10, -1, 0.2, 40, 1e12), list(c(0, 1), c(1, 3))),
  weibull = list(c(-1, 0, 1e-4, 1.5, 40), list(c(1, 1), c(0.5, 2), c(3, 2))),
  gamma = list(c(-1, 0, 1e-4, 1.5, 40), list(c(1, 1), c(0.5, 2), c(3, 2), c(200, 1))),
  chisq = list(c(-1, 0, 1e-4, 3, 40), list(1, 2, 5, 300)),
  beta = list(c(-1, 0, 1e-6, 0.3, 0.9, 1, 2), list(c(1, 1), c(0.5, 0.5), c(3, 2), c(1, 4), c(200, 300), c(4, 1))),
  t = list(c(-1e5, -30, -1e-4, 0.3, 50), list(1, 2.5, 30)),
  binom = list(c(-1, 0, 2, 7, 10, 11), list(c(10, 0.3), c(10, 0), c(10, 1), c(1000, 0.01))),
  pois = list(c(-1, 0, 2, 20), list(0.1, 3, 30)),
  geom = list(c(-1, 0, 3, 20), list(0.1, 0.9)),
  nbinom = list(c(-1, 0, 3, 20), list(c(3, 0.2), c(0.5, 0.9), c(100, 0.3))),
  f = list(c(-1, 0, 1e-4, 0.7, 3, 90), list(c(1, 1), c(2, 5), c(4.5, 30), c(100, 200), c(3, Inf))),
  hyper = list(c(-1, 0, 1, 3.5, 4, 8, 9), list(c(10, 7, 8), c(3, 40, 8), c(200, 300, 120), c(5, 5, 10), c(5, 5, 0)))
)
probabilities <- c(0, 1e-20, 1e-5, 0.1, 0.5, 0.7, 1 - 1e-9, 1)

of_twinflow <- function(name) get0(paste0("tf_", name), asNamespace("twinflow"))

named_parameters <- function(of, values) {
  if (of == "gamma") list(shape = values[[1L]], rate = values[[2L]]) else as.list(values)
}

# The largest relative error; 0 where both are equal, also infinite.
error_of <- function(found, right) {
  found <- as.numeric(found)
  off <- ifelse(found == right, 0, abs(found - right) / pmax(abs(right), 1e-300))
  underflow <- right < -700 & found == -Inf # logarithms of probabilities that are no doubles
  max(ifelse(is.nan(found) & is.nan(right) | underflow, 0, off))
}

# R's qf() is 1 / x - 1 of a quantile of the beta distribution, which cancels.
exact_qf <- function(p, df1, df2, lower.tail, log.p) {
  if (is.infinite(df2)) {
    return(qchisq(p, df1, lower.tail = lower.tail, log.p = log.p) / df1)
  }
  x <- qbeta(p, df1 / 2, df2 / 2, lower.tail = lower.tail, log.p = log.p)
  df2 / df1 * x / qbeta(p, df2 / 2, df1 / 2, lower.tail = !lower.tail, log.p = log.p)
}

tails_and_logs <- list(c(TRUE, FALSE), c(FALSE, FALSE), c(TRUE, TRUE), c(FALSE, TRUE))

core_test("values are R's, in both tails and as logarithms", {
  for (of in names(grids)) {
    for (kind in c("d", "p", "q")) {
      f <- get(paste0(kind, of), asNamespace("stats"))
      g <- of_twinflow(paste0(kind, of))
      for (values in grids[[of]][[2L]]) {
        for (flag in if (kind == "d") list(FALSE, TRUE) else tails_and_logs) {
          x <- if (kind == "q") probabilities else grids[[of]][[1L]]
          if (kind == "q" && of == "hyper") x <- x[-(1:2)] # R sums 1 - 1e-20, and its qhyper(-Inf) is NaN
          if (kind == "q" && flag[[2L]]) x <- log(x)
          flag_names <- if (kind == "d") "log" else c("lower.tail", "log.p")
          arguments <- c(named_parameters(of, values), stats::setNames(as.list(flag), flag_names))
          right <- suppressWarnings(do.call(if (kind == "q" && of == "f") exact_qf else f, c(list(x), arguments)))
          found <- do.call(g, c(list(as_tensor(x)), arguments))
          label <- paste0(kind, of, "(", toString(values), "; ", toString(flag), ")")
          expect_lt(error_of(found, right), 2e-12, label = label)
        }
      }
    }
  }
})

# The derivative of f at x by central differences.
slope <- function(f, x, h = max(abs(x), 0.1) * 1e-5) (f(x + h) - f(x - h)) / (2 * h)

core_test("all arguments have derivatives", {
  at <- list(
    norm = c(0.7, 0.2, 1.3), lnorm = c(0.7, 0.2, 1.3), exp = c(0.7, 1.3), unif = c(0.7, -0.5, 2),
    logis = c(0.7, 0.2, 1.3), cauchy = c(0.7, 0.2, 1.3), weibull = c(0.7, 2, 1.3), chisq = c(2.2, 3),
    beta = c(0.3, 2.5, 3.5), t = c(0.7, 4.5),
    binom = c(3, 10, 0.4), pois = c(3, 2.5), geom = c(3, 0.4), nbinom = c(3, 4.5, 0.4), gamma = c(2, 3, 1.4),
    f = c(1.3, 4.5, 7.5)
  )
  counts <- c("binom", "pois", "geom", "nbinom")
  for (of in names(at)) {
    for (kind in c("d", "p", if (!of %in% counts) "q")) {
      g <- of_twinflow(paste0(kind, of))
      f <- get(paste0(kind, of), asNamespace("stats"))
      numbers <- at[[of]]
      if (kind == "q") numbers[[1L]] <- 0.3
      sources <- lapply(numbers, tf$Variable, dtype = "float64")
      with(tf$GradientTape() %as% tape, {
        y <- if (kind == "d") do.call(g, c(sources, list(log = TRUE))) else do.call(g, sources)
      })
      found <- tape$gradient(y, sources)
      fixed <- c(if (of %in% counts || kind == "d" && of == "unif") 1L, if (of == "binom") 2L)
      for (i in setdiff(seq_along(numbers), fixed)) {
        right <- slope(function(z) {
          numbers[[i]] <- z
          if (kind == "d") do.call(f, c(as.list(numbers), list(log = TRUE))) else do.call(f, as.list(numbers))
        }, numbers[[i]])
        expect_equal(as.numeric(found[[i]]), right, tolerance = 1e-6, label = paste0(kind, of, " by argument ", i))
      }
    }
  }
})

core_test("derivatives are right where formulas change", {
  by_all <- function(f, ...) {
    sources <- lapply(c(...), tf$Variable, dtype = "float64")
    with(tf$GradientTape() %as% tape, y <- do.call(f, sources))
    vapply(tape$gradient(y, sources), as.numeric, 1)
  }
  log_of <- function(f) function(...) f(..., log = TRUE)
  by_differences <- function(f, ...) {
    numbers <- list(...)
    by_one <- function(i) {
      at <- function(z) {
        numbers[[i]] <- z
        do.call(f, numbers)
      }
      slope(at, numbers[[i]])
    }
    vapply(seq_along(numbers), by_one, 1)
  }
  same <- function(f, g, ...) expect_equal(by_all(f, ...), by_differences(g, ...), tolerance = 1e-6)
  for (shape in c(1, 2, 16)) same(log_of(tf_dgamma), log_of(dgamma), 0.7, shape, 1.5)
  for (shape in c(1, 2, 11)) same(log_of(tf_dbeta), log_of(dbeta), 0.3, shape, shape)
  same(log_of(tf_dbeta), log_of(dbeta), 0.3, 1, 2)
  same(log_of(tf_dchisq), log_of(dchisq), 0.7, 2)
  for (a in c(1, 10, 20)) same(tf_lbeta, lbeta, a, a)
  same(tf_pt, pt, 1, 1)
  same(log_of(tf_dt), log_of(dt), 0, 30)
  same(log_of(tf_dlogis), log_of(dlogis), 2, 2, 1)
  for (q in c(-14, 0)) same(function(x) tf_pnorm(x, log.p = TRUE), function(x) pnorm(x, log.p = TRUE), q)
})

core_test("second derivatives, traced functions and float32", {
  x <- tf$Variable(0.3, dtype = "float64")
  with(tf$GradientTape() %as% outer, {
    with(tf$GradientTape() %as% inner, y <- tf_qnorm(x))
    first <- inner$gradient(y, x)
  })
  z <- qnorm(0.3)
  expect_equal(as.numeric(first), 1 / dnorm(z))
  expect_equal(as.numeric(outer$gradient(first, x)), z / dnorm(z)^2)
  traced <- tf_function(function(x, shape) tf_pgamma(x, shape, 2) + tf_dbeta(x, shape, 1.5))
  expect_equal(as.numeric(traced(as_tensor(0.4), as_tensor(2))), pgamma(0.4, 2, 2) + dbeta(0.4, 2, 1.5))
  expect_identical(tf_dnorm(as_tensor(1, "float32"), 0, 2)$dtype$name, "float32")
  expect_identical(tf_dpois(as_tensor(1:3), 2)$dtype$name, "float64")
  expect_identical(dim(tf_dnorm(as_tensor(array(1:3 + 0, c(3, 1))), array(0, c(1, 2)))), c(3L, 2L))
})

core_test("beta functions and binomial coefficients are R's", {
  a <- c(0.1, 1, 5, 20, 300, 1e5)
  for (b in c(0.2, 3, 15, 1000)) {
    expect_lt(error_of(tf_lbeta(as_tensor(a), b), lbeta(a, b)), 1e-13)
    expect_lt(error_of(tf_beta(as_tensor(a), b), beta(a, b)), 1e-11)
  }
  n <- c(5, 50, 100, 5.5, -3, 0, 2, 60.5, 1000)
  for (k in c(0, 1, 3, 29, 30, 45, -1)) {
    expect_lt(error_of(tf_choose(as_tensor(n), k), choose(n, k)), 1e-12, label = paste("choose", k))
    expect_equal(as.numeric(tf_lchoose(as_tensor(n), k)), lchoose(n, k), tolerance = 1e-12, label = paste("lchoose", k))
  }
  expect_identical(as.numeric(tf_choose(5L, 2L)), 10)
})

core_test("invalid parameters are NaN, wrong arguments errors", {
  expect_identical(as.numeric(tf_dgamma(1, c(-1, 1), 1)), c(NaN, dgamma(1, 1, 1)))
  expect_equal(as.numeric(tf_pbinom(1, 3, as_tensor(c(0.5, 2, NaN)))), c(pbinom(1, 3, 0.5), NaN, NaN))
  expect_identical(as.numeric(tf_dexp(as_tensor(c(NaN, 0)))), c(NaN, 1))
  expect_error(tf_dnorm(1, log = NA), "`log` must be TRUE or FALSE")
  expect_error(tf_dnorm(as_tensor(1), as_tensor(1, "float32")), "tf$cast", fixed = TRUE)
  expect_error(tf_dnorm("a"), class = "twinflow_error")
  expect_identical(
    as.numeric(tf_dnbinom(2, 3, mu = as_tensor(1.5))),
    as.numeric(tf_dnbinom(2, 3, as_tensor(3 / 4.5)))
  )
})

core_test("random values follow R's distributions, and have derivatives", {
  set_random_seed(5)
  uniform <- function(of, ...) {
    values <- as.numeric(get(paste0("tf_r", of), asNamespace("twinflow"))(2000, ...))
    suppressWarnings(stats::ks.test(values, get(paste0("p", of), asNamespace("stats")), ...)$p.value)
  }
  expect_gt(uniform("norm", 1, 2), 1e-3)
  expect_gt(uniform("gamma", 0.7, 2), 1e-3)
  expect_gt(uniform("beta", 0.7, 2), 1e-3)
  expect_gt(uniform("t", 3), 1e-3)
  expect_gt(uniform("f", 3, 5), 1e-3)
  counts <- as.numeric(tf_rbinom(2000, 4, 0.3))
  expect_gt(stats::chisq.test(table(factor(counts, 0:4)), p = dbinom(0:4, 4, 0.3))$p.value, 1e-3)
  expect_identical(dim(tf_rexp(c(2, 3), 2)), c(2L, 3L))
  expect_true(all(as.numeric(tf_rhyper(50, 10, 7, 8)) <= 8))
  expect_error(tf_rnorm(-1), "must be whole numbers")
  shape <- tf$Variable(2, dtype = "float64")
  with(tf$GradientTape() %as% tape, y <- mean(tf_rgamma(2000, shape)))
  expect_equal(as.numeric(tape$gradient(y, shape)), 1, tolerance = 0.1) # the mean is the shape
})

core_test("tf_dmultinom() is R's, along the last axis", {
  prob <- c(2, 5, 3)
  expect_equal(as.numeric(tf_dmultinom(c(1, 2, 1), prob = prob)), dmultinom(c(1, 2, 1), prob = prob))
  x <- rbind(c(1, 2, 1), c(0, 0, 4))
  right <- apply(x, 1L, dmultinom, prob = prob, log = TRUE)
  expect_equal(as.numeric(tf_dmultinom(as_tensor(x), prob = prob, log = TRUE)), right)
  expect_identical(as.numeric(tf_dmultinom(c(1, 2, 1), size = 5, prob = prob)), 0)
  p <- tf$Variable(c(0.2, 0.5, 0.3), dtype = "float64")
  with(tf$GradientTape() %as% tape, l <- tf_dmultinom(c(1, 2, 1), prob = p, log = TRUE))
  expect_equal(as.numeric(tape$gradient(l, p)), c(1, 2, 1) / c(0.2, 0.5, 0.3) - 4)
})

core_test("second derivatives of quantiles, and quantiles in traced functions", {
  shape <- tf$Variable(2.5, dtype = "float64")
  p <- tf$Variable(0.3, dtype = "float64")
  with(tf$GradientTape() %as% outer, {
    with(tf$GradientTape() %as% inner, x <- tf_qgamma(p, shape))
    first <- inner$gradient(x, list(p, shape))
  })
  q <- qgamma(0.3, 2.5)
  expect_equal(as.numeric(first[[1L]]), 1 / dgamma(q, 2.5))
  expect_equal(as.numeric(first[[2L]]), slope(function(a) qgamma(0.3, a), 2.5), tolerance = 1e-6)
  second <- outer$gradient(first[[1L]], p)
  expect_equal(as.numeric(second), slope(function(p) 1 / dgamma(qgamma(p, 2.5), 2.5), 0.3), tolerance = 1e-6)
  traced <- tf_function(function(p) tf_qt(p, 4) + tf_qbeta(p, 2, 3) + tf_qpois(p, 6))
  expect_equal(as.numeric(traced(as_tensor(c(0.2, 0.9)))), qt(c(0.2, 0.9), 4) + qbeta(c(0.2, 0.9), 2, 3) +
    qpois(c(0.2, 0.9), 6))
  expect_identical(tf_qgamma(as_tensor(0.3, "float32"), 2)$dtype$name, "float32")
  with(tf$GradientTape() %as% tape, x <- tf_function(function(a) tf_qgamma(0.3, a))(shape))
  expect_equal(as.numeric(tape$gradient(x, shape)), as.numeric(first[[2L]]))
})
