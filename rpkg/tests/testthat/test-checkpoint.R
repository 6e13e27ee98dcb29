saved_in <- function(...) file.path(withr::local_tempdir(.local_envir = parent.frame()), ...)

core_test("a list comes back as it was", {
  path <- saved_in("model")
  x <- list(
    w = tf$Variable(matrix(1:6 + 0, 2)), tensor = as_tensor(c(1L, 2L)), number = 2.5, text = c("a", "\u00e9"),
    truth = array(TRUE, c(1, 1, 2)), layers = list(tf$Variable(1), list(a = tf$Variable(2)))
  )
  expect_identical(expect_invisible(save_checkpoint(x, path)), path)
  back <- load_checkpoint(path)
  expect_named(back, names(x))
  expect_tensor(back$w, matrix(1:6 + 0, 2), "float64")
  expect_tensor(back$tensor, 1:2, "int32")
  expect_identical(as.array(back$number), as.array(as_tensor(2.5)))
  expect_identical(as.vector(as.array(back$text)), c("a", "\u00e9"))
  expect_identical(dim(back$truth), c(1L, 1L, 2L))
  expect_length(back$layers, 2L)
  expect_identical(as.numeric(back$layers[[2L]]$a), 2)
})

core_test("variables get their values back", {
  path <- saved_in("model")
  w <- tf$Variable(c(1, 2))
  b <- tf$Variable(3)
  save_checkpoint(list(w = w, more = list(b)), path)
  w$assign(c(0, 0))
  b$assign(0)
  model <- list(w = w, more = list(b))
  expect_identical(expect_invisible(load_checkpoint(path, into = model)), model)
  expect_identical(as.numeric(w), c(1, 2))
  expect_identical(as.numeric(b), 3)
})

core_test("a load that fails changes nothing and names partial = TRUE", {
  path <- saved_in("model")
  a <- tf$Variable(0)
  save_checkpoint(list(a = tf$Variable(1), b = list(tf$Variable(2), w = tf$Variable(3))["w"]), path)
  expect_error(load_checkpoint(path, into = list(a = a)), "no variable for `b.w` of the checkpoint.*partial = TRUE")
  expect_identical(as.numeric(a), 0)
  full <- list(a = a, b = list(w = tf$Variable(0)), c = list(d = tf$Variable(1)))
  expect_error(load_checkpoint(path, into = full), "no value for `c.d`.*Nothing was changed.*partial = TRUE")
  expect_identical(as.numeric(a), 0)
  load_checkpoint(path, into = list(a = a), partial = TRUE)
  expect_identical(as.numeric(a), 1)
  a$assign(0)
  wrong <- list(a = a, b = list(w = tf$Variable(c(1, 2))))
  expect_error(load_checkpoint(path, into = wrong), "`b.w` is float32 of shape .* Nothing was changed.*partial = TRUE")
  expect_identical(as.numeric(a), 0)
  load_checkpoint(path, into = full[c("a", "b")])
  expect_identical(c(as.numeric(a), as.numeric(full$b$w)), c(1, 3))
})

core_test("objects are saved, and their training goes on", {
  path <- saved_in("model")
  trained <- function(steps) {
    v <- tf$Variable(c(1, 2))
    optimizer <- tf$keras$optimizers$Adam(0.1)
    optimizer$build(list(v))
    for (i in seq_len(steps)) optimizer$apply_gradients(list(list(as_tensor(c(1, -1), "float32"), v)))
    list(optimizer = optimizer, v = v)
  }
  first <- trained(2)
  save_checkpoint(first, path)
  second <- trained(0)
  load_checkpoint(path, into = second)
  for (each in list(first, second)) each$optimizer$apply_gradients(list(list(as_tensor(c(1, 1), "float32"), each$v)))
  expect_identical(as.array(second$v), as.array(first$v))
  module <- tf$Module()
  module$v <- tf$Variable(5)
  save_checkpoint(module, path)
  expect_named(load_checkpoint(path), "v")
})

core_test("checkpoints of TensorFlow's own verbs are the same", {
  folder <- saved_in("of")
  v <- tf$Variable(c(1, 2))
  checkpoint <- tf$train$Checkpoint(model = v)
  expect_identical(basename(checkpoint$save(file.path(folder, "ck"))), "ck-1")
  expect_identical(as.numeric(load_checkpoint(folder)$model), c(1, 2))
  save_checkpoint(list(model = tf$Variable(c(3, 4))), file.path(folder, "own"))
  checkpoint$read(file.path(folder, "own"))$expect_partial()
  expect_identical(as.numeric(v), c(3, 4))
  save_checkpoint(checkpoint, file.path(folder, "third"))
  expect_true("model" %in% names(load_checkpoint(file.path(folder, "third"))))
})

