# Evaluates one expression and says what came of it, as JSON: the R side of r_probes.json.

probe_quiet <- function(expr, warned) {
  withCallingHandlers(
    expr,
    warning = function(w) {
      warned()
      invokeRestart("muffleWarning")
    },
    message = function(m) invokeRestart("muffleMessage")
  )
}

probe_text <- function(x) paste(utils::capture.output(x), collapse = "\n")

probe_deparsed <- function(x) {
  tryCatch(
    paste(
      deparse(x, control = c("keepNA", "keepInteger", "showAttributes", "digits17"), width.cutoff = 500L),
      collapse = ""
    ),
    error = function(e) NULL
  )
}

probe_described <- function(value) {
  if (inherits(value, "tensorflow.tensor")) {
    list(
      dtype = value$dtype$name,
      shape = lapply(as.list(dim(value)), function(n) if (is.na(n)) NULL else n),
      as_array = if (isTRUE(length(value) <= 64)) {
        tryCatch(probe_deparsed(as.array(value)), error = function(e) paste("ERROR:", conditionMessage(e)))
      }
    )
  } else if (!inherits(value, "python.builtin.object") && !is.function(value) && !is.environment(value)) {
    list(r_value = probe_deparsed(value))
  } else {
    list()
  }
}

# Options that a probe sets, or that a warning switches off once it was shown, hold for that probe alone.
probe_options_off <- function() {
  set <- grep("^(tensorflow|twinflow)[.]", names(options()), value = TRUE)
  options(stats::setNames(vector("list", length(set)), set))
}

# What library(reticulate) would add to the names that the probes use.
probe_globals <- list2env(list(r_to_py = reticulate::r_to_py), parent = globalenv())
# Products of which older versions of R let no package make methods.
list2env(twinflow::tensor_verbs(c("%*%", "crossprod", "tcrossprod")), probe_globals)

run_probe <- function(code) {
  kept <- options(warn = 0L)
  on.exit(options(kept))
  probe_options_off()
  warned <- FALSE
  note <- function() warned <<- TRUE
  found <- list()
  value <- NULL
  stdout <- probe_text(tryCatch(
    probe_quiet(value <- eval(parse(text = code, keep.source = FALSE), new.env(parent = probe_globals)), note),
    error = function(e) found$error <<- conditionMessage(e)
  ))
  if (is.null(found$error)) {
    found <- c(found, tryCatch(probe_described(value), error = function(e) list(error = conditionMessage(e))))
    found$printed <- tryCatch(
      probe_quiet(probe_text(print(value)), note),
      error = function(e) paste("PRINT ERROR:", conditionMessage(e))
    )
  }
  if (nzchar(stdout)) found$stdout <- stdout
  if (warned) found$warns <- TRUE
  as.character(jsonlite::toJSON(found, auto_unbox = TRUE, null = "null", digits = NA))
}
