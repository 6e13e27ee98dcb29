# Datasets: the verbs of the R package tfdatasets over `tf$data`. Each is one call of the core.

#' Create datasets from tensors, files and generators
#'
#' A dataset yields its elements one by one. An element is a tensor, a list of tensors (a tuple in Python) or a named
#' list of tensors (a dictionary). These functions create datasets from values and from files.
#'
#' @param tensors a tensor, an R value, a data frame (a list of its columns), or a list of those, with names or without.
#'   Vectors of doubles become float32 tensors as in Python, arrays float64 ones.
#' @param sparse_tensor a SparseTensor of rank 2 or more.
#' @param from,to,by the first number, the number before which the range ends, and the step.
#' @param dtype a dtype.
#' @param filenames file names: a character vector, a tensor, or a dataset of strings.
#' @param compression_type `"GZIP"`, `"ZLIB"` or `NULL`.
#' @param buffer_size the size of the read buffer in bytes; has no effect.
#' @param num_parallel_reads,parallel_records how many files are read in turn; one after the other if `NULL`.
#' @param record_bytes,header_bytes,footer_bytes the sizes of a record, of the start of a file that is skipped, and of
#'   the end that is ignored.
#' @param file_pattern a glob pattern, or several of them.
#' @param shuffle shuffle the names anew in each iteration?
#' @param seed a random seed.
#' @param batch_size the number of rows in an element.
#' @param column_names,column_defaults,label_name,select_columns,field_delim,use_quote_delim,na_value,header as in
#'   `tf$data$experimental$make_csv_dataset()`.
#' @param num_epochs how often the rows are repeated; forever if `NULL`.
#' @param shuffle_buffer_size,shuffle_seed the buffer and the seed with which rows are shuffled.
#' @param prefetch_buffer_size how many batches are prepared ahead.
#' @param sloppy may rows of several files come in any order?
#' @param num_rows_for_inference how many rows decide about the types of columns.
#' @param ... further arguments of the core.
#' @return A dataset.
#' @name dataset-sources
#' @examples
#' if (twinflow_available()) {
#'   dataset_collect(range_dataset(1, 4))
#'   dataset <- tensor_slices_dataset(list(x = matrix(1:6, 3), y = c("a", "b", "c")))
#'   dataset_collect(dataset)[[2]]$y
#' }
NULL

#' @rdname dataset-sources
#' @export
tensors_dataset <- function(tensors) {
  check_arguments()
  tf$data$Dataset$from_tensors(as_element(tensors))
}

#' @rdname dataset-sources
#' @export
tensor_slices_dataset <- function(tensors) {
  check_arguments()
  tf$data$Dataset$from_tensor_slices(as_element(tensors, rows = TRUE))
}

#' @rdname dataset-sources
#' @export
sparse_tensor_slices_dataset <- function(sparse_tensor) {
  check_arguments()
  tf$compat$v1$data$Dataset$from_sparse_tensor_slices(sparse_tensor)
}

#' @rdname dataset-sources
#' @export
range_dataset <- function(from = 0, to = 0, by = 1, ..., dtype = "int64") {
  check_arguments()
  tf$data$Dataset$range(whole(from), whole(to), whole(by), output_type = tf$as_dtype(dtype), ...)
}

#' @rdname dataset-sources
#' @export
text_line_dataset <- function(filenames, compression_type = NULL, parallel_records = NULL) {
  check_arguments()
  tf$data$TextLineDataset(file_names(filenames), compression_type, num_parallel_reads = whole(parallel_records))
}

#' @rdname dataset-sources
#' @export
tfrecord_dataset <- function(filenames, compression_type = NULL, buffer_size = NULL, num_parallel_reads = NULL) {
  check_arguments()
  tf$data$TFRecordDataset(file_names(filenames), compression_type, whole(buffer_size), whole(num_parallel_reads))
}

#' @rdname dataset-sources
#' @export
fixed_length_record_dataset <- function(filenames, record_bytes, header_bytes = NULL, footer_bytes = NULL,
                                        buffer_size = NULL) {
  check_arguments()
  tf$data$FixedLengthRecordDataset(
    file_names(filenames), whole(record_bytes), whole(header_bytes), whole(footer_bytes), whole(buffer_size)
  )
}

#' @rdname dataset-sources
#' @export
file_list_dataset <- function(file_pattern, shuffle = NULL, seed = NULL) {
  check_arguments()
  tf$data$Dataset$list_files(file_names(file_pattern), shuffle, whole(seed))
}

