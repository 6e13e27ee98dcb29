.onLoad <- function(libname, pkgname) {
  core_place$library <- libname
  bind_late(topenv())
  setHook(packageEvent("reticulate", "onLoad"), function(...) connect_reticulate())
  if (isNamespaceLoaded("reticulate")) connect_reticulate()
  register_if_there("chooseOpsMethod", getRversion() >= "4.3.0")
  register_if_there("matrixOps", getRversion() >= "4.3.0")
  register_for_other_packages()
}

# Once reticulate is there, whoever loaded it.
connect_reticulate <- function() {
  reticulate::register_class_filter(r_classes)
  reticulate::py_require(python_packages, paste0(">=", oldest_python))
  reticulate::register_module_help_handler("twinflow", help_address)
  if (reticulate::py_available()) put_core_first() else setHook("reticulate.onPyInit", put_core_first)
}

the_core <- function() {
  core <- namespaces$core
  if (is.null(core)) namespaces$core <- core <- core_module()
  core
}

# `core`, and `chosen` by use_compat(), where users have called it.
namespaces <- new.env(parent = emptyenv())

# The core, to be imported when something of it is used. Where Python runs already, reticulate imports at once;
# what is missing there is said at its first use all the same.
core_module <- function() {
  if (!reticulate::py_available()) {
    hooks <- list(before_load = put_core_first, on_load = warn_other_copy, on_error = stop_without_core)
    return(as_namespace(reticulate::import("twinflow", delay_load = hooks)))
  }
  core <- tryCatch(reticulate::import("twinflow"), error = function(e) NULL)
  if (is.null(core)) {
    return(structure(list(), class = "twinflow_absent"))
  }
  warn_other_copy(core)
  as_namespace(core)
}

# Tries anew each time: what was missing may have been installed since.
#' @export
`$.twinflow_absent` <- function(x, name) {
  put_core_first()
  core <- tryCatch(reticulate::import("twinflow"), error = stop_without_core)
  `$.twinflow_module`(as_namespace(core), name)
}

# What users see as `tf` is the namespace that use_compat() chose, so it is looked up each time.
.onAttach <- function(libname, pkgname) {
  attached <- as.environment(paste0("package:", pkgname))
  rm("tf", envir = attached)
  makeActiveBinding("tf", function() if (is.null(namespaces$chosen)) the_core() else namespaces$chosen, attached)
}

# What the core imports: the last two only where TensorFlow's file formats are used.
python_packages <- c("numpy>=2.2", "ml_dtypes>=0.5", "protobuf>=5.26", "google-crc32c>=1.5")

# The core of this package comes first on Python's path, for Python code in the same session too.
put_core_first <- function() {
  sys <- reticulate::import("sys", convert = FALSE)
  path <- if (!reticulate::py_to_r(sys$modules$`__contains__`("twinflow"))) core_folder()
  if (!is.null(path) && !path %in% reticulate::py_to_r(sys$path)) sys$path$insert(0L, path)
}

# Generics that only newer versions of R have.
register_if_there <- function(generic, there) {
  if (there) {
    registerS3method(generic, "twinflow_tensor", get(paste0(generic, ".twinflow_tensor")), envir = baseenv())
  }
}

stop_without_core <- function(e) {
  complain(why_no_core(conditionMessage(e)), class = "twinflow_no_core", call = NULL)
}

# Another copy can only be in the way where Python had imported it before.
warn_other_copy <- function(core = the_core()) {
  mine <- as.character(utils::packageVersion("twinflow"))
  loaded <- core$version$TWINFLOW_VERSION
  if (!identical(package_version(loaded), package_version(mine))) {
    warning("Python had already loaded twinflow ", loaded, "; this R package is made for ", mine,
      ". Restart the session to use one version.",
      call. = FALSE
    )
  }
}
