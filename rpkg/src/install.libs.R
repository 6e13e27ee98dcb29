# What R does by itself where there is no such file: installs the shared library. Then the Python core, as one file.
libs <- file.path(R_PACKAGE_DIR, paste0("libs", R_ARCH))
dir.create(libs, showWarnings = FALSE, recursive = TRUE)
file.copy(c(Sys.glob(paste0("*", SHLIB_EXT)), Sys.glob("symbols.rds")), libs, overwrite = TRUE)

packing <- new.env()
sys.source(file.path(R_PACKAGE_SOURCE, "R", "core.R"), packing)
packing$pack_core(file.path(R_PACKAGE_SOURCE, "inst", "python"), R_PACKAGE_DIR)