#' @rdname dataset-sources
#' @export
make_csv_dataset <- function(file_pattern, batch_size, column_names = NULL, column_defaults = NULL, label_name = NULL,
                             select_columns = NULL, field_delim = ",", use_quote_delim = TRUE, na_value = "",
                             header = TRUE, num_epochs = NULL, shuffle = TRUE, shuffle_buffer_size = 10000,
                             shuffle_seed = NULL, prefetch_buffer_size = 1, num_parallel_reads = 1, sloppy = FALSE,
                             num_rows_for_inference = 100) {
  check_arguments()
  tf$data$experimental$make_csv_dataset(
    file_pattern = as.list(file_pattern), batch_size = whole(batch_size),
    column_names = if (!is.null(column_names)) as.list(column_names),
    column_defaults = if (!is.null(column_defaults)) as.list(column_defaults),
    label_name = label_name, select_columns = if (!is.null(select_columns)) columns_argument(select_columns),
    field_delim = field_delim, use_quote_delim = use_quote_delim, na_value = na_value, header = header,
    num_epochs = whole(num_epochs), shuffle = shuffle, shuffle_buffer_size = whole(shuffle_buffer_size),
    shuffle_seed = whole(shuffle_seed), prefetch_buffer_size = whole(prefetch_buffer_size),
    num_parallel_reads = whole(num_parallel_reads), sloppy = sloppy,
    num_rows_for_inference = whole(num_rows_for_inference)
  )
}

# Columns by name, or by number from 1.
columns_argument <- function(columns) {
  if (is.numeric(columns)) columns <- as.integer(columns) - 1L
  as.list(columns)
}

#' Zip, concatenate and sample datasets
#'
#' @param ... datasets, or one list of datasets; with names, the elements are lists with these names.
#' @param datasets a list of datasets whose elements have the same types.
#' @param weights a vector of probabilities, or a dataset of such vectors; equal ones if `NULL`.
#' @param seed a random seed.
#' @param stop_on_empty_dataset end with the first dataset that ends? If not, it is skipped.
#' @param choice_dataset a dataset of int64 scalars: the numbers of datasets, from 0.
#' @return A dataset.
#' @name datasets-of-datasets
#' @examples
#' if (twinflow_available()) {
#'   dataset_collect(zip_datasets(range_dataset(0, 2), range_dataset(5, 7)))
#' }
NULL

#' @rdname datasets-of-datasets
#' @export
zip_datasets <- function(...) {
  datasets <- list(...)
  if (length(datasets) == 1L && is.list(datasets[[1L]]) && !is_python(datasets[[1L]])) datasets <- datasets[[1L]]
  tf$data$Dataset$zip(as_structure(datasets))
}

#' @rdname datasets-of-datasets
#' @export
sample_from_datasets <- function(datasets, weights = NULL, seed = NULL, stop_on_empty_dataset = TRUE) {
  check_arguments()
  if (is.numeric(weights)) weights <- as.list(weights)
  tf$data$Dataset$sample_from_datasets(datasets, weights, whole(seed), stop_on_empty_dataset)
}

#' @rdname datasets-of-datasets
#' @export
choose_from_datasets <- function(datasets, choice_dataset, stop_on_empty_dataset = TRUE) {
  check_arguments()
  tf$data$Dataset$choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)
}

