#' Subset tensors and assign to parts of variables
#'
#' `x[i, j]` counts from 1 and includes both ends, as for R arrays: `x[1]`,
#' `x[2:4]`, `x[3:1]`. An empty index takes the whole dim. In addition:
#'
#' * a vector of numbers takes these elements, rows or columns, in any order: `x[idx, ]`,
#'   `x[order(x[, 1]), ]`; several negative ones drop them: `x[-c(2, 3), ]`;
#' * a logical vector or a bool tensor is a mask: `x[c(TRUE, FALSE), ]`, `x[x[, 1] > 0, ]`; without `NA`,
#'   and shorter ones are repeated if they fit a whole number of times;
#' * a single index may be a mask of the tensor's shape, `m[m > 2]`, which gives a vector in R's
#'   order, or a matrix with the indices of one element in each row, `m[cbind(i, j)]`;
#' * `x[1:9:2]` is start, stop and step; `x[9:1:2]` goes down. `NULL` or `NA` at either end leaves it
#'   open, as do `` x[`::2`] `` and `` x[`8:`] ``;
#' * one negative number counts from the end, as in Python (a warning says so once), and so do the ends
#'   of `x[-3:-1]`. To drop one element, write `x[seq_along(x) != i]`;
#' * `NULL` or `tf$newaxis` adds a dim, [all_dims()] stands for the dims that
#'   are not named;
#' * tensors of integers are used as they are, also as the ends of `a:b`: they count from 0, and the stop is excluded;
#' * `drop = FALSE` keeps a dim of length 1; only a single number drops its dim.
#'
#' `x[[i]]` is the i-th element along the first dim, from 1.
#'
#' `x[i] <- value` changes that part of a variable. Of a tensor it makes a new tensor, as R does of its vectors, and
#' derivatives go through it; so do `replace()` and other functions of R. `i` may be all of the above; `value`
#' broadcasts to the part. All of this has gradients and works in traced functions, also where sizes are not known.
#'
#' @param x a tensor or variable.
#' @param ... indices.
#' @param i a number.
#' @param value what to assign.
#' @param drop drop the dims that an index takes?
#' @param style `"R"` or `"python"`: see [tf_extract_opts()].
#' @param options a value of [tf_extract_opts()].
#' @return A tensor. Of a variable, a part that has `$assign()`.
#' @name extract
#' @examples
#' if (twinflow_available()) {
#'   m <- as_tensor(matrix(1:6, 2))
#'   m[, 2]
#'   m[2:1, 1:2]
#'   m[all_dims(), 3]
#'   m[, c(3, 1)]
#'   m[m > 2]
#'   m[m > 2] <- 0L
#'   m
#' }
NULL

#' @rdname extract
#' @export
`[.twinflow_tensor` <- function(x, ..., drop = TRUE, style = getOption("tensorflow.extract.style"),
                                options = extract_options(style)) {
  if (nargs() == 2L && missing(drop) && is_simple(substitute(list(...))) && is.null(style) && is_position(..1)) {
    return(call_python(bridge("extract"), x, list(..1), 8L + rules_now(), call = sys.call()))
  }
  call <- sys.call()
  check_flag(drop, "drop")
  items <- index_items(as.list(substitute(list(...)))[-1L], call, parent.frame(), options, function(i) ...elt(i))
  part <- call_python(bridge("extract"), x, items, rules_code(options) + 8L * drop, call = call)
  if (any_negative(items)) warn_once("warn_negatives_pythonic", negatives_text, options)
  part
}

#' @rdname extract
#' @export
`[<-.twinflow_tensor` <- function(x, ..., value) {
  call <- sys.call()
  call$value <- if (is_tensor(value)) quote(tensor) else value
  exprs <- as.list(substitute(list(...)))[-1L]
  options <- extract_options(getOption("tensorflow.extract.style"))
  items <- index_items(exprs, call, parent.frame(), options, function(i) ...elt(i))
  # replace() and ave() of R change a copy of their own.
  if (inherits(x, "twinflow.Variable") && environmentName(topenv(parent.frame())) %in% c("base", "stats", "utils")) {
    x <- tf$convert_to_tensor(x)
  }
  changed <- call_python(bridge("assign"), x, items, rules_code(options), operand(value), call = call)
  if (any_negative(items)) warn_once("warn_negatives_pythonic", negatives_text, options)
  if (is_tensor(changed)) changed else x
}

