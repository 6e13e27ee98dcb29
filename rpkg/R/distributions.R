# R's distributions for tensors. Their formulas are in the core, twinflow._src.r_bridge.distributions.

#' Normal, gamma, binomial and other distributions of tensors: densities, probabilities, quantiles and random values
#'
#' `tf_dnorm()`, `tf_pnorm()`, `tf_qnorm()`, `tf_rnorm()` and their relatives are R's [dnorm()], [pnorm()], [qnorm()],
#' [rnorm()] and so on, with the prefix `tf_`. They take tensors, variables and R values, and return tensors, with
#' gradients with respect to all arguments that have them: sums of `log = TRUE` densities are log likelihoods that a
#' [gradient tape][tf-GradientTape] differentiates.
#'
#' The values equal those of R up to rounding. Arguments broadcast as tensors do; R's recycling does not apply. The
#' result has the floating-point dtype of the tensors among the arguments, or float64 if there is none. An invalid
#' parameter gives `NaN` without a warning; the density of a count is 0 at numbers that are not whole.
#' `log.p = TRUE` reaches beyond the smallest double for normal, lognormal, logistic, exponential, Weibull and geometric
#' tails; for the others it is the logarithm of the probability.
#'
#' Random values are quantiles of uniform ones, so those of continuous distributions have derivatives with respect to
#' the parameters; [set_random_seed()] sets their seed. Quantiles and random values of counts are piecewise constant and
#' have none. Non-central distributions are not available.
#'
#' After [attach_verbs()] the functions of R take tensors under their own names, without the prefix.
#'
#' `tf_beta()`, `tf_lbeta()`, `tf_choose()` and `tf_lchoose()` are R's [beta()] and its relatives.
#'
#' @param x,q values: a tensor, a variable or an R value.
#' @param p probabilities.
#' @param mean,sd,meanlog,sdlog,rate,min,max,location,scale,shape,shape1,shape2,df,df1,df2,size,prob,lambda,mu,m
#'   parameters, as in R's functions of these names: tensors, variables or R values.
#' @param log,log.p are probabilities given as their logarithms?
#' @param lower.tail probabilities of at most `q`, rather than of more?
#' @param a,b as in [base::beta()].
#' @param n,k as in [base::choose()] and [stats::dhyper()]. For random values `n` is how many there are, or the dims of
#'   the result.
#' @param nn the `n` of `tf_rhyper()`.
#' @return A tensor.
#' @name tf_distributions
#' @aliases likelihood
#' @seealso `vignette("likelihoods")`, [tf-random] for random numbers.
#' @examples
#' if (twinflow_available()) {
#'   x <- as_tensor(c(4.1, 5.3, 3.8))
#'   mu <- tf$Variable(4, dtype = "float64")
#'   with(tf$GradientTape() %as% tape, {
#'     loss <- -sum(tf_dnorm(x, mu, 0.5, log = TRUE))
#'   })
#'   tape$gradient(loss, mu)
#'   tf_qt(c(0.025, 0.975), df = 9)
#'   tf_rgamma(3, shape = 2)
#' }
NULL

# The parameters of each distribution, as in the functions of stats, and those with which the core computes.
distributions <- list(
  norm = alist(mean = 0, sd = 1),
  lnorm = alist(meanlog = 0, sdlog = 1),
  exp = alist(rate = 1),
  unif = alist(min = 0, max = 1),
  logis = alist(location = 0, scale = 1),
  cauchy = alist(location = 0, scale = 1),
  weibull = alist(shape = , scale = 1),
  gamma = alist(shape = , rate = 1, scale = 1 / rate),
  chisq = alist(df = ),
  beta = alist(shape1 = , shape2 = ),
  t = alist(df = ),
  binom = alist(size = , prob = ),
  pois = alist(lambda = ),
  geom = alist(prob = ),
  nbinom = alist(size = , prob = size / (size + mu), mu = ),
  f = alist(df1 = , df2 = ),
  hyper = alist(m = , n = , k = )
)

given_parameters <- function(of) {
  names <- names(distributions[[of]])
  setdiff(names, c(gamma = "rate", nbinom = "mu")[of])
}

# The function of a name, such as "dnorm", with the arguments of that of stats.
distribution_function <- function(name) {
  of <- substring(name, 2L)
  kind <- substr(name, 1L, 1L)
  given <- as.call(c(quote(list), lapply(given_parameters(of), as.name)))
  if (kind == "r") {
    count <- if ("n" %in% names(distributions[[of]])) "nn" else "n"
    body <- bquote(draw(.(name), .(as.name(count)), .(given), sys.call()))
    formals <- c(stats::setNames(alist(n = ), count), distributions[[of]])
    return(as.function(c(formals, body), envir = topenv()))
  }
  first <- c(d = "x", p = "q", q = "p")[[kind]]
  flags <- if (kind == "d") alist(log = FALSE) else alist(lower.tail = TRUE, log.p = FALSE)
  lower <- if (kind == "d") TRUE else quote(lower.tail)
  log <- as.name(if (kind == "d") "log" else "log.p")
  body <- bquote(distribute(.(name), .(as.name(first)), .(given), .(lower), .(log), sys.call()))
  formals <- c(stats::setNames(alist(x = ), first), distributions[[of]], flags)
  as.function(c(formals, body), envir = topenv())
}