#' Map, batch, shuffle and other transformations of datasets
#'
#' Each function takes a dataset and returns another one; nothing is computed before the elements are asked for. The
#' functions that are given to them are traced once, as by [tf_function()]: where a tensor decides, `if`, `while` and
#' `for` become operations. The components of an element without names are separate arguments, one with names is one
#' list. A formula is a function of `.x` (also `.`) and `.y`: `~ .x + 1`. A list that they return is an element with
#' several components.
#'
#' @param dataset a dataset.
#' @param map_func a function of an element; that of `dataset_flat_map()` and `dataset_interleave()` returns a dataset.
#' @param predicate a function of an element that returns a bool scalar.
#' @param num_parallel_calls how many elements are computed at the same time; `tf$data$AUTOTUNE` for what the machine
#'   has.
#' @param deterministic if `FALSE`, parallel calls may yield elements in another order.
#' @param num_parallel_batches how many batches are computed at the same time.
#' @param batch_size the number of elements in a batch.
#' @param drop_remainder drop a last batch that has fewer elements?
#' @param padded_shapes the shape of each component in a batch; that of the largest element if `NULL`.
#' @param padding_values the value with which each component is padded; 0 and `""` if `NULL`.
#' @param buffer_size the number of elements in the buffer; for `dataset_prefetch()` that of elements prepared ahead.
#' @param seed a random seed.
#' @param reshuffle_each_iteration shuffle anew in each iteration?
#' @param count the number of repetitions, of elements to take or to skip; `NULL` or -1 for all.
#' @param cycle_length,block_length how many datasets are read in turn, and how many elements of each.
#' @param filename where elements are cached; in memory if `NULL`.
#' @param ... further datasets, or options by name.
#' @param num_shards,index the number of parts, and the number of this one, from 0.
#' @param size,shift,stride the number of elements in a window, of those between the starts of windows, and between
#'   elements in a window.
#' @param iter_max the largest number of elements.
#' @param initial_state the first state: a value or a list of values.
#' @param reduce_func a function of the state and an element that returns the next state; that of
#'   `dataset_group_by_window()` takes a key and a dataset and returns a dataset.
#' @param scan_func a function of the state and an element that returns a list of the next state and a result.
#' @param start the number of the first element, 1 by default.
#' @param element_length_func a function of an element that returns its length, an int32 scalar.
#' @param bucket_boundaries the lengths at which the following bucket begins.
#' @param bucket_batch_sizes the batch size of each bucket, one more than boundaries.
#' @param pad_to_bucket_boundary pad to the length of the bucket rather than to that of the longest element?
#' @param no_padding make batches without padding?
#' @param class_func a function of an element that returns its class, an int32 scalar.
#' @param target_dist,initial_dist probabilities of classes: wanted ones, and those that there are.
#' @param key_func a function of an element that returns a key, an int64 scalar.
#' @param window_size,window_size_func the number of elements of a key that are combined, or a function of the key.
#' @param path a folder.
#' @param compression `"AUTO"`, `"GZIP"`, `"SNAPPY"` or `"NONE"`.
#' @param shard_func a function of an element that returns the number of a file.
#' @param reader_func a function of a dataset of datasets that returns a dataset.
#' @param name a name.
#' @return A dataset; of `dataset_reduce()` the last state, of `dataset_collect()` a list of elements.
#' @name dataset-transformations
#' @examples
#' if (twinflow_available()) {
#'   numbers <- range_dataset(0, 10)
#'   even <- dataset_filter(numbers, function(x) x %% 2L == 0L)
#'   dataset_collect(dataset_map(even, ~ .x * 10L))
#'   as.integer(dataset_reduce(numbers, as_tensor(0, "int64"), function(total, x) total + x))
#' }
NULL

#' @rdname dataset-transformations
#' @export
dataset_map <- function(dataset, map_func, num_parallel_calls = NULL, deterministic = NULL) {
  check_arguments()
  dataset$map(element_function(map_func), whole(num_parallel_calls), deterministic)
}

#' @rdname dataset-transformations
#' @export
dataset_map_and_batch <- function(dataset, map_func, batch_size, num_parallel_batches = NULL, drop_remainder = FALSE,
                                  num_parallel_calls = NULL) {
  check_arguments()
  calls <- whole(num_parallel_calls)
  if (is.null(calls) && !is.null(num_parallel_batches)) calls <- whole(batch_size) * whole(num_parallel_batches)
  dataset$map(element_function(map_func), calls)$batch(whole(batch_size), drop_remainder)
}

#' @rdname dataset-transformations
#' @export
dataset_filter <- function(dataset, predicate) {
  check_arguments()
  dataset$filter(element_function(predicate))
}

#' @rdname dataset-transformations
#' @export
dataset_flat_map <- function(dataset, map_func) {
  check_arguments()
  dataset$flat_map(element_function(map_func))
}

#' @rdname dataset-transformations
#' @export
dataset_interleave <- function(dataset, map_func, cycle_length, block_length = 1, num_parallel_calls = NULL) {
  check_arguments()
  dataset$interleave(
    element_function(map_func), whole(cycle_length), whole(block_length), whole(num_parallel_calls)
  )
}

#' @rdname dataset-transformations
#' @export
dataset_batch <- function(dataset, batch_size, drop_remainder = FALSE, num_parallel_calls = NULL,
                          deterministic = NULL) {
  check_arguments()
  dataset$batch(whole(batch_size), drop_remainder, whole(num_parallel_calls), deterministic)
}

#' @rdname dataset-transformations
#' @export
dataset_padded_batch <- function(dataset, batch_size, padded_shapes = NULL, padding_values = NULL,
                                 drop_remainder = FALSE, name = NULL) {
  check_arguments()
  dataset$padded_batch(
    whole(batch_size), shapes_argument(padded_shapes), as_structure(padding_values), drop_remainder, name
  )
}

