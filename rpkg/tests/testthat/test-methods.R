core_test("methods are those of the object, with Python's arguments", {
  v <- tf$Variable(c(1, 2))
  w <- tf$Variable(c(10, 20))
  by <- tf$constant(c(1, 1))
  for (i in 1:3) { # from Python, then by class and name
    v$assign_add(by)
    w$assign_add(by)
  }
  expect_identical(as.vector(v), c(4, 5))
  expect_identical(as.vector(w), c(13, 23))
  method <- v$assign_sub
  expect_s3_class(method, "python.builtin.method")
  expect_identical(names(formals(method)), c("delta", "use_locking", "name", "read_value"))
  expect_identical(names(formals(v$assign_sub)), names(formals(method)))
  expect_match(reticulate::py_str(method), "bound method .*assign_sub")
  expect_true(reticulate::py_has_attr(v$assign_sub, "__self__"))
  call_it <- reticulate::py_eval("lambda f, x: f(x)")
  expect_identical(as.vector(call_it(v$assign_sub, by)), c(3, 4))
  expect_invisible(v$assign_sub(by, read_value = FALSE))
  expect_null(v$assign_sub(by, read_value = FALSE))
  for (wrong in list(function() v$assign_add(nope = 1), function() v$assign_add(tf$constant("a")))) {
    e <- tryCatch(wrong(), error = identity)
    expect_identical(as.list(conditionCall(e))[[1L]], quote(v$assign_add))
  }
  expect_error(v$nope, class = "AttributeError")
})

core_test("methods of one class are not those of another, nor those of users' classes remembered", {
  tape <- tf$GradientTape(persistent = TRUE)
  with(tape, y <- tf$Variable(3)^2)
  expect_null(tape$gradient(y, tf$Variable(1)))
  expect_error(tf$Variable(1)$gradient, class = "AttributeError")
  mine <- reticulate::py_run_string("
import twinflow as tf
class Mine(tf.Module):
  def __call__(self, x): return x
  def twice(self, x): return 2 * x
first = Mine()
class Mine(tf.Module):
  def twice(self, x, y): return 2 * x + y
second = Mine()
shadowed = tf.Variable([1.0])
shadowed.assign_add = lambda delta: delta
", local = TRUE)
  expect_identical(mine$first$twice(2), 4)
  expect_identical(names(formals(mine$second$twice)), c("x", "y"))
  expect_identical(mine$second$twice(2, 1), 5)
  expect_identical(mine$shadowed$assign_add(7), 7)
})

core_test("contexts are entered and left, whatever happens inside", {
  with(tf$device("CPU:0"), x <- tf$constant(1))
  expect_match(x$device, "CPU:0")
  v <- tf$Variable(3)
  expect_error(with(tf$GradientTape() %as% first, stop("inside")), "inside")
  with(tf$GradientTape(), as = "second", y <- v * v)
  expect_identical(as.numeric(second$gradient(y, v)), 6)
  entered <- function() with(tf$GradientTape() %as% here, v * v)
  expect_identical(as.numeric(entered()), 9)
  expect_identical(with(tf$device("CPU:0"), NULL), NULL)
  e <- tryCatch(with(tf$device("sofa"), 1), error = identity)
  expect_identical(conditionCall(e)[[1L]], quote(with))
  expect_error(with(tf$Variable(1), 2), "__enter__", class = "AttributeError")
})

core_test("long vectors have the dtypes and values of lists", {
  for (x in list(runif(1000), -(1:1000), rep(c(TRUE, FALSE), 400), complex(600, 1, 2), c(NA, runif(599)))) {
    as_list <- as.list(x)
    same <- function(a, b) {
      expect_identical(a$dtype$name, b$dtype$name)
      expect_identical(as.vector(a), as.vector(b))
    }
    same(tf$constant(x), tf$constant(as_list))
    same(tf$Variable(x), tf$Variable(as_list))
    same(tf$convert_to_tensor(x), tf$convert_to_tensor(as_list))
    same(tf$identity(x), tf$identity(as_list))
    same(tf$stack(x), tf$stack(as_list))
    same(tf$reshape(x, c(-1L, 2L)), tf$reshape(as_list, c(-1L, 2L)))
  }
  x <- runif(600)
  expect_identical(as.vector(tf$constant(x, dtype = "float64")), x)
  expect_identical(as.vector(tf$Variable(x, dtype = tf$float64)), x)
  expect_tensor(tf$reduce_sum(rep(0.5, 600)), 300, "float32")
  expect_identical(tf$reduce_sum(1:600)$dtype$name, "int32")
  expect_identical(tf$add(as_tensor(x), x)$dtype$name, "float64")
  expect_identical(tf$cast(x, "float64")$dtype$name, "float64")
  v <- tf$Variable(rep(0, 600), dtype = "float64")
  v$assign(x)
  expect_identical(as.vector(v), x)
  v$assign_add(1:600)
  expect_equal(as.vector(v), x + 1:600)
  expect_identical(tf$constant(x, dtype = "float16")$dtype$name, "float16")
  expect_error(tf$constant(x, dtype = "int32"), class = "TypeError")
  expect_error(tf$constant(c(x, 1e300), dtype = "int32"))
  expect_length(tf$nest$flatten(x), 600)
})
