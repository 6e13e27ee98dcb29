core_test("batches have all rows once, alike in all parts", {
  x <- matrix(1:10 + 0, 5)
  all <- batches(list(x = x, y = 1:5, f = factor(letters[1:5])), 2)
  expect_length(all, 3L)
  expect_named(all[[1L]], c("x", "y", "f"))
  expect_tensor(all[[1L]]$x, x[1:2, ], "float64")
  expect_identical(as.vector(all[[3L]]$y), 5L)
  expect_identical(as.vector(all[[2L]]$f), 2:3)
  set.seed(1)
  shuffled <- batches(data.frame(a = 1:7, b = 7:1), 3, shuffle = TRUE)
  a <- unlist(lapply(shuffled, function(batch) as.vector(batch$a)))
  expect_setequal(a, 1:7)
  expect_false(identical(a, 1:7))
  expect_identical(unlist(lapply(shuffled, function(batch) as.vector(batch$b))), 8L - a)
  expect_length(batches(1:7, 3, drop_last = TRUE), 2L)
  expect_identical(as.vector(batches(as_tensor(1:3), 3)[[1L]]), 1:3)
  expect_error(batches(list(1:3, 1:4), 2), "the same number of rows\nx They have 3, 4")
  expect_error(batches(1:3, 0), "`size` must be a whole number")
  expect_error(batches(as_tensor(1), 1), "`data` must have rows")
})

core_test("factors become codes or indicators where asked", {
  few <- iris[c(1, 51, 101), c(1, 5)]
  expect_error(frame_to_tensor(few), "Species.*factors = \"codes\" or factors = \"one_hot\"")
  expect_tensor(frame_to_tensor(few, factors = "codes"), cbind(few[[1L]], 0:2), "float64")
  expect_tensor(frame_to_tensor(few, factors = "one_hot"), cbind(few[[1L]], diag(3)), "float64")
  expect_tensor(frame_to_tensor(few["Species"], factors = "codes"), matrix(0:2), "int32")
  few$Species[2] <- NA
  expect_error(frame_to_tensor(few, factors = "codes"), "NA in the factor Species")
  expect_error(as_tensor(iris$Species, "int32"), "as.integer(x) - 1L", fixed = TRUE)
  expect_identical(as_tensor(iris$Species[1])$dtype$name, "string")
  expect_error(as_tensor(3, "int"), "\"int32\"")
})

core_test("the progress bar shows the loss", {
  skip_if_not_installed("cli")
  withr::local_options(cli.progress_show_after = 0, cli.dynamic = FALSE, cli.progress_clear = FALSE)
  shown <- capture.output(type = "message", {
    loss <- as_tensor(1)
    for (i in training_steps(3, progress = TRUE, show = "loss")) {
      loss <- loss / 4
      Sys.sleep(0.3)
    }
  })
  expect_match(paste(shown, collapse = " "), "loss [01]")
  expect_identical(training_steps(2, show = "loss", progress = FALSE), 1:2)
  expect_error(training_steps(2, show = 1), "names of variables")
})