#' @rdname dataset-transformations
#' @export
dataset_unbatch <- function(dataset, name = NULL) {
  check_arguments()
  dataset$unbatch(name = name)
}

#' @rdname dataset-transformations
#' @export
dataset_rebatch <- function(dataset, batch_size, drop_remainder = FALSE, name = NULL) {
  check_arguments()
  dataset$rebatch(whole(batch_size), drop_remainder, name = name)
}

#' @rdname dataset-transformations
#' @export
dataset_shuffle <- function(dataset, buffer_size, seed = NULL, reshuffle_each_iteration = NULL) {
  check_arguments()
  dataset$shuffle(whole(buffer_size), whole(seed), reshuffle_each_iteration)
}

#' @rdname dataset-transformations
#' @export
dataset_repeat <- function(dataset, count = NULL) {
  check_arguments()
  dataset$`repeat`(whole(count))
}

#' @rdname dataset-transformations
#' @export
dataset_shuffle_and_repeat <- function(dataset, buffer_size, count = NULL, seed = NULL) {
  check_arguments()
  dataset$shuffle(whole(buffer_size), whole(seed))$`repeat`(whole(count))
}

#' @rdname dataset-transformations
#' @export
dataset_take <- function(dataset, count) {
  check_arguments()
  dataset$take(whole(count))
}

#' @rdname dataset-transformations
#' @export
dataset_take_while <- function(dataset, predicate, name = NULL) {
  check_arguments()
  dataset$take_while(element_function(predicate), name = name)
}

#' @rdname dataset-transformations
#' @export
dataset_skip <- function(dataset, count) {
  check_arguments()
  dataset$skip(whole(count))
}

#' @rdname dataset-transformations
#' @export
dataset_prefetch <- function(dataset, buffer_size = tf$data$AUTOTUNE) {
  check_arguments()
  dataset$prefetch(whole(buffer_size))
}

#' @rdname dataset-transformations
#' @export
dataset_cache <- function(dataset, filename = NULL) {
  check_arguments()
  dataset$cache(if (is.null(filename)) "" else path.expand(filename))
}

#' @rdname dataset-transformations
#' @export
dataset_concatenate <- function(dataset, ...) {
  check_arguments()
  for (other in list(...)) dataset <- dataset$concatenate(other)
  dataset
}

#' @rdname dataset-transformations
#' @export
dataset_shard <- function(dataset, num_shards, index) {
  check_arguments()
  dataset$shard(whole(num_shards), whole(index))
}

#' @rdname dataset-transformations
#' @export
dataset_window <- function(dataset, size, shift = NULL, stride = 1, drop_remainder = FALSE) {
  check_arguments()
  dataset$window(whole(size), whole(shift), whole(stride), drop_remainder)
}

#' @rdname dataset-transformations
#' @export
dataset_enumerate <- function(dataset, start = 1L) {
  check_arguments()
  dataset$enumerate(whole(start))
}

#' @rdname dataset-transformations
#' @export
dataset_scan <- function(dataset, initial_state, scan_func) {
  check_arguments()
  dataset$scan(as_element(initial_state), element_function(scan_func))
}

#' @rdname dataset-transformations
#' @export
dataset_reduce <- function(dataset, initial_state, reduce_func) {
  check_arguments()
  dataset$reduce(as_element(initial_state), element_function(reduce_func))
}

#' @rdname dataset-transformations
#' @export
dataset_unique <- function(dataset, name = NULL) {
  check_arguments()
  dataset$unique(name = name)
}

#' @rdname dataset-transformations
#' @export
dataset_group_by_window <- function(dataset, key_func, reduce_func, window_size = NULL, window_size_func = NULL,
                                    name = NULL) {
  check_arguments()
  dataset$group_by_window(
    element_function(key_func), element_function(reduce_func), whole(window_size),
    if (!is.null(window_size_func)) element_function(window_size_func), name
  )
}

#' @rdname dataset-transformations
#' @export
dataset_bucket_by_sequence_length <- function( # nolint: object_length_linter.
    dataset, element_length_func, bucket_boundaries, bucket_batch_sizes, padded_shapes = NULL, padding_values = NULL,
    pad_to_bucket_boundary = FALSE, no_padding = FALSE, drop_remainder = FALSE, name = NULL) {
  check_arguments()
  dataset$bucket_by_sequence_length(
    element_function(element_length_func), as.list(whole(bucket_boundaries)), as.list(whole(bucket_batch_sizes)),
    shapes_argument(padded_shapes), as_structure(padding_values), pad_to_bucket_boundary, no_padding, drop_remainder,
    name
  )
}

