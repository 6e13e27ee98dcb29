# What an R user can do about an error of TensorFlow's: a line below the message.

hints <- function(message, call = NULL) {
  if (is_derivative(call) && grepl(no_tensor_texts, message)) {
    return(paste(
      "The target is a number of R's, not a tensor: something between the variables and the loss made it one, as",
      "as.numeric() does, and its derivative is lost. Compute it with tensors; see ?`statistics-of-tensors`."
    ))
  }
  for (hint in all_hints()) {
    said <- hint(message)
    if (!is.null(said)) {
      return(said)
    }
  }
  NULL
}

# tape$gradient(loss, x), t$jacobian(...): what asks a tape for derivatives.
is_derivative <- function(call) {
  f <- if (is.call(call)) call[[1L]]
  is.call(f) && identical(f[[1L]], quote(`$`)) && as.character(f[[3L]]) %in% c("gradient", "jacobian", "batch_jacobian")
}

no_tensor_texts <- paste0(
  "^(TypeError: Cannot convert the argument `type_value`|AttributeError: '(float|int|str|bool|list)' object",
  "|AttributeError: `target` cannot be)"
)

all_hints <- function() {
  list(
    whole_numbers_hint, floats_hint, logical_hint, names_hint, precision_hint, types_hint, sizes_hint, vector_hint,
    symbolic_hint, sparse_hint, dates_hint, null_hint, frame_hint, dtype_hint, elsewhere_hint
  )
}

# Whole doubles are taken where only integers can be meant; others are not, nor are tensors whose values are not known.
# Of a single number the message says enough.
fractions_texts <- paste(
  "Cannot convert \\[.*[.].* to EagerTensor of dtype u?int",
  "Expected u?int[0-9]+, but got -?[0-9.e+]+ of type 'float'",
  "must be of type integer[.] Received `[a-z]+` = ",
  "Dimension value must be integer or None .* got value '-?[0-9.e+]+'",
  "must be positive integer values[.] Received: num_rows=",
  sep = "|"
)

whole_numbers_hint <- function(message) {
  if (grepl("of (float|double) is not in the list of allowed values: (u?int[0-9]+(, )?)+(\n|$)", message)) {
    return("Only whole numbers fit here: tf$cast(x, \"int32\") makes integers of a tensor, round(x) rounds.")
  }
  if (grepl(fractions_texts, message)) {
    paste(
      "Only whole numbers fit here: round(x) rounds, as.integer(x) cuts fractions, tf$cast(x, \"int32\") those of a",
      "tensor."
    )
  }
}

floats_hint <- function(message) {
  if (grepl("of u?int[0-9]+ is not in the list of allowed values: (bfloat16|half|float|double)", message)) {
    "Whole numbers become floats by tf$cast(x, \"float64\"), or 1L by 1."
  }
}

logical_hint <- function(message) {
  if (grepl("of bool is not in the list of allowed values: (bfloat16|half|float|int)", message)) {
    "TRUE and FALSE become numbers by tf$cast(x, \"int32\"); sum(x) counts TRUE."
  }
}

# A list with names is a dictionary to Python, whose functions ask for items by number.
names_hint <- function(message) {
  if (grepl("^KeyError: [0-9]+$", message)) {
    "A list with names is a dictionary in Python: unname(x) is a list there, too."
  }
}

precision_texts <- paste(
  "expected to be a (float|double) tensor but is a (float|double) tensor",
  "conversion requested dtype float(32|64) for Tensor with dtype float(32|64)",
  "has type float(32|64) that does not match type float(32|64) of argument",
  sep = "|"
)

precision_hint <- function(message) {
  if (grepl(precision_texts, message)) {
    paste(
      "as_tensor() makes float64 of R's numbers; tf$constant(), tf$Variable() and loops over tensors make float32",
      "of them: give one of them a dtype, or use tf$cast()."
    )
  }
}

types_hint <- function(message) {
  mixed <- grepl("expected to be a [a-z0-9]+ tensor but is a [a-z0-9]+ tensor", message)
  if (mixed && !grepl("string tensor", message, fixed = TRUE)) {
    "Tensors of different types do not mix: tf$cast() converts one of them."
  }
}

sizes_hint <- function(message) {
  if (grepl("Cannot convert a partially known TensorShape", message, fixed = TRUE)) {
    "shape() describes what may be unknown; where sizes are asked for, write c(-1, 2) instead of shape(-1, 2)."
  }
}

# A vector of one value is a scalar to Python.
vector_hint <- function(message) {
  if (grepl("(1-D|1-dimension|1D|rank 1|vector).*(shapes? [[]]|, not 0)", message)) {
    "A single value is a scalar in Python: list(2) or array(2) is a vector of one."
  }
}

sparse_hint <- function(message) {
  if (grepl("unsupported operand type.*SparseTensor", message)) {
    "tf$sparse$add() adds to sparse tensors, tf$sparse$to_dense() makes them dense."
  }
}

symbolic_hint <- function(message) {
  if (grepl("'SymbolicTensor' object has no attribute 'numpy'", message, fixed = TRUE)) {
    "It has a value when its graph runs, not while the function is traced: tf$print() shows it."
  }
}

dates_hint <- function(message) {
  if (grepl("with an unsupported type \\(<class 'datetime[.]|Unsupported numpy type: NPY_DATETIME", message)) {
    "Dates and times become numbers where asked: as_tensor(x, \"float64\") holds days or seconds since 1970."
  }
}

dtype_hint <- function(message) {
  if (grepl("Cannot convert .* to a TensorFlow DType", message)) {
    "`dtype` takes TensorFlow's names: \"int32\", \"float64\", \"bool\", \"string\", \"complex128\"."
  }
}

null_hint <- function(message) {
  if (startsWith(message, "ValueError: Attempt to convert a value (None)")) {
    "None is R's NULL, which has no values: numeric(0) is an empty vector, a missing number is NaN."
  }
}

frame_hint <- function(message) {
  if (grepl("with an unsupported type (<class 'dict'>)", message, fixed = TRUE)) {
    "Data frames and named lists are dictionaries in Python: as.matrix(x) is an array, frame_to_tensor(x) a tensor."
  }
}

# A name that is not in a namespace may be in another one, or in TensorFlow 1.
elsewhere_hint <- function(message) {
  parts <- regmatches(message, regexec("module 'twinflow[.]?([^']*)' has no attribute '([^']+)'", message))[[1L]]
  if (!length(parts)) {
    return(NULL)
  }
  if (startsWith(parts[[2L]], "keras")) {
    return(paste0(keras_text, "."))
  }
  found <- as.list(ask_python(bridge("elsewhere"), parts[[2L]], parts[[3L]]))
  if (!length(found)) {
    return(NULL)
  }
  in_r <- paste0("tf$", gsub(".", "$", unlist(found), fixed = TRUE))
  said <- paste0("There is ", paste(in_r, collapse = " and "), ".")
  if (!all(startsWith(in_r, "tf$compat$v1$"))) {
    return(said)
  }
  paste(said, "use_compat(\"v1\") makes tf the namespace of TensorFlow 1.")
}
