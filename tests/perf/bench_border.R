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
  "a[1]" = "890-1500 us", "tf$add(a, b)" = "91-100 us", "tf$Variable(a)" = "300-395 us",
  "v$assign_add(b)" = "748 us", "x$dtype" = "37 us", "tf$constant(c(1, 2))" = "403 us",
  "with(tf$device())" = "2330 us", "tape of a square" = "4083 us", "tf$constant(1e5 doubles)" = "9.1 ms",
  "tf$Variable(1e5 doubles)" = "38 ms", "tf$reduce_sum(1e5 doubles)" = "61 ms"
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
row("as.array(a)", function() as.array(a), call1, 5, n = 200L)

# Methods and contexts. Bare: the same calls of Python by reticulate::py_call(), of callables that were looked up.
bare <- function(object, name) attr(reticulate::py_get_attr(object, name), "py_object")
call_bare <- reticulate::py_call
assign_add <- bare(v, "assign_add")
row("v$assign_add(b)", function() v$assign_add(b), function() call_bare(assign_add, b), 3, n = 200L)
row("x$dtype", function() v$dtype, call1, n = 200L)
constant <- bare(tf, "constant")
row("tf$constant(c(1, 2))", function() tf$constant(c(1, 2)), function() call_bare(constant, c(1, 2)), 3, n = 200L)
enter <- reticulate::py_eval("lambda context: context.__enter__()", convert = FALSE)
leave <- reticulate::py_eval("lambda context: context.__exit__(None, None, None)", convert = FALSE)
device <- bare(tf, "device")
in_device <- function() {
  context <- call_bare(device, "CPU:0")
  call_bare(enter, context)
  call_bare(leave, context)
}
row("with(tf$device())", function() with(tf$device("CPU:0"), 1), in_device, 3, n = 100L)
tape <- bare(tf, "GradientTape")
multiply <- bare(tf, "multiply")
gradient <- reticulate::py_eval("lambda tape, y, x: tape.gradient(y, x)", convert = FALSE)
square <- function() {
  with(tf$GradientTape() %as% t, y <- v * v)
  t$gradient(y, v)
}
square_bare <- function() {
  context <- call_bare(tape) %as% t
  call_bare(enter, context)
  y <- call_bare(multiply, v, v)
  call_bare(leave, context)
  call_bare(gradient, context, y, v)
}
row("tape of a square", square, square_bare, 3, n = 50L)
optimizer <- tf$keras$optimizers$SGD(0.1)
apply_gradients <- bare(optimizer, "apply_gradients")
step <- list(list(b, v))
row("optimizer step", function() optimizer$apply_gradients(step), function() call_bare(apply_gradients, step), 3.5,
  n = 50L)

# Long vectors under tf$. Bare: the same function of the list that reticulate makes of the vector.
long_r <- seq_len(1e5) / 7
variable <- bare(tf, "Variable")
reduce_sum <- bare(tf, "reduce_sum")
row("tf$constant(1e5 doubles)", function() tf$constant(long_r), function() call_bare(constant, long_r), 0.3, n = 5L)
row("tf$Variable(1e5 doubles)", function() tf$Variable(long_r), function() call_bare(variable, long_r), 0.3, n = 5L)
row("tf$reduce_sum(1e5 doubles)", function() tf$reduce_sum(long_r), function() call_bare(reduce_sum, long_r), 0.3,
  n = 5L)

# The step of a small network (iris: 120 x 4, 16 hidden units, 3 classes), eager and traced. Bare: the same in Python. The
# eager step crosses to Python 13 times: by reticulate::py_call() alone it takes 1.8 times Python's.
set.seed(1)
inputs <- tf$constant(matrix(stats::rnorm(480), 120L), dtype = "float32")
labels <- tf$constant(rep(0:2, 40L))
parameters <- lapply(list(c(4L, 16L), 16L, c(16L, 3L), 3L), function(dims) tf$Variable(tf$random$normal(as.list(dims))))
adam <- tf$keras$optimizers$Adam(0.01)
loss_of <- function() {
  hidden <- tf$nn$relu(tf$matmul(inputs, parameters[[1L]]) + parameters[[2L]])
  logits <- tf$matmul(hidden, parameters[[3L]]) + parameters[[4L]]
  tf$reduce_mean(tf$nn$sparse_softmax_cross_entropy_with_logits(labels = labels, logits = logits))
}
train_once <- function() {
  with(tf$GradientTape() %as% t, loss <- loss_of())
  adam$apply_gradients(zip_lists(t$gradient(loss, parameters), parameters))
  loss
}
reticulate::py_run_string("
def make_step(tf, inputs, labels, parameters):
    adam = tf.keras.optimizers.Adam(0.01)
    def step():
        with tf.GradientTape() as tape:
            hidden = tf.nn.relu(tf.matmul(inputs, parameters[0]) + parameters[1])
            logits = tf.matmul(hidden, parameters[2]) + parameters[3]
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            loss = tf.reduce_mean(losses)
        adam.apply_gradients(zip(tape.gradient(loss, parameters), parameters))
        return loss
    def many(step, n):
        for _ in range(int(n)):
            step()
    traced = tf.function(step)
    return lambda n: many(step, n), lambda n: many(traced, n)
")
steps <- reticulate::py$make_step(tf, inputs, labels, parameters)
traced_once <- tf_function(train_once)
row("iris step, eager", function() for (i in 1:20) train_once(), function() steps[[1L]](20), n = 1L)
row("iris step, traced", function() for (i in 1:20) traced_once(), function() steps[[2L]](20), 2, n = 1L)
