"""The public functions that work element by element, as TensorFlow lists them for its dispatch."""

from __future__ import annotations

_UNARY = """
    abs acos acosh angle as_string asin asinh atan atanh bitwise.invert cast clip_by_value cos cosh
    debugging.check_numerics exp floor io.decode_base64 io.decode_compressed io.encode_base64 logical_not
    math.angle math.bessel_i0 math.bessel_i0e math.bessel_i1 math.bessel_i1e math.ceil math.conj math.digamma
    math.erf math.erfc math.erfcinv math.erfinv math.expm1 math.imag math.is_finite math.is_inf math.is_nan
    math.lgamma math.log math.log1p math.log_sigmoid math.ndtri math.nextafter math.real math.reciprocal
    math.reciprocal_no_nan math.rint math.rsqrt math.softplus math.special.bessel_j0 math.special.bessel_j1
    math.special.bessel_k0 math.special.bessel_k0e math.special.bessel_k1 math.special.bessel_k1e
    math.special.bessel_y0 math.special.bessel_y1 math.special.dawsn math.special.expint
    math.special.fresnel_cos math.special.fresnel_sin math.special.spence negative nn.elu nn.gelu nn.leaky_relu
    nn.log_softmax nn.relu nn.relu6 nn.selu nn.softplus nn.softsign nn.swish ones_like round saturate_cast
    sigmoid sign sin sinh sqrt square strings.length strings.lower strings.regex_full_match
    strings.regex_replace strings.strip strings.substr strings.to_hash_bucket strings.to_hash_bucket_fast
    strings.to_hash_bucket_strong strings.to_number strings.unicode_script strings.unicode_transcode
    strings.upper tan tanh zeros_like"""
_BINARY = """
    add atan2 bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor bitwise.left_shift
    bitwise.right_shift complex divide equal greater greater_equal less less_equal logical_and logical_or
    math.divide_no_nan math.floordiv math.floormod math.logical_xor math.multiply_no_nan
    math.squared_difference math.xdivy math.xlog1py math.xlogy math.zeta maximum minimum multiply
    nn.sigmoid_cross_entropy_with_logits not_equal pow realdiv scalar_mul subtract truediv truncatediv
    truncatemod"""
_ASSERTS = """
    assert_equal assert_greater assert_less debugging.assert_greater_equal debugging.assert_less_equal
    debugging.assert_near debugging.assert_none_equal"""

UNARY = tuple(_UNARY.split())
BINARY = tuple(_BINARY.split())
ASSERTS = tuple(_ASSERTS.split())
