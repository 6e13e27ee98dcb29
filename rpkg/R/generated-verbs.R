# Computed from the op table by tools/make_r_verbs.py. Do not edit: an op names its verb by `r=` in its block.

# The one table behind the generics: R's name on the left, the core's on the right. Names that start with "r." are in
# the Python side of the bridge (_src/r_bridge).
verb_table <- list(
  binary = c(
    "!=" = "math.not_equal", "%%" = "math.floormod", "%/%" = "math.floordiv",
    "*" = "math.multiply", "+" = "math.add", "-" = "math.subtract", "/" = "math.truediv",
    "<" = "math.less", "<=" = "math.less_equal", "==" = "math.equal", ">" = "math.greater",
    ">=" = "math.greater_equal"
  ),
  logical = c(
    "!" = "math.logical_not", "&" = "math.logical_and", "|" = "math.logical_or"
  ),
  unary = c(
    "+" = "identity", "-" = "math.negative"
  ),
  plain = c(
    "%*%" = "r.matmul", Arg = "math.angle", Conj = "math.conj", Im = "math.imag",
    Mod = "math.abs", Re = "math.real", "^" = "r.power", abs = "math.abs", acos = "math.acos",
    acosh = "math.acosh", asin = "math.asin", asinh = "math.asinh", atan = "math.atan",
    atanh = "math.atanh", ceiling = "math.ceil", cos = "math.cos", cosh = "math.cosh",
    cospi = "r.cospi", crossprod = "r.crossprod", cummax = "r.cummax", cummin = "r.cummin",
    cumprod = "r.cumprod", cumsum = "r.cumsum", digamma = "math.digamma", exp = "math.exp",
    expm1 = "math.expm1", floor = "math.floor", gamma = "r.gamma", is.finite = "r.is_finite",
    is.infinite = "r.is_infinite", is.na = "r.is_na", is.nan = "r.is_nan",
    lgamma = "math.lgamma", log = "r.log", log10 = "r.log10", log1p = "math.log1p",
    log2 = "r.log2", round = "r.rounded", sign = "math.sign", signif = "r.signif",
    sin = "math.sin", sinh = "math.sinh", sinpi = "r.sinpi", sqrt = "math.sqrt",
    tan = "math.tan", tanh = "math.tanh", tanpi = "r.tanpi", tcrossprod = "r.tcrossprod",
    trigamma = "r.trigamma", trunc = "r.truncated"
  ),
  reduction = c(
    all = "math.reduce_all", any = "math.reduce_any", max = "math.reduce_max",
    mean = "r.reduce_mean", min = "math.reduce_min", prod = "r.reduce_prod",
    range = "r.reduce_range", sum = "r.reduce_sum"
  )
)
