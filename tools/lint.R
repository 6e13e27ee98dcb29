# Rscript lint.R PACKAGE: the same linters whatever lintr's version takes as its defaults; any lint fails.
package <- commandArgs(trailingOnly = TRUE)[[1L]]

# A linter that was renamed between the versions of lintr that we meet.
either <- function(new, old) {
  name <- if (new %in% getNamespaceExports("lintr")) new else old
  linter <- getExportedValue("lintr", name)()
  attr(linter, "name") <- name # lintr tells linters apart by it, and takes it from the call
  linter
}

linters <- list(
  lintr::line_length_linter(120L),
  lintr::assignment_linter(),
  lintr::brace_linter(),
  lintr::commas_linter(),
  lintr::equals_na_linter(),
  lintr::function_left_parentheses_linter(),
  lintr::infix_spaces_linter(),
  lintr::paren_body_linter(),
  either("quotes_linter", "single_quotes_linter"),
  lintr::semicolon_linter(),
  lintr::seq_linter(),
  lintr::T_and_F_symbol_linter(),
  lintr::trailing_blank_lines_linter(),
  lintr::trailing_whitespace_linter(),
  lintr::vector_logic_linter(),
  either("whitespace_linter", "no_tab_linter")
)
lints <- lintr::lint_package(package, linters = linters, parse_settings = FALSE)
# Names that are used and not there, and locals that are set and not used. object_usage_linter() asks codetools, too, but
# takes .Generic for unknown, and as of lintr 3.0 stops at tests.
code <- new.env(parent = globalenv())
for (name in c("tf", "C_call_of", "C_fresh_array", "C_kinds")) assign(name, NULL, code) # bound by loading
for (file in list.files(file.path(package, "R"), "[.]R$", full.names = TRUE)) sys.source(file, code)
usage <- character()
codetools::checkUsageEnv(code, report = function(text) usage <<- c(usage, text), suppressPartialMatchArgs = FALSE)
if (length(lints) > 0L || length(usage) > 0L) {
  print(lints)
  cat(usage, sep = "")
  cat(length(lints) + length(usage), "lints\n")
  quit(status = 1L)
}
cat("no lints\n")
