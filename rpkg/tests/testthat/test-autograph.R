# R's control flow in traced functions.

core_test("tensors decide in `if`", {
  size <- tf_function(function(x) if (x > 0) x else -x)
  expect_tensor(size(as_tensor(-3)), 3, "float64")
  expect_tensor(size(as_tensor(4)), 4, "float64")
  assigning <- tf_function(function(x) {
    y <- x
    if (x > 0) {
      y <- x * 10
      z <- x
    } else {
      z <- -x
    }
    list(y, z)
  })
  expect_identical(lapply(assigning(as_tensor(-3)), as.array), list(-3, 3))
  expect_identical(lapply(assigning(as_tensor(3)), as.array), list(30, 3))
  nested <- tf_function(function(x) if (x > 0) if (x > 10) "big" else "small" else "negative")
  said <- vapply(c(20, 1, -1), function(x) as.character(nested(as_tensor(x))), "")
  expect_identical(said, c("big", "small", "negative"))
  returning <- tf_function(function(x) if (x > 0 && !(x > 5)) return(x) else return(-x))
  expect_identical(as.array(returning(as_tensor(7))), -7)
  either <- tf_function(function(x) if (x < 0 || x > 5) 1 else 0)
  expect_identical(as.array(either(as_tensor(7))), 1)
})

core_test("tensors decide in `while` and `for`", {
  doubling <- tf_function(function(x) {
    steps <- 0L
    while (x < 100) {
      x <- x * 2
      steps <- steps + 1L
    }
    list(x, steps)
  })
  expect_identical(lapply(doubling(as_tensor(3)), as.array), list(192, 6L))
  total <- tf_function(function(x) {
    sum <- 0
    for (one in x) sum <- sum + one
    sum
  })
  expect_identical(as.array(total(as_tensor(c(1, 2, 3)))), 6)
  factorial_of <- tf_function(function(n) {
    out <- 1L
    for (i in tf$range(1L, n + 1L)) out <- out * i
    out
  })
  expect_identical(as.array(factorial_of(as_tensor(5L))), 120L)
})

core_test("what R can decide stays R's", {
  plain <- tf_function(function(x, training = FALSE) {
    for (i in 1:4) {
      if (i == 2) next
      x <- x * i
      if (i == 3) break
    }
    n <- 0
    while (TRUE) {
      n <- n + 1
      if (n > 2) break
    }
    if (is.null(x) || training) x <- x + 1
    x + n
  })
  expect_identical(as.array(plain(as_tensor(1))), 6)
  expect_identical(as.array(plain(as_tensor(1), TRUE)), 7)
})

core_test("return() in an `if` among the statements of a function", {
  early <- tf_function(function(x) {
    if (x > 0) return(x)
    y <- -x
    if (y > 10) {
      y <- y * 2
      return(y)
    } else if (y > 5) {
      y <- y + 0.5
    }
    y + 1
  })
  found <- vapply(c(3, -12, -7, -1), function(x) as.array(early(as_tensor(x))), 0)
  expect_identical(found, c(3, 24, 8.5, 2))
})

core_test("functions within the function", {
  sized <- tf_function(function(x, y) {
    size <- function(v) {
      if (v > 0) return(v)
      -v
    }
    vapply(1:2, function(i) {
      if (i == 1) return(0)
      1
    }, 0)
    x[1, , drop = FALSE] * size(y)
  })
  expect_identical(as.array(sized(as_tensor(matrix(2, 2, 1)), as_tensor(-3))), matrix(6))
})

core_test("break and next in an `if` among the statements of a loop", {
  leaving <- tf_function(function(x) {
    steps <- 0L
    while (x < 10) {
      x <- x + 1
      if (x > 5) break
      steps <- steps + 1L
    }
    list(x, steps)
  })
  expect_identical(lapply(leaving(as_tensor(1)), as.array), list(6, 4L))
  expect_identical(lapply(leaving(as_tensor(20)), as.array), list(20, 0L))
  odd <- tf_function(function(n) {
    sum <- 0L
    for (i in tf$range(n)) {
      if (i %% 2L == 0L) next
      if (i > 7L) {
        sum <- sum + 100L
        break
      }
      sum <- sum + i
    }
    sum
  })
  expect_identical(as.array(odd(as_tensor(6L))), 9L)
  expect_identical(as.array(odd(as_tensor(20L))), 116L)
})

