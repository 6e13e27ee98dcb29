# The shared cases: a heading `## name`, then fenced blocks python, r and output.

read_cases <- function(file) {
  lines <- readLines(file, encoding = "UTF-8", warn = FALSE)
  starts <- grep("^## ", lines)
  ends <- c(starts[-1L] - 1L, length(lines))
  cases <- Map(function(from, to) read_blocks(lines[from:to]), starts, ends)
  stats::setNames(cases, trimws(substring(lines[starts], 4L)))
}

read_blocks <- function(lines) {
  fences <- grep("^```", lines)
  if (!length(fences)) {
    return(list())
  }
  opens <- fences[seq(1L, length(fences), by = 2L)]
  closes <- fences[seq(2L, length(fences), by = 2L)]
  blocks <- Map(function(from, to) lines[seq_len(to - from - 1L) + from], opens, closes)
  stats::setNames(blocks, sub("^```([a-z-]*).*$", "\\1", lines[opens]))
}

# What the R prompt shows: visible values printed, messages as lines, try() as "Error: <message>", bullets in ASCII.
prompt_output <- function(code) {
  before <- options(cli.unicode = FALSE)
  on.exit(options(before))
  env <- new.env(parent = globalenv())
  gc() # the log of placements also tells of variables of earlier tests that are collected meanwhile
  assign("try", try_as_line, envir = env)
  assign("plain_message", plain_message, envir = env)
  out <- utils::capture.output(
    for (expr in parse(text = code, keep.source = FALSE)) run_at_prompt(expr, env)
  )
  sub("[[:space:]]+$", "", out)
}

run_at_prompt <- function(expr, env) {
  shown <- withCallingHandlers(
    withVisible(eval(expr, env)),
    message = function(m) {
      cat(conditionMessage(m))
      invokeRestart("muffleMessage")
    }
  )
  if (shown$visible) print(shown$value)
}

try_as_line <- function(expr, silent = FALSE) {
  tryCatch(expr, error = function(e) {
    if (!silent) cat("Error: ", plain_message(e), "\n", sep = "")
    invisible(structure("error", class = "try-error"))
  })
}

plain_message <- function(e) {
  text <- sub("\nRun `reticulate::py_last_error()` for details.", "", conditionMessage(e), fixed = TRUE)
  sub("^[A-Za-z_.]*[.]([A-Za-z]+: )", "\\1", text)
}

# R writes the shape of a tensor of rank 1 without Python's comma.
comparable <- function(lines) {
  lines <- gsub("shape=\\(([0-9]+),\\), dtype=", "shape=(\\1), dtype=", sub("[[:space:]]+$", "", lines))
  full <- which(nzchar(lines))
  if (length(full)) lines[min(full):max(full)] else character()
}