# x[i] with a number, or with the name of a value, that is no slice.
is_simple <- function(listed) {
  if (length(listed) != 2L || !is.null(names(listed)) || is_missing_index(listed[[2L]])) {
    return(FALSE)
  }
  expr <- listed[[2L]]
  is.double(expr) || is.integer(expr) || (is.symbol(expr) && is_plain_name(expr))
}

is_plain_name <- function(name) {
  name <- as.character(name)
  nzchar(name) && name != "..." && !grepl(":", name, fixed = TRUE)
}

is_position <- function(i) is.numeric(i) && length(i) == 1L && !is.object(i) && !is.na(i) && i > 0

# The rules of `[` as one number for the bridge: its bits are one_based, inclusive_stop,
# disallow_out_of_bounds and drop.
rules_code <- function(options) {
  if (!is.list(options) || !all(c("one_based", "inclusive_stop", "disallow_out_of_bounds") %in% names(options))) {
    complain("`options` must be a value of tf_extract_opts()", x = it_is(options))
  }
  as.integer(options$one_based + 2L * options$inclusive_stop + 4L * options$disallow_out_of_bounds)
}

rules_now <- function() {
  as.integer(
    getOption("tensorflow.extract.one_based", getOption("tensorflow.one_based_extract", TRUE)) +
      2L * getOption("tensorflow.extract.inclusive_stop", TRUE) +
      4L * getOption("tensorflow.extract.dissallow_out_of_bounds", TRUE)
  )
}

#' @rdname extract
#' @export
`[[.twinflow_tensor` <- function(x, i, ...) {
  if (...length()) {
    complain("x[[i]] takes one index, the position along the first dim; for one of several dims write x[i, j]")
  }
  if (is.character(i)) {
    complain("a tensor has no elements with names", x = paste("the index is", dQuote(i[[1L]], FALSE)),
      i = "x[[2]] is the second along the first dim, x$dtype an attribute")
  }
  call_python(bridge("element"), x, i, call = sys.call())
}

#' @rdname extract
#' @export
`[[<-.twinflow_tensor` <- function(x, i, value) {
  if (is.character(i)) {
    return(NextMethod())
  }
  x[i] <- value
  x
}

# Ragged tensors count from 1, too.
#' @export
`[.twinflow_ragged` <- `[.twinflow_tensor`

#' @export
`[[.twinflow_ragged` <- `[[.twinflow_tensor`

# The arguments of `[` in the form in which they cross to Python: numbers, list(start, stop, step),
# NULL for a new dim, Ellipsis, tensors.
index_items <- function(exprs, call, env, options, value_of) {
  if (!is.null(names(exprs)) && any(nzchar(names(exprs)))) {
    caution("names of indices are ignored")
  }
  items <- vector("list", length(exprs))
  for (i in seq_along(exprs)) {
    item <- if (is_syntax(exprs[[i]]) && !forwards_dots(call)) {
      as_they_are(index_syntax(exprs[[i]], env), options)
    } else if (is_missing_index(exprs[[i]]) || is_missing_argument(exprs[[i]], call, env)) {
      whole_dim
    } else {
      index_value(value_of(i), options, length(exprs) == 1L)
    }
    if (!is.null(item)) items[[i]] <- item
  }
  items
}

whole_dim <- list(NULL, NULL, NULL)

is_missing_index <- function(expr) identical(expr, quote(expr = ))

# Whether it names an argument that the function around was called without.
is_missing_argument <- function(expr, call, env) {
  is.symbol(expr) && !forwards_dots(call) && tryCatch(eval(base::call("missing", expr), env), error = function(e) FALSE)
}

# Whether the call itself says `...`, so that what we see was written in another frame.
forwards_dots <- function(call) any(vapply(as.list(call), identical, NA, quote(...)))

