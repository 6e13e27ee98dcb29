# The Python core travels as one file: an R list of raw vectors, named by their paths. An installed package is a
# quarter as large with it as with the files, and needs no program to pack or unpack. At first use it is unpacked into
# the user's cache, where Python keeps its bytecode too; in the working copy the files themselves are used.
# src/install.libs.R reads this file before the package exists: it holds nothing but functions and constants.

# From the folder with the core to the file that gets installed, whose name is made of its content.
pack_core <- function(folder, into) {
  files <- sort(list.files(folder, recursive = TRUE), method = "radix")
  files <- grep("(^|/)__pycache__/|[.]py[ci]$|/py[.]typed$", files, invert = TRUE, value = TRUE)
  if (!"twinflow/__init__.py" %in% files) {
    stop("the Python core is not in ", folder, ": a checkout without symbolic links cannot be installed", call. = FALSE)
  }
  paths <- file.path(folder, files)
  core <- Map(readBin, paths, "raw", file.size(paths))
  archive <- file.path(into, "core.rds")
  saveRDS(structure(core, names = files), archive)
  file.rename(archive, file.path(into, paste0(name_of_content(archive), ".rds")))
}

name_of_content <- function(archive) paste0("core-", substr(tools::md5sum(archive), 1L, 12L))

# Found once a session: `folder`, NULL where there is none; `troubles` tells which folders were of no use, and why.
core_place <- new.env(parent = emptyenv())

core_folder <- function() {
  if (is.null(core_place$folder)) {
    files <- system.file("python", package = "twinflow", lib.loc = core_place$library)
    core_place$folder <- if (nzchar(files)) files else unpacked_core(packed_core(), core_parents())
  }
  core_place$folder
}

# The file that was installed; "" where there is none.
packed_core <- function() {
  installed <- system.file(package = "twinflow", lib.loc = core_place$library)
  c(list.files(installed, "^core-[0-9a-f]+[.]rds$", full.names = TRUE), "")[[1L]]
}

# Where the core may be unpacked: what cannot be written there is written into the session's own folder. Packages that
# are being checked must leave nothing in the user's folders.
core_parents <- function() {
  checked <- nzchar(Sys.getenv("_R_CHECK_PACKAGE_NAME_")) && !nzchar(Sys.getenv("R_USER_CACHE_DIR"))
  own <- suppressWarnings(tools::R_user_dir("twinflow", "cache")) # there may be no home
  c(if (!checked) own, file.path(tempdir(), "twinflow"))
}

# The first of the folders in which unpacking succeeds.
unpacked_core <- function(archive, parents) {
  core_place$troubles <- character()
  for (parent in parents) {
    folder <- tryCatch(unpack_core(archive, parent), error = function(e) {
      core_place$troubles <- c(core_place$troubles, paste0(short_path(parent), ": ", conditionMessage(e)))
      NULL
    })
    if (!is.null(folder)) {
      return(folder)
    }
  }
}

# A folder named by its content appears whole or not at all, however many sessions make it at once.
unpack_core <- function(archive, parent) {
  if (!dir.exists(parent) && !dir.create(parent, showWarnings = FALSE, recursive = TRUE) && !dir.exists(parent)) {
    stop("the folder cannot be made", call. = FALSE)
  }
  parent <- normalizePath(parent, winslash = "/")
  folder <- file.path(parent, sub("[.]rds$", "", basename(archive)))
  if (!is_whole(folder)) {
    beside <- file.path(parent, basename(tempfile(paste0(basename(folder), "-"))))
    on.exit(unlink(beside, recursive = TRUE))
    write_core(archive, beside)
    put_in_place(beside, folder)
  }
  keep_core(folder)
  folder
}

write_core <- function(archive, folder) {
  if (!identical(basename(archive), paste0(name_of_content(archive), ".rds"))) {
    stop("the package is damaged and has to be installed again", call. = FALSE)
  }
  core <- readRDS(archive)
  for (within in unique(dirname(names(core)))) {
    dir.create(file.path(folder, within), showWarnings = FALSE, recursive = TRUE)
  }
  try(silent = TRUE, suppressWarnings({
    Map(writeBin, core, file.path(folder, names(core)))
    saveRDS(lengths(core), file.path(folder, contents_file))
  }))
  if (!is_whole(folder)) stop("the files cannot be written", call. = FALSE)
}

# What a folder has to hold: the sizes of the files. Its time is that of the last use.
contents_file <- "contents.rds"

# Programs that tidy up, full disks and power cuts leave folders with fewer files, or shorter ones.
is_whole <- function(folder) {
  file <- file.path(folder, contents_file)
  if (!file.exists(file)) {
    return(FALSE)
  }
  sizes <- tryCatch(suppressWarnings(readRDS(file)), error = function(e) NULL)
  length(sizes) > 0L && identical(file.size(file.path(folder, names(sizes))), as.double(sizes))
}

# Another session may have been faster. On Windows a folder cannot be moved while a scanner for viruses reads it.
put_in_place <- function(beside, folder) {
  broken <- paste0(beside, "-old")
  on.exit(unlink(broken, recursive = TRUE))
  for (pause in c(0.1, 0.4, 0)) {
    free <- !dir.exists(folder) || !is_whole(folder) && suppressWarnings(file.rename(folder, broken))
    if (free && suppressWarnings(file.rename(beside, folder)) || is_whole(folder)) {
      return(invisible())
    }
    Sys.sleep(pause)
  }
  stop("the files cannot be put in place", call. = FALSE)
}

# Once a day: notes the use, and removes the cores that nobody has used for a month, as after an update, and what
# sessions that were ended while they unpacked have left.
keep_core <- function(folder, now = Sys.time()) {
  file <- file.path(folder, contents_file)
  if (difftime(now, file.mtime(file), units = "days") > 1 && Sys.setFileTime(file, now)) {
    cores <- list.files(dirname(folder), "^core-[0-9a-f]{12}($|-)", full.names = TRUE)
    used <- pmax(file.mtime(cores), file.mtime(file.path(cores, contents_file)), na.rm = TRUE)
    unlink(cores[difftime(now, used, units = "days") > 30], recursive = TRUE)
  }
}