#' @rdname dataset-transformations
#' @export
dataset_rejection_resample <- function(dataset, class_func, target_dist, initial_dist = NULL, seed = NULL,
                                       name = NULL) {
  check_arguments()
  dataset$rejection_resample(
    element_function(class_func), as_tensor(target_dist, "float32"),
    if (!is.null(initial_dist)) as_tensor(initial_dist, "float32"), whole(seed), name
  )
}

#' @rdname dataset-transformations
#' @export
dataset_snapshot <- function(dataset, path, compression = c("AUTO", "GZIP", "SNAPPY", "NONE"), reader_func = NULL,
                             shard_func = NULL) {
  check_arguments()
  dataset$snapshot(
    path.expand(path), match.arg(compression), if (!is.null(reader_func)) element_function(reader_func),
    if (!is.null(shard_func)) element_function(shard_func)
  )
}

#' @rdname dataset-transformations
#' @export
dataset_options <- function(dataset, ...) {
  check_arguments()
  given <- list(...)
  if (length(given) == 1L && is.null(names(given))) {
    return(dataset$with_options(given[[1L]]))
  }
  options <- tf$data$Options()
  for (name in names(given)) {
    parts <- strsplit(name, "[.$]")[[1L]]
    owner <- Reduce(function(object, part) reticulate::py_get_attr(object, part), parts[-length(parts)], options)
    reticulate::py_set_attr(owner, parts[[length(parts)]], given[[name]])
  }
  dataset$with_options(options)
}

#' @rdname dataset-transformations
#' @export
dataset_collect <- function(dataset, iter_max = Inf) {
  check_arguments()
  iterator <- reticulate::as_iterator(dataset)
  elements <- list()
  while (length(elements) < iter_max) {
    element <- reticulate::iter_next(iterator, completed = end_of_dataset)
    if (identical(element, end_of_dataset)) break
    elements[[length(elements) + 1L]] <- element
  }
  elements
}

end_of_dataset <- structure(list(), class = "twinflow_end_of_dataset")

#' Iterate over datasets and collect their elements
#'
#' `as_iterator()` and `iter_next()` of the package reticulate give the elements one by one; `iter_next()` returns
#' `NULL` at the end. `as_array_iterator()` gives R values instead of tensors. The other functions are for graphs of
#' TensorFlow 1, where a session takes the elements: `until_out_of_range()` evaluates an expression repeatedly up to the
#' end.
#'
#' @param dataset a dataset.
#' @param iterator an iterator.
#' @param object a dataset or an iterator.
#' @param x a dataset.
#' @param shared_name a name under which iterators share their position.
#' @param output_types,output_shapes the dtypes and shapes of an element, in a list where it has several components.
#' @param string_handle a string of `iterator_string_handle()`, or a placeholder for it.
#' @param name a name.
#' @param expr an expression that takes the next element.
#' @param e a condition.
#' @return An iterator; an element; an operation; the types or shapes of an element. `length()` of a dataset is the
#'   number of its elements, `Inf` or `NA` where there is none or it is not known.
#' @name dataset-iterators
#' @examples
#' if (twinflow_available()) {
#'   iterator <- as_iterator(range_dataset(0, 2))
#'   while (!is.null(x <- iter_next(iterator))) print(x)
#'   length(range_dataset(0, 5))
#' }
NULL

#' @rdname dataset-iterators
#' @export
as_array_iterator <- function(dataset) {
  check_arguments()
  reticulate::as_iterator(dataset$as_numpy_iterator())
}

#' @rdname dataset-iterators
#' @export
make_iterator_one_shot <- function(dataset) {
  check_arguments()
  tf$compat$v1$data$make_one_shot_iterator(dataset)
}

#' @rdname dataset-iterators
#' @export
make_iterator_initializable <- function(dataset, shared_name = NULL) {
  check_arguments()
  tf$compat$v1$data$make_initializable_iterator(dataset, shared_name)
}

#' @rdname dataset-iterators
#' @export
make_iterator_from_structure <- function(output_types, output_shapes = NULL, shared_name = NULL) {
  check_arguments()
  tf$compat$v1$data$Iterator$from_structure(as_structure(output_types), shapes_argument(output_shapes), shared_name)
}