core_test("next in a loop of R's, break in a loop within a loop", {
  passing <- tf_function(function(x) {
    sum <- 0
    for (i in 1:3) {
      if (x < i) next
      sum <- sum + i
    }
    n <- 0
    repeat {
      n <- n + 1
      if (n > 4) break
      if (sum > n) next
      sum <- sum + 10
    }
    sum
  })
  expect_identical(as.array(passing(as_tensor(2.5))), 13)
  inner <- tf_function(function(x) {
    sum <- 0
    for (row in x) for (one in row) {
      if (one > 3) break
      sum <- sum + one
    }
    sum
  })
  expect_identical(as.array(inner(as_tensor(matrix(c(1, 4, 2, 3), 2)))), 3)
})

core_test("loops over nothing, numbers that no range could have, and ragged rows", {
  total <- function(x) {
    sum <- 0
    for (one in x) sum <- sum + tf$reduce_sum(one)
    sum
  }
  ranged <- tf_function(function(n, step) {
    sum <- 0L
    for (i in tf$range(1L, n, step)) sum <- sum + i
    sum
  })
  expect_identical(as.array(ranged(as_tensor(-5L), as_tensor(1L))), 0L)
  expect_identical(as.array(ranged(as_tensor(-5L), as_tensor(-2L))), -3L)
  any_shape <- list(tf$TensorSpec(NULL, "float64"))
  expect_identical(as.array(tf_function(total, any_shape)(as_tensor(matrix(0, 0, 3)))), 0)
  expect_identical(as.array(tf_function(total)(as_tensor(numeric()))), 0)
  expect_error(tf_function(total)(as_tensor(3)), "scalar")
  last <- tf_function(function(x) {
    found <- NULL
    for (one in x) found <- one
    found
  })
  expect_error(last(as_tensor(c(1, 2))), "`found` is NULL")
  expect_identical(as.array(tf_function(total)(tf$ragged$constant(list(list(1, 2), list(3))))), 6)
})

test_that("what would be jumped over goes into the other branch", {
  expect_identical(
    without_returns(quote({
      a
      if (c) return(1)
      b
    })),
    quote({
      a
      if (c) 1 else b
    })
  )
  expect_identical(without_returns(quote(if (c) return(1) else d)), quote(if (c) 1 else d))
  kept <- quote({
    f(function(x) return(x))
    while (TRUE) break
  })
  expect_identical(without_returns(kept), kept)
  expect_identical(without_breaks(kept, "s"), kept)
  expect_identical(
    without_breaks(quote({
      if (c) break else a
      b
    }), "s"),
    call("if", quote(c), quote(s <- TRUE), quote({
      a
      b
    }))
  )
})

core_test("one value decides", {
  x <- as_tensor(c(-1, 2))
  expect_error(tf_function(function(x) if (x > 0) 1 else 2)(x), "one value decides, not 2")
  expect_error(tf_function(function(x) {
    while (x < 10) x <- x + 1
    x
  })(x), "one value decides")
  expect_error(tf_function(function(x) if (x[1] > 0 || x > 5) 1 else 0)(x), "one value decides")
  expect_identical(as.array(tf_function(function(x) if (x[2:2] > 0) 1 else 2)(x)), 1)
})

core_test("traced functions take what Python has no name for", {
  f <- tf_function(function(x, ..., na.rm = FALSE) {
    for (one in list(...)) x <- x + one
    if (na.rm) -x else x
  })
  expect_identical(as.array(f(as_tensor(1))), 1)
  expect_identical(as.array(f(as_tensor(1), as_tensor(2), as_tensor(4))), 7)
  expect_identical(as.array(f(as_tensor(1), as_tensor(2), na.rm = TRUE)), -3)
})

core_test("branches may print", {
  folder <- withr::local_tempdir()
  fizzbuzz <- tf_function(function(n) {
    say <- function(...) tf$print(..., output_stream = paste0("file://", file.path(folder, "said")))
    for (i in tf$range(1L, n)) {
      if (i %% 15L == 0L) {
        say("FizzBuzz")
      } else if (i %% 3L == 0L) {
        say("Fizz")
      } else if (i %% 5L == 0L) {
        say("Buzz")
      } else {
        say(i)
      }
    }
  })
  fizzbuzz(as_tensor(16L))
  said <- readLines(file.path(folder, "said"))
  expect_identical(said[c(1, 3, 5, 15)], c("1", "Fizz", "Buzz", "FizzBuzz"))
})

core_test("numbers of R take the precision of the tensors in a loop", {
  product <- tf_function(function(x) {
    total <- 1
    while (x > 0) {
      total <- total * x
      x <- x - 1
    }
    total
  })
  expect_tensor(product(as_tensor(4)), 24, "float64")
  expect_tensor(product(tf$constant(4)), 24, "float32")
})