# a:b, and names such as `::2`, are read as slices; anything else is evaluated.
is_syntax <- function(expr) {
  is_colon(expr) || (is.symbol(expr) && grepl(":", as.character(expr), fixed = TRUE))
}

index_syntax <- function(expr, env) {
  if (is_colon(expr)) {
    return(slice_parts(colon_parts(expr), env))
  }
  parts <- strsplit(paste0(as.character(expr), " "), ":", fixed = TRUE)[[1L]]
  slice_parts(lapply(parts, part_of_name), env)
}

is_colon <- function(expr) is.call(expr) && identical(expr[[1L]], quote(`:`)) && length(expr) == 3L

# a:b and a:b:c as the list of their parts.
colon_parts <- function(expr) {
  if (is_colon(expr[[2L]])) c(as.list(expr[[2L]])[-1L], expr[[3L]]) else as.list(expr)[-1L]
}

part_of_name <- function(part) str2lang(if (nzchar(trimws(part))) part else "NULL")

slice_parts <- function(parts, env) {
  out <- vector("list", 3L)
  for (i in seq_along(parts)) {
    part <- eval(parts[[i]], env)
    if (is.null(part) || (!is_python(part) && is.na(part[[1L]]))) next
    out[[i]] <- if (is_tensor(part)) part else if (is_python(part)) as.integer(part) else as.numeric(part)
  }
  out
}

# A slice, with the warning that its tensors deserve.
as_they_are <- function(slice, options) {
  if (any(vapply(slice, is_tensor, NA))) warn_once("warn_tensors_passed_asis", as_is_text, options)
  slice
}

index_value <- function(value, options, alone = FALSE) {
  if (is_tensor(value)) {
    is_mask <- !isTRUE(options$warn_tensors_passed_asis) || value$dtype$name == "bool"
    if (!is_mask) warn_once("warn_tensors_passed_asis", as_is_text, options)
    return(value)
  }
  if (is.null(value) || is_python(value)) {
    return(value)
  }
  if (inherits(value, "integer64")) value <- bare_numbers(value)
  refuse_bad_index(value)
  if (length(dim(value)) > 1L) {
    return(index_matrix(value, alone))
  }
  if (is.logical(value)) {
    return(array(value)) # a mask
  }
  if (length(value) == 1L) {
    return(value[1L]) # of array(1), the number
  }
  if (length(value)) number_or_sequence(as.numeric(value), options) else list() # x[integer()] is empty
}

bare_numbers <- function(x) {
  dims <- dim(x)
  x <- as.numeric(x)
  dim(x) <- dims
  x
}

refuse_bad_index <- function(value) {
  if (is.function(value)) complain("a tensor cannot be indexed with a function")
  if (is.factor(value)) complain("a tensor cannot be indexed with a factor; as.integer(f) numbers its levels")
  if (!is.numeric(value) && !is.logical(value)) {
    complain(
      "a tensor cannot be indexed with a value of type ", typeof(value),
      i = "Indices are numbers, or logical vectors."
    )
  }
  if (anyNA(value)) complain("a tensor cannot be indexed with NA; which(i) leaves missing values out of a mask")
  if (any(is.infinite(value))) complain("an index must be one finite number, not Inf, or a vector of such numbers")
}

index_matrix <- function(value, alone) {
  if (!alone) complain("among several indices each one is a number or a vector, not a matrix or an array")
  value
}

# What slices cannot take crosses as an array: several negative numbers, which drop, and numbers in any order.
number_or_sequence <- function(value, options) {
  steps <- unique(diff(value))
  if (length(steps) != 1L || steps == 0 || any(value < options$one_based)) {
    return(array(value))
  }
  list(value[[1L]], value[[length(value)]] + sign(steps) * !options$inclusive_stop, steps)
}

negatives_text <- paste0(
  "Negative numbers count from the end when subsetting tensors, as in Python: x[-1] is the last element. ",
  "Several in a vector, x[-c(2, 3)], drop elements; to drop one, write x[seq_along(x) != i]. ",
  "See ?extract. To turn off this warning, set options(tensorflow.extract.warn_negatives_pythonic = FALSE)"
)