#' @rdname dataset-iterators
#' @export
make_iterator_from_string_handle <- function( # nolint: object_length_linter.
    string_handle, output_types, output_shapes = NULL) {
  tf$compat$v1$data$Iterator$from_string_handle(
    string_handle, as_structure(output_types), shapes_argument(output_shapes)
  )
}

#' @rdname dataset-iterators
#' @export
iterator_get_next <- function(iterator, name = NULL) {
  check_arguments()
  if (is.null(name)) iterator$get_next() else iterator$get_next(name = name)
}

#' @rdname dataset-iterators
#' @export
iterator_initializer <- function(iterator) {
  check_arguments()
  iterator$initializer
}

#' @rdname dataset-iterators
#' @export
iterator_make_initializer <- function(iterator, dataset, name = NULL) {
  check_arguments()
  iterator$make_initializer(dataset, name)
}

#' @rdname dataset-iterators
#' @export
iterator_string_handle <- function(iterator, name = NULL) {
  check_arguments()
  iterator$string_handle(name)
}

#' @rdname dataset-iterators
#' @export
until_out_of_range <- function(expr) {
  expr <- substitute(expr)
  env <- parent.frame()
  tryCatch(repeat eval(expr, env), error = out_of_range_handler)
  invisible(NULL)
}

#' @rdname dataset-iterators
#' @export
out_of_range_handler <- function(e) {
  ends <- c("OutOfRangeError", "python.builtin.StopIteration")
  if (!inherits(e, ends)) stop(e)
  invisible(NULL)
}

#' @rdname dataset-iterators
#' @export
output_types <- function(object) {
  check_arguments()
  tf$compat$v1$data$get_output_types(object)
}

#' @rdname dataset-iterators
#' @export
output_shapes <- function(object) {
  check_arguments()
  tf$compat$v1$data$get_output_shapes(object)
}

#' @rdname dataset-iterators
#' @export
length.twinflow_dataset <- function(x) {
  count <- as.numeric(as.array(x$cardinality()))
  if (count == -1) Inf else if (count == -2) NA_integer_ else if (count < 2^31) as.integer(count) else count
}

# A whole number, or several, as Python wants it; tensors and NULL pass.
whole <- function(x) {
  if (is.null(x) || is_tensor(x) || is_python(x)) {
    return(x)
  }
  if (any(abs(x) > .Machine$integer.max)) tf$constant(x, "int64") else as.integer(x)
}

file_names <- function(x) {
  if (is.character(x)) as_tensor(path.expand(x), "string") else x
}

# Lists as tuples and dictionaries of Python's: a list of Python's would be one tensor.
as_structure <- function(x, leaf = identity) {
  if (is.data.frame(x)) x <- as.list(x)
  if (!is.list(x) || is.object(x)) {
    return(leaf(x))
  }
  parts <- lapply(x, as_structure, leaf)
  if (is.null(names(parts))) do.call(reticulate::tuple, unname(parts)) else do.call(reticulate::dict, parts)
}

# The value of an element, with tensors for R's vectors; vectors of one value keep their dim where rows are taken.
as_element <- function(x, rows = FALSE) {
  as_structure(x, function(value) {
    if (is.null(value) || is_python(value) || is.function(value)) value else as_component(value, rows)
  })
}

as_component <- function(value, rows) {
  is_vector <- is.null(dim(value))
  dtype <- if (is_vector && is.double(value) && !is.object(value)) "float32"
  as_tensor(value, dtype, shape = if (rows && is_vector && length(value) == 1L) 1L)
}

# Shapes as a structure of `tf$TensorShape`; NA is an unknown size.
shapes_argument <- function(x) {
  if (is.null(x)) {
    return(NULL)
  }
  as_structure(x, function(value) {
    if (is_python(value)) {
      return(value)
    }
    tf$TensorShape(null_for_na(flat_dims(value)))
  })
}

# A function of elements for Python: traced with R's control flow, and its lists as tuples and dictionaries.
element_function <- function(f) {
  if (is_python(f)) {
    return(f)
  }
  if (inherits(f, "formula")) f <- formula_function(f)
  traced <- with_tensor_control(f)
  function(...) as_structure(traced(...))
}

# `~ .x + .y` as a function.
formula_function <- function(f) {
  if (length(f) != 2L) complain("a formula has no left side here: ", deparse1(f))
  first <- as.name("..1")
  arguments <- c(alist(... = ), list(.x = first, .y = as.name("..2"), . = first))
  as.function(c(arguments, f[[2L]]), envir = environment(f))
}
