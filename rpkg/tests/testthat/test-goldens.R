core_test("answers are those of the original", {
  skip_if_not(file.exists(file.path(golden_folder(), "r_probes.json")), "the recorded answers are not here")
  skip_if_not_installed("jsonlite")
  differences <- unlist(lapply(read_goldens(), golden_difference))
  expect_identical(differences, NULL)
})