as_is_text <- paste0(
  "Tensors used as indices are passed as they are: they count from 0; the options one_based and ",
  "inclusive_stop are ignored. To turn off this warning, set ",
  "options(tensorflow.extract.warn_tensors_passed_asis = FALSE)"
)

any_negative <- function(items) {
  for (item in items) {
    ends <- if (is.list(item)) item[1:2] else list(item)
    if (any(vapply(ends, function(end) is.numeric(end) && is.null(dim(end)) && any(end < 0), NA))) {
      return(TRUE)
    }
  }
  FALSE
}

# Warns and switches the option off for the rest of the session.
warn_once <- function(what, text, options) {
  if (isTRUE(options[[what]])) {
    off <- list(FALSE)
    names(off) <- paste0("tensorflow.extract.", what)
    options(off)
    caution(text)
  }
}

#' Options for subsetting tensors
#'
#' Each option can be given here or by `options(tensorflow.extract.<name> = )`.
#'
#' @param style `"python"` counts from 0, leaves the stop out and checks no
#'   bounds, whatever the options say; with `"R"` nothing is warned of; `NULL` takes the
#'   options one by one.
#' @param ... ignored, with a warning.
#' @param one_based count from 1?
#' @param inclusive_stop does `a:b` include b?
#' @param disallow_out_of_bounds is an index past the end an error? The option
#'   is spelled `tensorflow.extract.dissallow_out_of_bounds`, as in the original.
#' @param warn_tensors_passed_asis,warn_negatives_pythonic warn, once?
#' @return A list of class `tf_extract_options`.
#' @export
#' @examples
#' tf_extract_opts("python")
tf_extract_opts <- function(style = getOption("tensorflow.extract.style"),
                            ...,
                            one_based = extract_option("one_based", getOption("tensorflow.one_based_extract", TRUE)),
                            inclusive_stop = extract_option("inclusive_stop"),
                            disallow_out_of_bounds = extract_option("dissallow_out_of_bounds"),
                            warn_tensors_passed_asis = extract_option("warn_tensors_passed_asis"),
                            warn_negatives_pythonic = extract_option("warn_negatives_pythonic")) {
  if (...length()) caution("tf_extract_opts() ignores what it has no name for")
  options <- list(
    one_based = one_based, inclusive_stop = inclusive_stop,
    disallow_out_of_bounds = disallow_out_of_bounds,
    warn_tensors_passed_asis = warn_tensors_passed_asis,
    warn_negatives_pythonic = warn_negatives_pythonic
  )
  Map(check_flag, options, names(options))
  if (!is.null(style)) {
    if (!isTRUE(style %in% c("R", "python"))) complain("`style` must be \"R\" or \"python\", or NULL", x = it_is(style))
    in_r <- style == "R"
    options[if (in_r) c("warn_tensors_passed_asis", "warn_negatives_pythonic") else names(options)] <- FALSE
  }
  structure(options, class = "tf_extract_options")
}

# tf_extract_opts(style), by a shorter way where the options are taken one by one.
extract_options <- function(style) {
  if (!is.null(style)) {
    return(tf_extract_opts(style))
  }
  list(
    one_based = getOption("tensorflow.extract.one_based", getOption("tensorflow.one_based_extract", TRUE)),
    inclusive_stop = getOption("tensorflow.extract.inclusive_stop", TRUE),
    disallow_out_of_bounds = getOption("tensorflow.extract.dissallow_out_of_bounds", TRUE),
    warn_tensors_passed_asis = getOption("tensorflow.extract.warn_tensors_passed_asis", TRUE),
    warn_negatives_pythonic = getOption("tensorflow.extract.warn_negatives_pythonic", TRUE)
  )
}

extract_option <- function(name, default = TRUE) {
  getOption(paste0("tensorflow.extract.", name), default)
}

#' Index all remaining dims of a tensor
#'
#' `x[all_dims(), 1]` takes all dims as a whole but the last one, like `...` in Python.
#'
#' @return Python's Ellipsis.
#' @export
#' @examples
#' if (twinflow_available()) {
#'   x <- as_tensor(array(1:24, c(2, 3, 4)))
#'   x[all_dims(), 1]
#' }
all_dims <- function() {
  reticulate::py_ellipsis()
}
