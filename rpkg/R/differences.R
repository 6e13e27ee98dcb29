#' Differences from the R package tensorflow
#'
#' Names and printed text are those of TensorFlow for R. In these places the
#' original is silently wrong, or lacks a method, and twinflow does better:
#'
#' | code | the original | here |
#' | --- | --- | --- |
#' | `as_tensor(1:3) * 0.5` | the double is cut to an integer | an error |
#' | `as_tensor(2L) == 2.5`, `as_tensor(2L) < 2.9` | the double is cut to an integer | computed |
#' | `tf$zeros(c(2, 3))`, `tf$gather(x, 1)`, `tf$reduce_sum(x, axis = 0)` | an error | whole doubles are integers |
#' | `sum(as_tensor(c(2147483647L, 1L)))`, `as_tensor(100000L)^2L` | wraps around | wider, with a warning |
#' | `as_tensor(2147483647L) + 1L`, and `-` and `*` | wraps around | wraps around, with a warning |
#' | `x[idx, ]`, `x[-c(1, 3), ]`, `x[c(TRUE, FALSE)]`, `m[m > 2]`, `m[cbind(i, j)]` | an error | as in base R |
#' | `x[1] <- 5` of a tensor | an error | a new tensor |
#' | `as_tensor(1:3, "uint8") + 300` | wraps around | an error |
#' | `as_tensor(3) * 1i` | the imaginary part is cut | an error |
#' | `as_tensor(3) ^ matrix(1:4, 2)` | the matrix loses its dims | a matrix |
#' | `as_tensor(shape(NA))` | a scalar | a vector, as of `shape(2)` |
#' | `x[3:1]`, `x[c(3, 2, 1)]`, `rev(x)`, `m[, 3:1]` | empty | reversed |
#' | `x[[1]]` | the second element | the first |
#' | `x[2:11]` of ten elements | nine elements | an error |
#' | `as_tensor(NA)`, `as_tensor(1:3) + NA` | `TRUE`, `2 3 4` | an error |
#' | `as_tensor(c(1L, NA))`, `as_tensor(c("a", NA))` | -2147483648, `"NA"` | an error |
#' | `tf$constant(c(TRUE, NA))`, `tf$constant(c(1L, NA))` | `TRUE TRUE`, -2147483648 | an error |
#' | `y <- if (x > 1) x` in a traced function | `NULL` | an error: it needs an `else` |
#' | `as_tensor(integer(0))` | float32 | int32 |
#' | `tf$int64$max` | -1 | 9.2e18 |
#' | `as_tensor(2^40, "int64")` | an error | 1099511627776 |
#' | `as.array()` of bfloat16 | a Python object | doubles |
#' | `mean(as_tensor(1:2))` | 1 | 1.5 |
#' | `as_tensor(c(1, 2)) + NA` | `2 3` | `NaN NaN`, which `as.array()` shows as missing |
#' | `sum(x, na.rm = TRUE)`, `mean(x, na.rm = TRUE)` | a warning or a crash | without the `NA`s, along axes too |
#' | `cbind(as_tensor(1:3), c(1.5, 2, 3))` | the doubles are cut to integers | an error without `dtype =` |
#' | `round(x, 2)` | an error | computed |
#' | `sort(as_tensor(c(3, NaN, 1)), decreasing = TRUE)` | `3 NaN 1` | `3 1 NaN` |
#' | `as_tensor(NA_integer_, "bool")` | `TRUE` | an error |
#' | `as_tensor(Inf, "float32")` | 3.4e38 | `Inf` |
#' | `as_tensor(as_tensor(5, "int64"), "float32")` | -9.2e18 | 5 |
#' | `as_tensor(1:6, "float32", c(2, 3))` | the shape is ignored | so it is, with a message |
#' | `v[v > 0] <- 0`, `v[c(3, 1)] <- 0` of a variable | an error | assigns to these elements |
#' | `is.na(x)`, `anyNA(x)` | nonsense | a bool tensor, `TRUE` or `FALSE` |
#' | `rbind(a = t1, b = t2)` | KeyError | the names are dropped |
#' | `v[1] <- 5` of a variable | TypeError | assigns to that part; 2.5 to an integer one is an error |
#' | `as.array()` of a tensor read by `readRDS()` | `NULL` | an error that says why |
#' | `tanh`, `trunc`, `signif`, `cumsum`, `gamma`, ... | an error | computed |
#' | `set_random_seed()` | hides the GPU | does not, unless asked |
#' | `unique`, `duplicated`, `diff`, `median`, `quantile`, `det`, `rep(each = )` | an error | computed |
#' | `solve(m)`, `chol(m)` | an R matrix | a tensor |
#' | `sum(x > 0)` | an error | how many are `TRUE` |
#' | `as.data.frame(m)` | an error | a data frame, up to rank 2 |
#' | `factor(x)`, `table(x)`, `mapply(f, x, y)` | an error | computed |
#' | `rowSums(m)`, `pmax(x, 0)`, `diag(m)`, `x %in% y`, `ifelse(b, x, 0)` | an error | tensors after `attach_verbs()` |
#' | `var(x)`, `cor(x, y)`, `which(x)`, `rank(x)`, `cat(x)` | an error | computed after `attach_verbs()` |
#' | `x %*% y`, `crossprod(x)` before R 4.3 and 4.4 | an error | products after `attach_verbs()` |
#' | `split(x, f)`, `subset(x, x > 0)`, `weighted.mean(x, w)` | an error | computed |
#' | `sinpi(x)`, `cospi(x)`, `tanpi(x)` at whole numbers | nearly right | exact |
#' | `sprintf("%.1f", x)` of five values | three strings | an error; five after `attach_verbs()` |
#'
#' Python's errors are R errors with classes that `tryCatch()` can name:
#' `twinflow_error`, and TensorFlow's such as `InvalidArgumentError`. With
#' `options(twinflow.backtrace = TRUE)` the message shows Python's backtrace.
#'
#' @name twinflow_differences
#' @examples
#' if (twinflow_available()) {
#'   tryCatch(as_tensor(1:3) * 0.5, twinflow_error = conditionMessage)
#' }
NULL
