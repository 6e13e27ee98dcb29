# Lookup of the verbs of verb_table (generated-verbs.R).

# How sum(x, y) puts the results of its arguments together.
join_table <- c(
  sum = "math.add", prod = "math.multiply", min = "math.minimum", max = "math.maximum",
  all = "math.logical_and", any = "math.logical_or", range = "r.join_range"
)

# The cached Python callable for an R generic.
verb <- function(generic, kind = "plain") {
  found <- verbs[[kind]][[generic]]
  if (is.null(found)) found <- make_verb(generic, kind)
  found
}

verbs <- lapply(verb_table, function(names) new.env(parent = emptyenv()))

make_verb <- function(generic, kind) {
  path <- verb_table[[kind]]
  if (!generic %in% names(path)) {
    complain(generic, "() is not defined for tensors")
  }
  join <- if (kind == "reduction" && generic %in% names(join_table)) join_table[[generic]]
  made <- call_python(bridge("verb"), path[[generic]], kind, join)
  assign(generic, made, envir = verbs[[kind]])
  made
}
