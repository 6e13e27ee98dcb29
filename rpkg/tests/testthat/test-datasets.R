numbers <- function(dataset) vapply(dataset_collect(dataset), as.numeric, 0)

choices <- function(x) tensor_slices_dataset(as_tensor(x, "int64"))

core_test("elements are tensors, lists without names and lists with names", {
  expect_identical(numbers(range_dataset(1, 4)), c(1, 2, 3))
  expect_identical(length(dataset_collect(tensors_dataset(1:3))), 1L)
  rows <- dataset_collect(tensor_slices_dataset(list(x = matrix(1:6, 3), y = c("a", "b", "c"))))
  expect_named(rows[[2]], c("x", "y"))
  expect_tensor(rows[[2]]$x, c(2L, 5L), "int32")
  expect_identical(as.character(rows[[3]]$y), "c")
  pairs <- tensor_slices_dataset(list(c(1, 2, 3), 1:3))
  expect_identical(as.integer(dataset_collect(pairs)[[3]][[2]]), 3L)
  expect_identical(output_types(pairs)[[1]]$name, "float32")
  expect_identical(numbers(tensor_slices_dataset(5)), 5)
  frame <- dataset_collect(tensor_slices_dataset(data.frame(a = 1:2, b = c(0.5, 1))))
  expect_identical(as.numeric(frame[[1]]$b), 0.5)
})

core_test("the number of elements is the length", {
  expect_identical(length(range_dataset(0, 5)), 5L)
  expect_identical(length(dataset_repeat(range_dataset(0, 5))), Inf)
  expect_identical(length(dataset_filter(range_dataset(0, 5), ~ .x > 2L)), NA_integer_)
})

core_test("functions, formulas and R's control flow are traced", {
  data <- range_dataset(0, 4)
  expect_identical(numbers(dataset_map(data, ~ .x * 10L)), c(0, 10, 20, 30))
  expect_identical(numbers(dataset_map(data, function(x) if (x > 1L) x else -x)), c(0, -1, 2, 3))
  pairs <- zip_datasets(data, range_dataset(10, 14))
  expect_identical(numbers(dataset_map(pairs, ~ .x + .y)), c(10, 12, 14, 16))
  expect_identical(numbers(dataset_map(pairs, function(a, b) b - a)), c(10, 10, 10, 10))
  named <- zip_datasets(list(a = data, b = data))
  expect_identical(numbers(dataset_map(named, function(row) row$a * row$b)), c(0, 1, 4, 9))
  both <- dataset_collect(dataset_map(data, function(x) list(x, list(half = x %/% 2L))))
  expect_identical(as.numeric(both[[4]][[2]]$half), 1)
  expect_error(dataset_map(data, 5), "`map_func` must be a function or a formula")
  expect_error(dataset_map(data, y ~ .x), "a formula has no left side")
  expect_error(dataset_map(data, function(x) stop("oops")), "oops")
})

core_test("verbs select, repeat and combine", {
  data <- range_dataset(0, 6)
  expect_identical(numbers(dataset_take(data, 2)), c(0, 1))
  expect_identical(numbers(dataset_skip(data, 4)), c(4, 5))
  expect_identical(numbers(dataset_take_while(data, ~ .x < 3L)), c(0, 1, 2))
  expect_identical(numbers(dataset_shard(data, 2, 1)), c(1, 3, 5))
  expect_identical(numbers(dataset_repeat(dataset_take(data, 2), 2)), c(0, 1, 0, 1))
  expect_identical(numbers(dataset_concatenate(dataset_take(data, 1), data, dataset_take(data, 1))), c(0, 0:5, 0))
  expect_identical(numbers(dataset_unique(tensor_slices_dataset(c(1L, 3L, 1L)))), c(1, 3))
  expect_identical(numbers(dataset_cache(dataset_prefetch(data, 2))), c(0, 1, 2, 3, 4, 5))
  expect_identical(numbers(choose_from_datasets(list(data, range_dataset(10, 12)), choices(c(0, 1, 0)))), c(0, 10, 1))
  expect_length(dataset_collect(data, 4), 4)
  first <- dataset_collect(dataset_enumerate(data))[[1]]
  expect_identical(as.numeric(first[[1]]), 1)
})

core_test("elements are shuffled as by TensorFlow", {
  data <- range_dataset(0, 10)
  expect_identical(numbers(dataset_shuffle(data, 4, seed = 7)), c(0, 4, 2, 3, 5, 6, 1, 8, 7, 9))
  again <- dataset_shuffle_and_repeat(data, 4, 2, seed = 7)
  expect_identical(numbers(again)[11:20], c(1, 3, 0, 4, 6, 5, 7, 8, 9, 2))
  mixed <- sample_from_datasets(list(data, data), c(0.5, 0.5), seed = 3)
  expect_true(length(numbers(mixed)) >= 10)
})

