# Writes man/ and NAMESPACE from the comments in R/. Run in the package's folder.
roxygen2::roxygenise(load_code = "source")
