# The one table behind the group generics: R's name on the left, the core's on the right. Names that
# start with "r." are in the Python side of the bridge (_src/r_bridge).

verb_table <- list(
  binary = c(
    "+" = "math.add", "-" = "math.subtract", "*" = "math.multiply", "/" = "math.truediv",
    "%/%" = "math.floordiv", "%%" = "math.floormod",
    "==" = "math.equal", "!=" = "math.not_equal",
    "<" = "math.less", "<=" = "math.less_equal", ">" = "math.greater", ">=" = "math.greater_equal"
  ),
  logical = c("&" = "math.logical_and", "|" = "math.logical_or", "!" = "math.logical_not"),
  unary = c("-" = "math.negative", "+" = "identity"),
  plain = c(
    "^" = "r.power", "%*%" = "r.matmul", crossprod = "r.crossprod", tcrossprod = "r.tcrossprod",
    abs = "math.abs", sign = "math.sign", sqrt = "math.sqrt", floor = "math.floor",
    ceiling = "math.ceil", trunc = "r.truncated", round = "r.rounded", signif = "r.signif",
    exp = "math.exp", expm1 = "math.expm1", log = "r.log", log2 = "r.log2", log10 = "r.log10",
    log1p = "math.log1p",
    sin = "math.sin", cos = "math.cos", tan = "math.tan",
    asin = "math.asin", acos = "math.acos", atan = "math.atan",
    sinh = "math.sinh", cosh = "math.cosh", tanh = "math.tanh",
    asinh = "math.asinh", acosh = "math.acosh", atanh = "math.atanh",
    sinpi = "r.sinpi", cospi = "r.cospi", tanpi = "r.tanpi",
    lgamma = "math.lgamma", gamma = "r.gamma", digamma = "math.digamma", trigamma = "r.trigamma",
    cumsum = "r.cumsum", cumprod = "r.cumprod", cummax = "r.cummax", cummin = "r.cummin",
    Re = "math.real", Im = "math.imag", Conj = "math.conj", Arg = "math.angle", Mod = "math.abs",
    is.finite = "r.is_finite", is.infinite = "r.is_infinite", is.nan = "r.is_nan", is.na = "r.is_na"
  ),
  reduction = c(
    sum = "r.reduce_sum", prod = "math.reduce_prod", min = "math.reduce_min", max = "math.reduce_max",
    all = "math.reduce_all", any = "math.reduce_any", range = "r.reduce_range", mean = "r.reduce_mean"
  )
)

# How sum(x, y) puts the results of its arguments together.
join_table <- c(
  sum = "math.add", prod = "math.multiply", min = "math.minimum", max = "math.maximum",
  all = "math.logical_and", any = "math.logical_or", range = "r.join_range"
)

# The cached Python callable for an R generic.
verb <- function(generic, kind = "plain") {
  found <- verbs[[kind]][[generic]]
  if (is.null(found)) found <- make_verb(generic, kind)
  found
}

verbs <- lapply(verb_table, function(names) new.env(parent = emptyenv()))

make_verb <- function(generic, kind) {
  path <- verb_table[[kind]]
  if (!generic %in% names(path)) {
    complain(generic, "() is not defined for tensors")
  }
  join <- if (kind == "reduction" && generic %in% names(join_table)) join_table[[generic]]
  made <- call_python(bridge("verb"), path[[generic]], kind, join)
  assign(generic, made, envir = verbs[[kind]])
  made
}