draw <- function(name, n, parameters, call) {
  if (!is.numeric(n) || anyNA(n) || any(n < 0) || any(n != round(n))) {
    complain("`n`, the number of values, or the dims, must be whole numbers", x = it_is(n), call = call)
  }
  parameters <- number_operands(parameters, given_parameters(substring(name, 2L)), call)
  call_python(bridge("random"), name, as.list(as.integer(n)), parameters, call = call)
}

distribute <- function(name, x, parameters, is_lower, is_log, call) {
  check_flag(is_lower, "lower.tail", call)
  check_flag(is_log, if (startsWith(name, "d")) "log" else "log.p", call)
  first <- c(d = "x", p = "q", q = "p")[[substr(name, 1L, 1L)]]
  numbers <- number_operands(c(list(x), parameters), c(first, given_parameters(substring(name, 2L))), call)
  call_python(bridge("distribution"), name, numbers[[1L]], numbers[-1L], is_lower, is_log, call = call)
}

# Operands for Python of arguments that must be numbers.
number_operands <- function(values, names, call) {
  unname(Map(function(x, name) {
    if (!argument_kinds$numbers$passes(x)) complain("`", name, "` must be numbers", x = it_is(x), call = call)
    operand(x)
  }, values, names))
}

check_flag <- function(x, name, call = entering_call()) {
  if (!isTRUE(x) && !isFALSE(x)) complain("`", name, "` must be TRUE or FALSE", x = it_is(x), call = call)
}

combine <- function(.of, ..., .call = sys.call(-1L)) {
  numbers <- number_operands(list(...), ...names(), .call)
  call_python(bridge("combinatorial"), .of, numbers[[1L]], numbers[[2L]], call = .call)
}

# For attach_verbs(): dnorm() and the others, which call the function of stats or base for what is no tensor.
distribution_twins <- function() {
  families <- outer(c("d", "p", "q", "r"), names(distributions), paste0)
  names <- c(families, "dmultinom", "beta", "lbeta", "choose", "lchoose")
  stats::setNames(lapply(names, distribution_twin), names)
}

distribution_twin <- function(name) {
  of_tensors <- as.name(paste0("tf_", name))
  body <- bquote(if (any_tensor(...)) .(of_tensors)(...) else .(as.name(name))(...))
  as.function(c(alist(... = ), body), envir = topenv())
}

#' @rdname tf_distributions
#' @export
tf_beta <- function(a, b) combine("beta", a = a, b = b)

#' @rdname tf_distributions
#' @export
tf_lbeta <- function(a, b) combine("lbeta", a = a, b = b)

#' @rdname tf_distributions
#' @export
tf_choose <- function(n, k) combine("choose", n = n, k = k)

#' @rdname tf_distributions
#' @export
tf_lchoose <- function(n, k) combine("lchoose", n = n, k = k)

#' @rdname tf_distributions
#' @export
tf_dmultinom <- function(x, size = NULL, prob, log = FALSE) {
  check_flag(log, "log", sys.call())
  numbers <- number_operands(list(x, prob), c("x", "prob"), sys.call())
  call_python(bridge("multinomial"), numbers[[1L]], operand(size), numbers[[2L]], log, call = sys.call())
}

#' @rdname tf_distributions
#' @export
tf_dnorm <- distribution_function("dnorm")

#' @rdname tf_distributions
#' @export
tf_pnorm <- distribution_function("pnorm")

#' @rdname tf_distributions
#' @export
tf_qnorm <- distribution_function("qnorm")

#' @rdname tf_distributions
#' @export
tf_rnorm <- distribution_function("rnorm")

#' @rdname tf_distributions
#' @export
tf_dlnorm <- distribution_function("dlnorm")

#' @rdname tf_distributions
#' @export
tf_plnorm <- distribution_function("plnorm")

#' @rdname tf_distributions
#' @export
tf_qlnorm <- distribution_function("qlnorm")

#' @rdname tf_distributions
#' @export
tf_rlnorm <- distribution_function("rlnorm")

#' @rdname tf_distributions
#' @export
tf_dexp <- distribution_function("dexp")

#' @rdname tf_distributions
#' @export
tf_pexp <- distribution_function("pexp")

#' @rdname tf_distributions
#' @export
tf_qexp <- distribution_function("qexp")

#' @rdname tf_distributions
#' @export
tf_rexp <- distribution_function("rexp")

#' @rdname tf_distributions
#' @export
tf_dunif <- distribution_function("dunif")

#' @rdname tf_distributions
#' @export
tf_punif <- distribution_function("punif")

#' @rdname tf_distributions
#' @export
tf_qunif <- distribution_function("qunif")

#' @rdname tf_distributions
#' @export
tf_runif <- distribution_function("runif")

