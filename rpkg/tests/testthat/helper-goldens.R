# What the original package answered to many expressions, recorded as JSON. Kept outside the package;
# there in a checkout. Flagged records (the original is silently wrong, ...) and the deviations in
# deviations.csv are left out.

golden_folder <- function() test_path("..", "..", "..", "tests", "golden")

not_to_copy <- c(
  "silent-wrong", "bug", "rng", "address", "out-of-scope", "works-by-accident", "quirk", "print-version",
  "numerics", "gap"
)

read_goldens <- function() {
  records <- jsonlite::fromJSON(file.path(golden_folder(), "r_probes.json"), simplifyVector = FALSE)
  flags <- jsonlite::fromJSON(file.path(golden_folder(), "r_probes_flags.json"), simplifyVector = FALSE)
  skipped <- utils::read.csv(test_path("deviations.csv"))$id
  Filter(function(record) {
    flag <- flags[[record$id]]
    !record$id %in% skipped && (is.null(flag) || !flag$flag %in% not_to_copy)
  }, records)
}

# What an expression prints, raises and warns here.
answer <- function(code) {
  set <- grep("^tensorflow", names(options()), value = TRUE)
  options(stats::setNames(vector("list", length(set)), set))
  env <- list2env(list(r_to_py = reticulate::r_to_py), parent = globalenv())
  warned <- FALSE
  error <- NULL
  printed <- NULL
  utils::capture.output(withCallingHandlers(
    tryCatch(
      {
        value <- eval(parse(text = code, keep.source = FALSE), env)
        printed <- paste(utils::capture.output(print(value)), collapse = "\n")
      },
      error = function(e) error <<- conditionMessage(e)
    ),
    warning = function(w) {
      warned <<- TRUE
      invokeRestart("muffleWarning")
    },
    message = function(m) invokeRestart("muffleMessage")
  ))
  list(printed = printed, error = error, warned = warned)
}

squeezed <- function(text) {
  text <- gsub("0x[0-9a-f]{6,}", "0xADDR", gsub("\u00d7", "x", text))
  trimws(gsub("[[:space:]]+", " ", text))
}

# NULL where the answer is the recorded one, or what differs. A function that the core does not have
# yet is pending, not wrong.
golden_difference <- function(record) {
  got <- answer(record$r_code)
  if (!is.null(got$error) && grepl("has no attribute", got$error) && is.null(record$error)) {
    return(NULL)
  }
  same <- if (is.null(record$error)) {
    is.null(got$error) && identical(squeezed(got$printed), squeezed(record$printed))
  } else {
    !is.null(got$error)
  }
  if (same && identical(got$warned, length(record$warnings) > 0L)) {
    return(NULL)
  }
  paste0(
    record$id, ": ", record$r_code, "\n  recorded: ", record$error %||% record$printed,
    "\n  here: ", got$error %||% got$printed
  )
}

`%||%` <- function(x, y) if (is.null(x)) y else x
