core_test("variables of a strategy have a copy for each device, and functions of R run on each", {
  script <- tempfile(fileext = ".R")
  on.exit(unlink(script))
  writeLines(
    con = script,
    text = c(
      "library(twinflow)",
      "cpu <- tf$config$list_physical_devices('CPU')[[1]]",
      "tf$config$set_logical_device_configuration(cpu, rep(list(tf$config$LogicalDeviceConfiguration()), 2))",
      "strategy <- tf$distribute$MirroredStrategy()",
      "with(strategy$scope(), {",
      "  w <- tf$Variable(c(1, 2), name = 'w')",
      "  optimizer <- tf$keras$optimizers$SGD(0.5)",
      "})",
      "print(w)",
      "step <- function() {",
      "  context <- tf$distribute$get_replica_context()",
      "  share <- tf$cast(context$replica_id_in_sync_group, tf$float32) + 1",
      "  with(tf$GradientTape() %as% tape, loss <- tf$reduce_sum(w * share))",
      "  optimizer$apply_gradients(list(list(tape$gradient(loss, w), w)))",
      "  loss",
      "}",
      "loss <- strategy$run(step)",
      "print(strategy$reduce('SUM', loss, axis = NULL))",
      "print(w$numpy())",
      "scaled <- function(y) w * y",
      "double <- tf_function(function(x) strategy$reduce('MEAN', strategy$run(scaled, list(x)), axis = NULL))",
      "print(double(tf$constant(2)))",
      "twice <- function() {",
      "  context <- tf$distribute$get_replica_context()",
      "  context$all_reduce('SUM', context$all_reduce('SUM', w + 0))",
      "}",
      "cat(tryCatch(strategy$run(twice), error = function(e) substr(conditionMessage(e), 1, 39)), '\\n')"
    )
  )
  said <- system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", script), stdout = TRUE, timeout = 120)
  expect_identical(
    trimws(said),
    c(
      "MirroredVariable:{",
      "0: <tf.Variable 'w:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>,",
      "1: <tf.Variable 'w/replica_1:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>",
      "}",
      "tf.Tensor(9.0, shape=(), dtype=float32)",
      "[1] -0.5  0.5",
      "tf.Tensor([-1.  1.], shape=(2), dtype=float32)",
      "NotImplementedError: A function of R ca"
    )
  )
})
