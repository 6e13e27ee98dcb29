# What the arguments of this package's functions must be. Their names tell: each means the same everywhere.

# Stops where an argument of the function that calls is not of its kind. NULL passes where it is the default, and what
# is missing, of which R complains itself.
check_arguments <- function(env = parent.frame()) {
  defaults <- formals(sys.function(sys.parent()))
  for (name in intersect(names(defaults), names(kind_of_argument))) {
    if (!eval(call("missing", as.name(name)), env)) {
      check_argument(get(name, envir = env), name, is.null(defaults[[name]]))
    }
  }
}

check_argument <- function(x, name, null = FALSE) {
  kind <- argument_kinds[[kind_of_argument[[name]]]]
  if (!(null && is.null(x)) && !kind$passes(x)) {
    complain("`", name, "` must be ", kind$words, if (null) ", or NULL", x = it_is(x))
  }
}

# What a value is, for a bullet: itself where that is short, else its class.
it_is <- function(x) {
  short <- is.null(x) || is.atomic(x) && !is.object(x) && length(x) <= 6L
  paste("it is", if (short) deparse1(x) else paste("of class", class(x)[[1L]]))
}

# Objects of Python's pass nearly everywhere: tensors and variables are numbers, too.
is_count <- function(x, from = -Inf) {
  is_python(x) || is.numeric(x) && length(x) == 1L && !is.na(x) && x == trunc(x) && x >= from
}

is_container <- function(x) is_python(x) && !is_tensor(x)

argument_kinds <- list(
  dataset = list(words = "a dataset", passes = is_container),
  source = list(words = "a dataset or an iterator", passes = is_container),
  iterator = list(words = "an iterator", passes = is_container),
  datasets = list(
    words = "a list of datasets", passes = function(x) is.list(x) && length(x) > 0L && all(vapply(x, is_container, NA))
  ),
  size = list(words = "a whole number, 1 or more", passes = function(x) is_count(x, from = 1)),
  whole = list(words = "a whole number", passes = is_count),
  wholes = list(
    words = "whole numbers",
    passes = function(x) is_python(x) || is.numeric(x) && !anyNA(x) && all(x == trunc(x))
  ),
  numbers = list(
    words = "numbers", passes = function(x) is_python(x) || (is.numeric(x) || is.logical(x)) && !is.factor(x)
  ),
  weights = list(
    words = "numbers without NA", passes = function(x) is_python(x) || is.numeric(x) && length(x) > 0L && !anyNA(x)
  ),
  sparse = list(words = "a SparseTensor", passes = function(x) inherits(x, "twinflow_sparse")),
  data = list(
    words = "a vector, an array, a tensor, or a list or data frame of these",
    passes = function(x) !is.null(x) && (is_python(x) || !is.function(x)) && !(is.list(x) && !length(x))
  ),
  flag = list(words = "TRUE or FALSE", passes = function(x) is_python(x) || isTRUE(x) || isFALSE(x)),
  text = list(
    words = "a string", passes = function(x) is_python(x) || is.character(x) && length(x) == 1L && !is.na(x)
  ),
  columns = list(
    words = "names or numbers of columns",
    passes = function(x) is_python(x) || (is.character(x) || is.numeric(x)) && length(x) > 0L && !anyNA(x)
  ),
  files = list(
    words = "names of files", passes = function(x) is_python(x) || is.character(x) && length(x) > 0L && !anyNA(x)
  ),
  f = list(
    words = "a function or a formula", passes = function(x) is.function(x) || is_python(x) || inherits(x, "formula")
  )
)

kind_of_argument <- local({
  names <- list(
    dataset = c("dataset", "choice_dataset"),
    source = "object",
    iterator = "iterator",
    datasets = "datasets",
    size = c(
      "batch_size", "size", "shift", "stride", "block_length", "record_bytes", "num_shards", "num_parallel_batches",
      "window_size"
    ),
    whole = c(
      "from", "to", "by", "start", "index", "count", "buffer_size", "cycle_length", "header_bytes", "footer_bytes",
      "num_parallel_calls", "num_parallel_reads", "parallel_records", "num_epochs", "shuffle_buffer_size",
      "prefetch_buffer_size", "num_rows_for_inference", "seed", "shuffle_seed", "iter_max"
    ),
    wholes = c("bucket_boundaries", "bucket_batch_sizes"),
    weights = c("weights", "target_dist", "initial_dist"),
    sparse = "sparse_tensor",
    data = c("tensors", "initial_state", "data"),
    columns = c("column_names", "select_columns"),
    flag = c(
      "drop_remainder", "drop_last", "stop_on_empty_dataset", "deterministic", "reshuffle_each_iteration", "shuffle",
      "pad_to_bucket_boundary", "no_padding", "header", "use_quote_delim", "sloppy", "partial", "disable_gpu",
      "autograph", "verbose"
    ),
    text = c(
      "filename", "path", "name", "shared_name", "field_delim", "na_value", "compression_type", "label_name",
      "string_handle"
    ),
    files = c("filenames", "file_pattern"),
    f = c(
      "map_func", "predicate", "key_func", "reduce_func", "scan_func", "element_length_func", "class_func",
      "window_size_func", "reader_func", "shard_func"
    )
  )
  stats::setNames(rep(names(names), lengths(names)), unlist(names))
})
