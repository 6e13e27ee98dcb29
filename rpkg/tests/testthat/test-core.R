# How the core gets from the installed file into a folder that Python reads.

# A core of three files, packed, and a folder to unpack it into.
small_core <- function(env = parent.frame()) {
  folder <- withr::local_tempdir(.local_envir = env)
  dir.create(file.path(folder, "twinflow", "__pycache__"), recursive = TRUE)
  writeLines("one = 1", file.path(folder, "twinflow", "__init__.py"))
  writeBin(as.raw(0:255), file.path(folder, "twinflow", "bytes.txt"))
  file.create(file.path(folder, "twinflow", c("empty.py", "__init__.pyi", "py.typed", "__pycache__/x.pyc")))
  installed <- withr::local_tempdir(.local_envir = env)
  pack_core(folder, installed)
  parent <- file.path(withr::local_tempdir(.local_envir = env), "cache", "of")
  list(files = folder, archive = list.files(installed, full.names = TRUE), parent = parent)
}

expect_unpacked <- function(folder, core) {
  names <- c("twinflow/__init__.py", "twinflow/bytes.txt", "twinflow/empty.py")
  expect_setequal(list.files(folder, recursive = TRUE), c(names, contents_file))
  expect_identical(
    unname(tools::md5sum(file.path(folder, names))),
    unname(tools::md5sum(file.path(core$files, names)))
  )
}

days_ago <- function(paths, days) Sys.setFileTime(paths, Sys.time() - days * 86400)

test_that("what is unpacked is what was packed, but for bytecode and stubs, and is used again", {
  core <- small_core()
  folder <- unpack_core(core$archive, core$parent)
  expect_unpacked(folder, core)
  expect_identical(list.files(core$parent), basename(folder))
  made <- file.mtime(file.path(folder, "twinflow", "__init__.py"))
  days_ago(folder, 1)
  expect_identical(unpack_core(core$archive, core$parent), folder)
  expect_identical(file.mtime(file.path(folder, "twinflow", "__init__.py")), made)
  expect_error(pack_core(core$parent, core$files), "core is not in .* without symbolic links")
})

test_that("a folder from which something was lost is made anew", {
  core <- small_core()
  folder <- unpack_core(core$archive, core$parent)
  lose <- list(
    function() unlink(file.path(folder, "twinflow", "empty.py")),
    function() writeBin(raw(3), file.path(folder, "twinflow", "bytes.txt")),
    function() unlink(file.path(folder, contents_file)),
    function() writeBin(raw(3), file.path(folder, contents_file)),
    function() saveRDS(NULL, file.path(folder, contents_file)),
    function() unlink(folder, recursive = TRUE)
  )
  for (harm in lose) {
    harm()
    expect_silent(unpack_core(core$archive, core$parent))
    expect_unpacked(folder, core)
    expect_identical(list.files(core$parent), basename(folder))
  }
})

test_that("where nothing can be written the next folder is taken, and the reason kept", {
  core <- small_core()
  file <- withr::local_tempfile(lines = "no folder")
  before <- core_place$troubles
  withr::defer(core_place$troubles <- before)
  folder <- expect_silent(unpacked_core(core$archive, c(file.path(file, "cache"), file, core$parent)))
  expect_unpacked(folder, core)
  expect_match(core_place$troubles, "^.*: the folder cannot be made$", all = FALSE)
  expect_length(core_place$troubles, 2L)
  expect_null(unpacked_core(core$archive, file))
})

test_that("a damaged file is said to be damaged, and leaves nothing behind", {
  core <- small_core()
  bytes <- readBin(core$archive, "raw", 1e6)
  for (content in list(raw(), bytes[-1L], replace(bytes, 40L, xor(bytes[[40L]], as.raw(1))))) {
    writeBin(content, core$archive)
    expect_error(unpack_core(core$archive, core$parent), "package is damaged and has to be installed again")
    expect_identical(list.files(core$parent), character())
  }
  expect_error(unpack_core("", core$parent), "package is damaged")
})

test_that("the faster of two sessions wins, and the other one uses what is there", {
  core <- small_core()
  folder <- unpack_core(core$archive, core$parent)
  beside <- paste0(folder, "-other")
  write_core(core$archive, beside)
  put_in_place(beside, folder) # there already
  expect_true(is_whole(beside))
  unlink(file.path(folder, "twinflow"), recursive = TRUE)
  put_in_place(beside, folder)
  expect_unpacked(folder, core)
  expect_identical(list.files(core$parent), basename(folder))
  unlink(folder, recursive = TRUE)
  expect_error(put_in_place(beside, folder), "cannot be put in place") # nothing was written
})