core_test("magrittr's assignments are carried through loops", {
  `%<>%` <- function(lhs, rhs) assign(deparse(substitute(lhs)), lhs + rhs, envir = parent.frame())
  total <- tf_function(function(x) {
    sum <- 0L
    for (one in x) sum %<>% one # nolint: assignment_linter.
    sum
  })
  expect_identical(as.array(total(as_tensor(1:4))), 10L)
})

core_test("jumps that cannot be moved are refused", {
  inside <- tf_function(function(x) {
    y <- (if (x > 0) return(x) else 1)
    y
  })
  expect_error(inside(as_tensor(1)), "return inside of `if`")
  unrolled <- tf_function(function(x) {
    for (i in 1:3) if (x > i) break
    x
  })
  expect_error(unrolled(as_tensor(1)), "break inside of")
  expect_error(tf_function(function(x) if (x > 0) x else -x, autograph = FALSE)(as_tensor(1)), "condition")
  expect_error(tf_function(1), "must be an R function")
})

core_test("gradients pass through traced statements", {
  slope <- tf_function(function(x) {
    with(tf$GradientTape() %as% tape, {
      tape$watch(x)
      y <- if (x > 0) x^2 else x
    })
    tape$gradient(y, x)
  })
  expect_identical(as.array(slope(as_tensor(3))), 6)
  expect_identical(as.array(slope(as_tensor(-3))), 1)
})

core_test("numbers of R in branches and loops take the precision of the tensors there", {
  pick <- tf_function(function(x) if (x > 1) x else 0)
  expect_tensor(pick(as_tensor(3)), 3, "float64")
  expect_tensor(pick(as_tensor(-3, "float32")), 0, "float32")
  expect_tensor(tf_function(function(x) if (x > 1) 1 else 2)(as_tensor(3)), 1, "float32")
  add_up <- tf_function(function(x) {
    n <- 0
    for (i in tf$range(3L)) n <- n + 1
    n + x
  })
  expect_error(add_up(as_tensor(1)), "loops over tensors make float32")
})

core_test("a loop whose condition becomes a tensor goes on as one of the graph", {
  down <- tf_function(function(x) {
    positive <- TRUE
    n <- 0L
    while (positive) {
      x <- x - 1
      n <- n + 1L
      positive <- x > 0
    }
    list(x, n)
  })
  for (start in c(3, -2)) {
    found <- down(as_tensor(start))
    expect_tensor(found[[1]], min(0, start - 1), "float64")
    expect_tensor(found[[2]], max(start, 1L), "int32")
  }
})

core_test("loops carry tensor arrays", {
  squares <- tf_function(function(n) {
    found <- tf$TensorArray(tf$int32, size = n)
    for (i in tf$range(n)) found <- found$write(i, i * i)
    found$stack()
  })
  expect_tensor(squares(as_tensor(4L)), c(0L, 1L, 4L, 9L), "int32")
})

core_test("an assigned `if` without else is an error where a tensor decides", {
  f <- tf_function(function(x) {
    y <- if (x > 1) x
    y
  })
  expect_error(f(as_tensor(2)), "it needs an else")
  nested <- tf_function(function(x, flag) {
    y <- if (flag) {
      if (x > 1) x
    } else {
      0
    }
    y
  })
  expect_error(nested(as_tensor(2), TRUE), "it needs an else")
  expect_identical(as.array(nested(as_tensor(2), FALSE)), 0)
  plain <- tf_function(function(x) {
    y <- if (FALSE) x
    if (is.null(y)) x + 1 else x
  })
  expect_identical(as.array(plain(as_tensor(2))), 3)
})

core_test("a helper that needs tf_function() says so", {
  helper <- function(x) if (x > 1) x else -x
  f <- tf_function(function(x) helper(x))
  expect_error(f(as_tensor(3)), "make both of them by tf_function()", fixed = TRUE)
  helper <- tf_function(helper)
  expect_identical(as.array(tf_function(function(x) helper(x))(as_tensor(-3))), 3)
})

core_test("switch() stays R's own, and says what chooses by a tensor", {
  f <- tf_function(function(x, kind) switch(kind, double = , twice = x * 2, half = x / 2, stop("no such kind")))
  expect_equal(as.numeric(f(as_tensor(3), "double")), 6)
  expect_equal(as.numeric(f(as_tensor(3), "half")), 1.5)
  expect_error(f(as_tensor(3), "none"), "no such kind")
  g <- tf_function(function(x) switch(x, 1, 2))
  expect_error(g(as_tensor(1L)), "tf$switch_case(index, functions)", fixed = TRUE)
})
