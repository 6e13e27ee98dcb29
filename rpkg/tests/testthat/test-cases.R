files <- list.files(test_path("cases"), pattern = "[.]md$", full.names = TRUE)

for (file in files) {
  cases <- read_cases(file)
  for (name in names(cases)) {
    case <- cases[[name]]
    if (is.null(case$r) || is.null(case$output)) next
    core_test(paste(basename(file), name, sep = ": "), {
      expect_identical(strip_blank_ends(prompt_output(case$r)), strip_blank_ends(case$output))
    })
  }
}
