# In a process of its own: use_compat("v1") is for the whole of it.
in_graph_mode <- function(lines) {
  script <- withr::local_tempfile(fileext = ".R", lines = c(
    "suppressPackageStartupMessages(library(twinflow))",
    "use_compat('v1')",
    "tf$disable_v2_behavior()",
    lines
  ))
  said <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), script, stdout = TRUE, stderr = TRUE))
  paste(said, collapse = "\n")
}

core_test("sessions and savers", {
  skip_on_cran()
  said <- in_graph_mode(c(
    "folder <- tempfile(); dir.create(folder)",
    "with(tf$Graph()$as_default(), {",
    "  v <- tf$get_variable('v', shape(2), initializer = tf$constant_initializer(3))",
    "  y <- tf$multiply(v, 2, name = 'y')",
    "  tf$add_to_collection('out', y)",
    "  saver <- tf$train$Saver(max_to_keep = 2L)",
    "  with(tf$Session() %as% sess, {",
    "    failed <- tryCatch(sess$run(v), error = conditionMessage)",
    "    cat(grepl('Attempting to use uninitialized value v', failed), '\\n')",
    "    sess$run(tf$global_variables_initializer())",
    "    for (i in 1:3) path <- saver$save(sess, file.path(folder, 'm'), global_step = i)",
    "    invisible(sess$run(v$assign(c(0, 0))))",
    "    saver$restore(sess, path)",
    "    cat(sess$run(y), '\\n')",
    "    cat(unlist(sess$run(dict(a = y, b = v))), '\\n')",
    "  })",
    "})",
    "cat(list.files(folder, 'index$'), basename(tf$train$latest_checkpoint(folder)), '\\n')",
    "with(tf$Graph()$as_default(), {",
    "  saver <- tf$train$import_meta_graph(paste0(path, '.meta'))",
    "  with(tf$Session() %as% sess, {",
    "    saver$restore(sess, path)",
    "    cat(sess$run(tf$get_collection('out')[[1]]), '\\n')",
    "  })",
    "})"
  ))
  expect_identical(said, paste(c("TRUE ", "6 6 ", "6 6 3 3 ", "m-2.index m-3.index m-3 ", "6 6 "), collapse = "\n"))
})