core_test("batches are padded, windowed and taken apart", {
  data <- range_dataset(0, 5)
  expect_equal(as.array(dataset_collect(dataset_batch(data, 2))[[3]]), array(4))
  expect_length(dataset_collect(dataset_batch(data, 2, drop_remainder = TRUE)), 2)
  expect_identical(numbers(dataset_unbatch(dataset_batch(data, 2))), c(0, 1, 2, 3, 4))
  expect_length(dataset_collect(dataset_map_and_batch(data, ~ .x * 2L, 3)), 2)
  rows <- dataset_map(dataset_skip(data, 1), function(x) tf$fill(list(x), x))
  padded <- dataset_collect(dataset_padded_batch(rows, 2))[[1]]
  expect_equal(as.array(padded), rbind(c(1, 0), c(2, 2)))
  fixed <- dataset_collect(dataset_padded_batch(rows, 4, padded_shapes = 5L))[[1]]
  expect_identical(dim(fixed), c(4L, 5L))
  windows <- dataset_flat_map(dataset_window(data, 3, shift = 1, drop_remainder = TRUE), function(w) w$batch(3L))
  expect_equal(as.array(dataset_collect(windows)[[2]]), array(c(1, 2, 3)))
  turns <- dataset_interleave(data, function(x) dataset_repeat(tensors_dataset(x), 2), cycle_length = 2)
  expect_identical(numbers(turns), c(0, 1, 0, 1, 2, 3, 2, 3, 4, 4))
  buckets <- dataset_bucket_by_sequence_length(rows, function(x) tf$shape(x)[1], c(3, 5), c(2, 2, 1))
  expect_identical(dim(dataset_collect(buckets)[[1]]), c(2L, 2L))
})

core_test("states are carried", {
  data <- range_dataset(0, 5)
  expect_identical(as.numeric(dataset_reduce(data, as_tensor(0, "int64"), ~ .x + .y)), 10)
  sums <- dataset_scan(data, as_tensor(0, "int64"), function(state, x) list(state + x, state + x))
  expect_identical(numbers(sums), c(0, 1, 3, 6, 10))
})

core_test("files are read", {
  file <- withr::local_tempfile(lines = c("a,b", "1,x", "2,y"))
  expect_identical(as.character(dataset_collect(text_line_dataset(file))[[3]]), "2,y")
  batch <- dataset_collect(make_csv_dataset(file, 2, num_epochs = 1, shuffle = FALSE))[[1]]
  expect_identical(as.integer(batch$a), 1:2)
  expect_named(batch, c("a", "b"))
  found <- dataset_collect(file_list_dataset(file))
  expect_identical(basename(as.character(found[[1]])), basename(file))
  bytes <- withr::local_tempfile()
  writeBin(charToRaw("abcdef"), bytes)
  expect_identical(as.character(dataset_collect(fixed_length_record_dataset(bytes, 3))[[2]]), "def")
  records <- withr::local_tempfile()
  writer <- tf$io$TFRecordWriter(records)
  writer$write("one")
  writer$close()
  expect_identical(as.character(dataset_collect(tfrecord_dataset(records))[[1]]), "one")
  kept <- withr::local_tempdir()
  saved <- dataset_snapshot(range_dataset(0, 3), kept)
  expect_identical(numbers(saved), numbers(saved))
})

core_test("iterators end with NULL or with an error that is handled", {
  iterator <- as_iterator(range_dataset(0, 2))
  expect_identical(as.numeric(iter_next(iterator)), 0)
  iter_next(iterator)
  expect_null(iter_next(iterator))
  arrays <- as_array_iterator(range_dataset(0, 2))
  expect_equal(iter_next(arrays), 0)
  iterator <- make_iterator_one_shot(range_dataset(0, 3))
  total <- 0
  until_out_of_range({
    total <- total + as.numeric(iterator_get_next(iterator))
  })
  expect_identical(total, 3)
  expect_error(until_out_of_range(stop("other")), "other")
})

core_test("iterators in graphs are initialized", {
  graph <- tf$Graph()
  with(graph$as_default(), {
    iterator <- make_iterator_initializable(tf$compat$v1$data$Dataset$range(3L))
    element <- iterator_get_next(iterator, name = "element")
    session <- tf$compat$v1$Session()
    session$run(iterator_initializer(iterator))
    expect_equal(as.numeric(session$run(element)), 0)
    expect_equal(as.numeric(session$run(element)), 1)
    structure <- make_iterator_from_structure(tf$int64, shape())
    start <- iterator_make_initializer(structure, tf$compat$v1$data$Dataset$range(5L, 7L))
    other <- iterator_get_next(structure)
    session$run(start)
    expect_equal(as.numeric(session$run(other)), 5)
  })
})

core_test("options are set by name", {
  data <- dataset_options(range_dataset(0, 3), deterministic = FALSE, threading.private_threadpool_size = 2L)
  expect_false(data$options()$deterministic)
  expect_identical(data$options()$threading$private_threadpool_size, 2L)
  expect_error(dataset_options(data, nonsense = 1), "Cannot set the property nonsense")
  expect_error(dataset_batch(data, 2.5), "`batch_size` must be a whole number")
})
