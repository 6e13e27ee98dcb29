"""Coefficients of float32 erf and erfc as in TensorFlow, by falling powers.

erf is x times a ratio of polynomials of the square, up to 4. erfc is 1 plus x times a polynomial of the square up
to 1, beyond exp(-x^2) / x times a ratio of polynomials of the reciprocal of the square.
"""

SINGLE = {
    "erf_over": (2.1237322e-06, 2.86197959e-04, 3.65804834e-03, 0.0524330214, 0.187416077, 1.12837911),
    "erf_under": (3.89185734e-05, 1.14329602e-03, 0.0147520881, 0.112945676, 0.499425799, 1.0),
    "erfc_near": (5.61802299e-04, -4.91381669e-03, 2.67075151e-02, -0.112800106, 0.376122952, -1.12837911),
    "erfc_over": (0.102081165, 0.429206669, 0.323790789, 0.053971976),
    "erfc_under": (0.0172516778, 0.391371638, 1.0, 0.62173242, 0.0956628621),
}  # fmt: skip
# Arguments from which erf is 1 and erfc is 0.
ONE, NONE = 4.0, 10.5
