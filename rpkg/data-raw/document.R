# Writes man/ and NAMESPACE from the comments in R/, and the pages of what is under tf$ from the op table.
# Run in the package's folder. The pages of tf$ leave out aliases of the others, and ?tf lists them.
roxygen2::roxygenise(load_code = "source")
stopifnot(system2("python", "../tools/make_r_pages.py") == 0L)
roxygen2::roxygenise(load_code = "source")
