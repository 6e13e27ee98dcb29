ragged <- function() tf$ragged$constant(list(list(1, 4, 9), list(), list(16, 25)))

# The values of each row.
rows_of <- function(x) {
  rapply(as.list(x), function(row) if (length(dim(row)) > 1L) as.array(row) else as.vector(row), how = "list")
}

core_test("rows of ragged tensors are tensors with their gradients", {
  expect_identical(rows_of(ragged()), list(c(1, 4, 9), numeric(), c(16, 25)))
  expect_identical(vapply(ragged(), function(row) as.numeric(sum(row)), 0), c(14, 0, 41))
  expect_s3_class(as.list(ragged())[[2L]], "twinflow_tensor")
  x <- tf$Variable(c(1, 2, 3))
  with(tf$GradientTape() %as% tape, {
    rows <- as.list(tf$RaggedTensor$from_row_lengths(x^2, c(1L, 2L)))
    y <- Reduce(`+`, Map(function(row, weight) weight * sum(row), rows, 1:2))
  })
  expect_tensor(tape$gradient(y, x), c(2, 8, 12), "float32")
  words <- tf$ragged$constant(list(list("a", "\u00e9"), list()))
  expect_identical(rows_of(words), list(c("a", "\u00e9"), character()))
  deep <- tf$ragged$constant(list(list(list(1, 2), list()), list(), list(list(3))))
  expect_identical(rows_of(deep), list(list(c(1, 2), numeric()), list(), list(3)))
  m <- matrix(1:6, 3)
  rows <- tf$RaggedTensor$from_row_lengths(as_tensor(m), c(1L, 2L))
  expect_identical(rows_of(rows), list(m[1, , drop = FALSE], m[2:3, ]))
  expect_error(as.array(ragged()), "to_tensor")
  expect_error(as.vector(ragged()), "to_tensor")
})

core_test("mathematics and reductions of ragged tensors", {
  expect_identical(rows_of(sqrt(ragged())), list(c(1, 2, 3), numeric(), c(4, 5)))
  expect_identical(rows_of(round(ragged() / 10, 1)[1:2])[[2]], numeric())
  expect_identical(rows_of(is.na(ragged()))[[3]], c(FALSE, FALSE))
  expect_tensor(sum(ragged()), 55, "float32")
  expect_tensor(range(ragged()), c(1, 25), "float32")
  expect_tensor(mean(ragged()), 11, "float32")
  expect_tensor(sum(ragged(), axis = 2), c(14, 0, 41), "float32")
  expect_tensor(max(ragged(), axis = 1), c(16, 25, 9), "float32")
  expect_error(cumsum(ragged()), "one row into the next")
  expect_error(sum(ragged(), ragged()), "takes one")
  expect_error(range(ragged(), axis = 2), "all values")
})

core_test("numbers beside ragged and sparse tensors take their dtype", {
  whole <- tf$RaggedTensor$from_row_lengths(1:5, c(2L, 3L))
  expect_equal(rows_of(whole * 2), list(c(2L, 4L), c(6L, 8L, 10L)))
  expect_error(whole + 0.5, "int32 cannot hold 0.5")
  sparse <- tf$SparseTensor(list(c(1L, 0L), c(0L, 1L)), c(3L, 4L), c(2L, 3L))
  twice <- sparse * 2
  expect_identical(dim(twice), c(2L, 3L))
  expect_identical(length(twice), 6L)
  expect_identical(as.matrix(twice), rbind(c(0L, 8L, 0L), c(6L, 0L, 0L)))
  expect_identical(as.matrix(t(twice)), t(as.matrix(twice)))
})