test_that("four sessions that start at once make one folder", {
  skip_on_cran()
  cache <- withr::local_tempdir()
  withr::local_envvar(R_USER_CACHE_DIR = cache)
  said <- withr::local_tempfile(fileext = as.character(1:4))
  code <- sprintf("cat(twinflow:::unpack_core(twinflow:::packed_core(), %s))", deparse(file.path(cache, "here")))
  skip_if_not(nzchar(packed_core()), "the core is used in the working copy")
  for (file in said) system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(code)), stdout = file, wait = FALSE)
  done <- function() all(file.exists(said)) && all(file.size(said) > 0)
  for (i in 1:300) if (!done()) Sys.sleep(0.2)
  folder <- file.path(normalizePath(cache, "/"), "here", sub("[.]rds$", "", basename(packed_core())))
  expect_identical(unlist(lapply(said, readLines, warn = FALSE)), rep(folder, 4L))
  expect_true(is_whole(folder))
  expect_identical(list.files(dirname(folder)), basename(folder))
})

test_that("cores that nobody has used for a month are removed, once a day at most", {
  core <- small_core()
  folder <- unpack_core(core$archive, core$parent)
  names <- c("core-0123456789ab", "core-ba9876543210", "core-0123456789ab-1f2e", "mine", "core-x")
  others <- file.path(core$parent, names)
  for (other in others) dir.create(other)
  file.create(file.path(others[1:2], contents_file))
  days_ago(file.path(others[1:2], contents_file), c(29, 31))
  days_ago(others, 40)
  unpack_core(core$archive, core$parent)
  expect_true(all(dir.exists(others)))
  days_ago(file.path(folder, contents_file), 2)
  unpack_core(core$archive, core$parent)
  expect_identical(dir.exists(others), c(TRUE, FALSE, FALSE, TRUE, TRUE))
  expect_lt(as.numeric(difftime(Sys.time(), file.mtime(file.path(folder, contents_file)), units = "secs")), 60)
})

test_that("packages that are checked leave nothing in the user's folders", {
  withr::local_envvar(`_R_CHECK_PACKAGE_NAME_` = "another", R_USER_CACHE_DIR = NA)
  expect_identical(core_parents(), file.path(tempdir(), "twinflow"))
  withr::local_envvar(R_USER_CACHE_DIR = "/chosen")
  expect_identical(core_parents()[[1L]], "/chosen/R/twinflow")
  withr::local_envvar(`_R_CHECK_PACKAGE_NAME_` = NA, R_USER_CACHE_DIR = NA)
  expect_identical(core_parents(), c(tools::R_user_dir("twinflow", "cache"), file.path(tempdir(), "twinflow")))
})

core_test("without a cache the core runs from the session's own folder, and twinflow_sitrep() says so", {
  skip_on_cran()
  skip_if_not(nzchar(packed_core()), "the core is used in the working copy")
  file <- withr::local_tempfile(lines = "no folder")
  withr::local_envvar(R_USER_CACHE_DIR = file, PYTHONDONTWRITEBYTECODE = "1")
  script <- withr::local_tempfile(fileext = ".R", lines = c(
    "library(twinflow)",
    "print(as_tensor(1:3) + 1L)",
    "reticulate::py_run_string('import twinflow; same = twinflow.__file__')",
    "cat(identical(reticulate::py$same, tf$`__file__`), startsWith(tf$`__file__`, normalizePath(tempdir())), '\n')",
    "twinflow_sitrep()"
  ))
  how <- c("--no-save", "--no-restore", script)
  said <- system2(file.path(R.home("bin"), "Rscript"), how, stdout = TRUE, stderr = TRUE)
  expect_identical(said[1:2], c("tf.Tensor([2 3 4], shape=(3), dtype=int32)", "TRUE TRUE "))
  expect_match(said, "core cannot be unpacked into .*R/twinflow: the folder cannot be made", all = FALSE)
})

core_test("a core that could not be unpacked is named at first use", {
  tf$constant(1) # starts Python
  before <- as.list(core_place)
  withr::defer(list2env(before, core_place))
  core_place$folder <- NULL
  core_place$troubles <- c("a: no", "b: no")
  expect_identical(why_no_core("x"), "The core cannot be unpacked into a: no, nor into b: no")
})