#' @rdname tf_distributions
#' @export
tf_dlogis <- distribution_function("dlogis")

#' @rdname tf_distributions
#' @export
tf_plogis <- distribution_function("plogis")

#' @rdname tf_distributions
#' @export
tf_qlogis <- distribution_function("qlogis")

#' @rdname tf_distributions
#' @export
tf_rlogis <- distribution_function("rlogis")

#' @rdname tf_distributions
#' @export
tf_dcauchy <- distribution_function("dcauchy")

#' @rdname tf_distributions
#' @export
tf_pcauchy <- distribution_function("pcauchy")

#' @rdname tf_distributions
#' @export
tf_qcauchy <- distribution_function("qcauchy")

#' @rdname tf_distributions
#' @export
tf_rcauchy <- distribution_function("rcauchy")

#' @rdname tf_distributions
#' @export
tf_dweibull <- distribution_function("dweibull")

#' @rdname tf_distributions
#' @export
tf_pweibull <- distribution_function("pweibull")

#' @rdname tf_distributions
#' @export
tf_qweibull <- distribution_function("qweibull")

#' @rdname tf_distributions
#' @export
tf_rweibull <- distribution_function("rweibull")

#' @rdname tf_distributions
#' @export
tf_dgamma <- distribution_function("dgamma")

#' @rdname tf_distributions
#' @export
tf_pgamma <- distribution_function("pgamma")

#' @rdname tf_distributions
#' @export
tf_qgamma <- distribution_function("qgamma")

#' @rdname tf_distributions
#' @export
tf_rgamma <- distribution_function("rgamma")

#' @rdname tf_distributions
#' @export
tf_dchisq <- distribution_function("dchisq")

#' @rdname tf_distributions
#' @export
tf_pchisq <- distribution_function("pchisq")

#' @rdname tf_distributions
#' @export
tf_qchisq <- distribution_function("qchisq")

#' @rdname tf_distributions
#' @export
tf_rchisq <- distribution_function("rchisq")

#' @rdname tf_distributions
#' @export
tf_dbeta <- distribution_function("dbeta")

#' @rdname tf_distributions
#' @export
tf_pbeta <- distribution_function("pbeta")

#' @rdname tf_distributions
#' @export
tf_qbeta <- distribution_function("qbeta")

#' @rdname tf_distributions
#' @export
tf_rbeta <- distribution_function("rbeta")

#' @rdname tf_distributions
#' @export
tf_dt <- distribution_function("dt")

#' @rdname tf_distributions
#' @export
tf_pt <- distribution_function("pt")

#' @rdname tf_distributions
#' @export
tf_qt <- distribution_function("qt")

#' @rdname tf_distributions
#' @export
tf_rt <- distribution_function("rt")

#' @rdname tf_distributions
#' @export
tf_df <- distribution_function("df")

#' @rdname tf_distributions
#' @export
tf_pf <- distribution_function("pf")

#' @rdname tf_distributions
#' @export
tf_qf <- distribution_function("qf")

#' @rdname tf_distributions
#' @export
tf_rf <- distribution_function("rf")

#' @rdname tf_distributions
#' @export
tf_dbinom <- distribution_function("dbinom")

#' @rdname tf_distributions
#' @export
tf_pbinom <- distribution_function("pbinom")

#' @rdname tf_distributions
#' @export
tf_qbinom <- distribution_function("qbinom")

#' @rdname tf_distributions
#' @export
tf_rbinom <- distribution_function("rbinom")

#' @rdname tf_distributions
#' @export
tf_dpois <- distribution_function("dpois")

#' @rdname tf_distributions
#' @export
tf_ppois <- distribution_function("ppois")

#' @rdname tf_distributions
#' @export
tf_qpois <- distribution_function("qpois")

#' @rdname tf_distributions
#' @export
tf_rpois <- distribution_function("rpois")

#' @rdname tf_distributions
#' @export
tf_dgeom <- distribution_function("dgeom")

#' @rdname tf_distributions
#' @export
tf_pgeom <- distribution_function("pgeom")

#' @rdname tf_distributions
#' @export
tf_qgeom <- distribution_function("qgeom")

#' @rdname tf_distributions
#' @export
tf_rgeom <- distribution_function("rgeom")

#' @rdname tf_distributions
#' @export
tf_dnbinom <- distribution_function("dnbinom")

#' @rdname tf_distributions
#' @export
tf_pnbinom <- distribution_function("pnbinom")

#' @rdname tf_distributions
#' @export
tf_qnbinom <- distribution_function("qnbinom")

#' @rdname tf_distributions
#' @export
tf_rnbinom <- distribution_function("rnbinom")

#' @rdname tf_distributions
#' @export
tf_dhyper <- distribution_function("dhyper")

#' @rdname tf_distributions
#' @export
tf_phyper <- distribution_function("phyper")

#' @rdname tf_distributions
#' @export
tf_qhyper <- distribution_function("qhyper")

#' @rdname tf_distributions
#' @export
tf_rhyper <- distribution_function("rhyper")
