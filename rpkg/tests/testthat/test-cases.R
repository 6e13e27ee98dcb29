# Before NumPy 2.3 a float32 of nine digits had another text; tests/test_cases.py leaves the same case out.
otherwise <- function() {
  old <- numeric_version(sub("[a-z].*$", "", reticulate::import("numpy")$`__version__`)) < "2.3.0"
  if (old) "printing.md: digits" else character()
}

files <- list.files(test_path("cases"), pattern = "[.]md$", full.names = TRUE)

for (file in files) {
  cases <- read_cases(file)
  for (name in names(cases)) {
    case <- cases[[name]]
    expected <- if (is.null(case[["output-r"]])) case[["output"]] else case[["output-r"]]
    if (is.null(case[["r"]]) || is.null(expected)) next
    id <- paste(basename(file), name, sep = ": ")
    core_test(id, {
      skip_if(id %in% otherwise(), "this NumPy prints other digits")
      expect_identical(comparable(prompt_output(case[["r"]])), comparable(expected))
    })
  }
}
