# Rscript bench_border.R: what R's verbs cost beside the least that could do the work.
# Prints a line for each row: what, seconds, seconds of the bare work, ratio (medians of alternating runs), the
# budget as a ratio, and what the same took with TensorFlow's own R package (measured once, on another machine).
suppressPackageStartupMessages(library(twinflow))

np <- reticulate::import("numpy", convert = FALSE)
nothing <- reticulate::py_eval("lambda *values: values[0]", convert = FALSE)

now <- function() as.numeric(Sys.time())

seconds <- function(f, n) {
  start <- now()
  for (i in seq_len(n)) f()
  (now() - start) / n
}

original <- c(
  "as_tensor(1e7-double matrix)" = "71 ms", "as.array(1e7-double matrix)" = "117-131 ms",
  "as_tensor(1e6-double vector)" = "140-153 ms", "a + b" = "96-173 us", "a + 1" = "880-1470 us",
  "a[1]" = "890-1500 us", "tf$add(a, b)" = "91-100 us", "tf$Variable(a)" = "300-395 us"
)

row <- function(what, ours, bare, budget = NA, n = 1L, rounds = if (n == 1L) 9L else 31L) {
  seconds(ours, max(1L, n %/% 4L))
  seconds(bare, max(1L, n %/% 4L))
  times <- vapply(seq_len(rounds), function(i) c(seconds(ours, n), seconds(bare, n)), numeric(2L))
  middle <- c(apply(times, 1L, stats::median), stats::median(times[1L, ] / times[2L, ]))
  numbers <- format(c(middle, budget), digits = 6L, scientific = FALSE, trim = TRUE)
  cat(what, numbers, if (what %in% names(original)) original[[what]] else "", sep = "\t")
  cat("\n")
}

# Large values. Bare: NumPy's own copy into C order, and R's own copy.
duplicate <- function(x) {
  x[1L] <- x[2L]
  x
}
copy_of <- function(view) np$array(view, order = "C", copy = TRUE)

matrix_r <- matrix(seq_len(1e7) / 7, nrow = 10000L)
view <- reticulate::r_to_py(matrix_r)
matrix_t <- as_tensor(matrix_r)
row("as_tensor(1e7-double matrix)", function() as_tensor(matrix_r), function() copy_of(view), 1.3)
row("as.array(1e7-double matrix)", function() as.array(matrix_t), function() duplicate(matrix_r), 1.5)
for (dtype in c("float32", "int32", "bool")) {
  short_t <- as_tensor(floor(matrix_r %% 2), dtype)
  short_r <- as.array(short_t)
  row(sprintf("as.array(1e7-%s matrix)", dtype), function() as.array(short_t), function() duplicate(short_r))
}
rm(matrix_r, view, matrix_t, short_t, short_r)
invisible(gc())

vector_r <- seq_len(1e6) / 7
view <- reticulate::r_to_py(array(vector_r))
vector_t <- as_tensor(vector_r)
row("as_tensor(1e6-double vector)", function() as_tensor(vector_r), function() copy_of(view), n = 5L)
row("as.array(1e6-double vector)", function() as.array(vector_t), function() duplicate(vector_r), n = 5L)

# Small values. Bare: a call of a Python function that was looked up beforehand and does nothing.
a <- as_tensor(c(1.5, 2.5), "float32")
b <- as_tensor(c(0.5, 4), "float32")
v <- tf$Variable(a)
call2 <- function() nothing(a, b)
call1 <- function() nothing(a)
row("a + b", function() a + b, call2, 2.5, n = 200L)
row("a + 1", function() a + 1, call2, 2.5, n = 200L)
row("v + a", function() v + a, call2, n = 200L)
row("a[1]", function() a[1], call2, 2.5, n = 200L)
row("sum(a)", function() sum(a), call1, 2.5, n = 200L)
row("tf$add(a, b)", function() tf$add(a, b), call2, n = 200L)
row("tf$Variable(a)", function() tf$Variable(a), call1, n = 100L)
row("as_tensor(c(1, 2), \"float32\")", function() as_tensor(c(1, 2), "float32"), call2, n = 200L)
row("as.array(a)", function() as.array(a), call1, n = 200L)
