# Values that a gradient tape follows, and that become R numbers: their derivatives would be lost without a word.

# Called where values of a tensor that a running tape follows become R's. Warns, once for each function, where a
# function of base R or of this package takes them. The user's own as.array() and its relatives, printing, and results
# that are whole numbers, which have no derivative, are meant.
warn_of_lost_derivative <- function() {
  entry <- entry_of_conversion(sys.calls(), sys.parents(), sys.nframe() - 1L)
  if (is.null(entry) || entry %in% c(conversions, printing, whole_results) || exists(entry, warned_of)) {
    return(invisible())
  }
  assign(entry, TRUE, envir = warned_of)
  caution(
    entry, "() makes an R number of a tensor that a gradient tape follows: its derivative is lost. ",
    instead_of(entry), "Where a constant is meant, write as.array(x) or as.numeric(x) yourself."
  )
}

warned_of <- new.env(parent = emptyenv())

# The name of the outermost function, of base R, stats or this package, that led to a conversion; NULL where a user's
# function asked for it.
entry_of_conversion <- function(calls, parents, frame) {
  while (parents[[frame]] > 0L && is_ours(parents[[frame]])) frame <- parents[[frame]]
  of_lapply <- identical(as.list(calls[[frame]])[-1L][1L], list(quote(X[[i]])))
  if (of_lapply || called_by(calls[[frame]]) %in% c("FUN", "f")) {
    return(NULL) # as in lapply(tensors, as.array)
  }
  while (is_passed(parents[[frame]])) frame <- parents[[frame]]
  if (!in_graphics(frame)) called_by(calls[[frame]]) # which draws
}

called_by <- function(call) {
  f <- call[[1L]]
  if (is_call_to(f, c("::", ":::"))) f <- f[[3L]] # stats::sd(x)
  if (is.symbol(f)) sub("^[.]", "", sub(method_suffix, "", as.character(f)))
}

is_passed <- function(frame) {
  frame > 0L && (is_ours(frame) || in_base(frame) || in_stats(frame) || in_graphics(frame))
}

in_graphics <- function(frame) identical(environment(sys.function(frame)), asNamespace("grDevices"))

in_stats <- function(frame) identical(environment(sys.function(frame)), asNamespace("stats"))

conversions <- c(
  "as.array", "as.matrix", "as.vector", "as.double", "as.numeric", "as.integer", "as.logical", "as.raw", "as.complex",
  "as.character", "as.data.frame", "as.integer64", "as.list", "as.raster"
)

printing <- c(
  "print", "format", "formatC", "prettyNum", "format.default", "cat", "paste", "paste0", "sprintf", "toString",
  "message",
  "warning", "stop", "summary", "signalCondition", "print.default", "dput", "deparse", "writeLines", "complain",
  "plot", "hist", "boxplot", "barplot", "pie", "matplot", "pairs", "image", "contour", "persp", "stem", "qqnorm"
)

whole_results <- c(
  "order", "rank", "sort.list", "sort.int", "which", "which.max", "which.min", "cut", "duplicated", "anyDuplicated",
  "match",
  "table", "is.na", "anyNA", "all.equal", "identical", "is.element", "%in%", "findInterval", "tabulate", "nchar",
  "xtfrm",
  "seq_len", "seq_along", "seq", "rev", "factor", "as.factor", "split", "tapply", "isTRUE", "isFALSE"
)

# What keeps the derivative.
instead_of <- function(name) {
  there <- replacements[name]
  if (is.na(there)) "" else paste0("Write ", there, " to keep it. ")
}

replacements <- c(
  sd = "sd(x) after attach_verbs()", sweep = "sweep(x, MARGIN, STATS) after attach_verbs()",
  svd = "tf$linalg$svd(x)", La.svd = "tf$linalg$svd(x)",
  eigen = "tf$linalg$eigh(x)", qr = "tf$linalg$qr(x)", backsolve = "tf$linalg$triangular_solve(r, x, lower = FALSE)",
  forwardsolve = "tf$linalg$triangular_solve(l, x)", kronecker = "tf$experimental$numpy$kron(x, y)",
  norm = "tf$norm(x, ord = 2L, axis = c(-2L, -1L))", apply = "tf$map_fn(f, x)",
  sapply = "tf$map_fn(f, x)", vapply = "tf$map_fn(f, x)",
  lapply = "lapply(tf$unstack(x), f)", Reduce = "Reduce(f, tf$unstack(x))", Filter = "x[mask]",
  matrix = "tf$reshape(x, dims)", array = "tf$reshape(x, dims)", dist = "tf$norm(x[i, ] - x[j, ])",
  IQR = "diff(quantile(x, c(0.25, 0.75)))", mad = "median(abs(x - median(x)))", crossprod = "t(x) %*% y",
  outer = "tf$tensordot(x, y, 0L)", `%o%` = "tf$tensordot(x, y, 0L)",
  fft = "tf$signal$fft(x)", cor = "tf$linalg$matmul(z, z) of scaled columns",
  chol2inv = "tf$linalg$inv(x)", rowsum = "tf$math$segment_sum(x, group)", ave = "tf$math$segment_mean(x, group)",
  convolve = "tf$nn$conv1d(x, filters)", mahalanobis = "sum((x - m) * solve(s, x - m))", dnorm = "the formula itself"
)
