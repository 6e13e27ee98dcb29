files <- list.files(test_path("cases"), pattern = "[.]md$", full.names = TRUE)

for (file in files) {
  cases <- read_cases(file)
  for (name in names(cases)) {
    case <- cases[[name]]
    expected <- if (is.null(case[["output-r"]])) case[["output"]] else case[["output-r"]]
    if (is.null(case[["r"]]) || is.null(expected)) next
    core_test(paste(basename(file), name, sep = ": "), {
      expect_identical(comparable(prompt_output(case[["r"]])), comparable(expected))
    })
  }
}