core_test("wrong arguments are told", {
  expect_error(save_checkpoint(list(tf$Variable(1)), c("a", "b")), "`path` must be a single, non-empty string")
  swapped <- "wrong order\ni Write load_checkpoint(path, into"
  expect_error(load_checkpoint(list(a = tf$Variable(1)), saved_in("x")), swapped, fixed = TRUE)
  expect_error(save_checkpoint(saved_in("x"), list(a = 1)), "wrong order\ni Write save_checkpoint[(]x")
  with_function <- list(m = list(f = mean))
  expect_error(save_checkpoint(with_function, saved_in("x")), "`m[$]f` cannot be saved\nx It is of class function")
  expect_error(save_checkpoint(list(a = tf$Variable(1), 2), saved_in("x")), "all elements of the list need names")
  expect_error(save_checkpoint(list(a = tf$float32), saved_in("x")), "class DType: the element `a` is neither")
  expect_error(load_checkpoint(saved_in("x"), into = list(a = as_tensor(1))), "a tensor keeps its value")
  expect_error(load_checkpoint(withr::local_tempdir()), "there is no checkpoint in")
  expect_error(load_checkpoint(saved_in("nothing")), "Failed to find any matching files")
})

core_test("values of another type or shape change nothing, and are left out where asked", {
  path <- saved_in("model")
  save_checkpoint(list(w = tf$Variable(c(1, 2)), b = tf$Variable(c(3, 4))), path)
  into <- list(w = tf$Variable(c(0, 0)), b = tf$Variable(c(0, 0, 0)))
  found <- expect_error(load_checkpoint(path, into), "`b` is float32 of shape (2) in the checkpoint", fixed = TRUE)
  expect_match(conditionMessage(found), "Nothing was changed: load_checkpoint(partial = TRUE)", fixed = TRUE)
  expect_identical(as.numeric(into$w), c(0, 0))
  expect_warning(load_checkpoint(path, into, partial = TRUE), "left as they are: `b`")
  expect_identical(lapply(into, as.numeric), list(w = c(1, 2), b = c(0, 0, 0)))
  double <- list(w = tf$Variable(c(0, 0), dtype = "float64"), b = tf$Variable(c(0, 0)))
  expect_error(load_checkpoint(path, double), "`w` is float32 of shape (2) in the checkpoint and float64", fixed = TRUE)
})

core_test("progress is told in bytes", {
  path <- saved_in("model")
  told <- NULL
  note <- function(done, whole) told <<- rbind(told, c(done, whole))
  save_checkpoint(list(v = tf$zeros(shape(1000))), path, progress = note)
  expect_gte(told[nrow(told), 1L], 4000)
  expect_identical(told[nrow(told), 1L], told[nrow(told), 2L])
  told <- NULL
  load_checkpoint(path, progress = note)
  expect_equal(told[nrow(told), ], c(4000, 4000))
  skip_if_not_installed("cli")
  expect_no_error(save_checkpoint(list(v = tf$zeros(shape(10))), path, progress = TRUE))
  expect_no_error(load_checkpoint(path, progress = TRUE))
})

core_test("a tensor that was saved with an R object says what to do", {
  file <- saved_in("x.rds")
  saveRDS(list(x = as_tensor(1:3), v = tf$Variable(1)), file)
  for (dead in readRDS(file)) {
    expect_output(print(dead), "pointer")
    for (use in list(as.array, sum, dim, function(x) x + 1, function(x) x$shape, function(x) tf$add(x, 1))) {
      expect_error(use(dead), "checkpoint")
    }
    expect_error(save_checkpoint(list(dead), saved_in("x")), "checkpoint")
  }
  saveRDS(tf$Module(), file)
  dead <- readRDS(file)
  expect_error(dead$name, "save_checkpoint", class = "twinflow_dead_pointer")
  expect_error(dead$v <- 1, "save_checkpoint", class = "twinflow_dead_pointer")
  alive <- tf$Module()
  alive$v <- tf$Variable(1)
  expect_identical(as.numeric(alive$v), 1)
})
