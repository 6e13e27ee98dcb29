# Rscript steps.R STEPS MARK: runs R code step by step, as if typed at the prompt.
# STEPS holds the steps, each after a line that starts with MARK; the line is printed before the step.
args <- commandArgs(trailingOnly = TRUE)
lines <- readLines(args[[1L]], encoding = "UTF-8")
marks <- which(startsWith(lines, args[[2L]]))
ends <- c(marks[-1L] - 1L, length(lines))

# Prints an error as Python prints it: the class and the message, without the module that defines the
# class, without the operation that it ends with, as the steps in Python leave it out, and without reticulate's hint on how to see more.
show_error <- function(e) {
  text <- sub("\n*Run `reticulate::py_last_error\\(\\)`.*$", "", conditionMessage(e))
  text <- sub(" \\[Op:[^]]*\\] name: *$", "", text)
  cat(sub("^([A-Za-z_]+[.])*([A-Za-z]+: )", "\\2", text), "\n", sep = "")
}

# What try() shows goes to standard error, where it would not be seen here.
try <- function(expr, silent = FALSE) {
  invisible(tryCatch(expr, error = show_error))
}

run_step <- function(code) {
  for (expr in parse(text = code, keep.source = FALSE)) {
    shown <- withVisible(eval(expr, globalenv()))
    if (shown$visible) print(shown$value)
  }
}

for (i in seq_along(marks)) {
  cat(lines[marks[i]], "\n", sep = "")
  tryCatch(run_step(lines[seq_len(ends[i] - marks[i]) + marks[i]]), error = show_error)
}
