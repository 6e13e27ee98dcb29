# The steps of the guide that introduces variables, as an R user types them.

core_test("variables are made, read and assigned", {
  my_tensor <- as_tensor(1:4, "float32", shape = c(2, 2))
  my_variable <- tf$Variable(my_tensor)
  expect_snapshot({
    my_variable
    tf$Variable(c(FALSE, FALSE, FALSE, TRUE))
    tf$Variable(c(5 + 4i, 6 + 1i))
    my_variable$shape
    my_variable$dtype
    str(as.array(my_variable))
    as_tensor(my_variable)
    tf$math$argmax(my_variable)
    tf$reshape(my_variable, c(1L, 4L))
  })
  a <- tf$Variable(c(2, 3))
  expect_snapshot(a$assign(as.integer(c(1, 2))))
  expect_error(
    a$assign(c(1.0, 2.0, 3.0)),
    paste(
      "ValueError: Cannot assign value to variable ' Variable:0': Shape mismatch.The variable shape (2,),",
      "and the assigned value shape (3,) are incompatible."
    ),
    fixed = TRUE
  )
})

core_test("copies share nothing, names may repeat", {
  a <- tf$Variable(c(2, 3))
  b <- tf$Variable(a)
  a$assign(c(5, 6))
  expect_identical(as.array(a), array(c(5, 6)))
  expect_identical(as.array(b), array(c(2, 3)))
  expect_identical(as.array(a$assign_add(c(2, 3))), array(c(7, 9)))
  expect_identical(as.array(a$assign_sub(c(7, 9))), array(c(0, 0)))
  x <- as_tensor(1:4, "float32", shape = c(2, 2))
  a <- tf$Variable(x, name = "Mark")
  b <- tf$Variable(x + 1, name = "Mark")
  expect_snapshot(print(a == b))
  expect_snapshot(tf$Variable(1L, trainable = FALSE))
})

core_test("devices are chosen with with()", {
  with(tf$device("CPU:0"), {
    a <- tf$Variable(array(1:6, c(2, 3)), dtype = "float32")
    b <- as_tensor(array(1:6, c(3, 2)), dtype = "float32")
    c <- tf$matmul(a, b)
  })
  expect_snapshot(c)
  with(tf$device("CPU:0"), {
    a <- tf$Variable(array(1:6, c(2, 3)), dtype = "float32")
    b <- tf$Variable(array(1:3, c(1, 3)), dtype = "float32")
  })
  with(tf$device("GPU:0"), {
    k <- a * b
  })
  expect_snapshot(k)
})

core_test("gradients", {
  x <- tf$Variable(3)
  with(tf$GradientTape() %as% tape, y <- x^2)
  expect_tensor(tape$gradient(y, x), 6, "float32")
  w <- tf$Variable(2)
  b <- tf$Variable(1)
  with(tf$GradientTape() %as% tape, y <- w * 3 + b)
  g <- tape$gradient(y, list(w = w, b = b))
  expect_named(g, c("w", "b"))
  expect_tensor(g$w, 3, "float32")
})
