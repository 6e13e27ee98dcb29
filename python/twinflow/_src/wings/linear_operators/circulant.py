"""Circulant matrices of one to three nested levels, which Fourier transforms diagonalize."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import as_dtype, complex64, complex128, float64
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API
from twinflow._src.wings.linear_operators.base import (
    LinearOperator,
    assert_no_zeros,
    assert_positive,
    assert_real,
    record_parameters,
)
from twinflow._src.wings.linear_operators.shapes import (
    Hint,
    as_text,
    broadcast_sizes,
    commuting,
    concat_sizes,
    convert_unless_variable,
    size,
    sizes,
    static_dim,
)
from twinflow._src.wings.linear_operators.spec import make_composite_tensor


class _BaseLinearOperatorCirculant(LinearOperator):
    """Base class of circulant operators: ``F^H D F``, of a Fourier transform F and a diagonal D."""

    _depth = 1
    _fft, _ifft = "signal.fft", "signal.ifft"
    _composite_tensor_fields = "spectrum", "input_output_dtype"

    @record_parameters
    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = complex64,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = True,
        name: str = "LinearOperatorCirculant",
    ) -> None:
        self._spectrum = convert_unless_variable(spectrum, "spectrum")
        rank = self._spectrum.shape.rank
        if rank is not None and rank < self._depth:
            raise ValueError(
                f"Argument `spectrum` must have at least {self._depth} dimensions. Received: {as_text(self._spectrum)}."
            )
        if not self._spectrum.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError(
                    "A real spectrum always corresponds to a self-adjoint operator. Expected argument "
                    "`is_self_adjoint` to be True when `spectrum.dtype.is_complex` = True. Received: False."
                )
            is_self_adjoint = True
        if is_square is False:
            raise ValueError(
                "A [[nested] block] circulant operator is always square. Expected argument `is_square` to be "
                "True. Received: False."
            )
        super().__init__(
            dtype=as_dtype(input_output_dtype),
            **self._arguments(is_self_adjoint=is_self_adjoint, is_square=True),
        )

    @property
    def block_depth(self) -> int:
        """The number of nested levels."""
        return self._depth

    @property
    def spectrum(self) -> Any:
        """The eigenvalues, in the order of the Fourier transform."""
        return self._spectrum

    @property
    def block_shape(self) -> TensorShape:
        """The static shape of the levels."""
        return self._spectrum.shape[-self._depth :]

    def block_shape_tensor(self) -> Any:
        """Returns the shape of the levels as a tensor.

        Returns:
            An int32 vector.
        """
        return convert_to_tensor(sizes(self._spectrum, -self._depth), dtype="int32")

    def _count(self) -> Any:
        """Returns the number of rows."""
        result: Any = 1
        for axis in range(-self._depth, 0):
            result = result * size(self._spectrum, axis)
        return result

    def _shape(self) -> TensorShape:
        shape = self._spectrum.shape
        if shape.rank is None:
            return shape
        count: int | None = 1
        for axis in range(-self._depth, 0):
            part = static_dim(shape, axis)
            count = None if count is None or part is None else count * part
        return shape[: -self._depth].concatenate([count, count])

    def _shape_tensor(self) -> Any:
        count = self._count()
        return concat_sizes([sizes(self._spectrum, None, -self._depth), [count], [count]])

    def _wide(self) -> Any:
        """Returns the spectrum as complex numbers of the operator's precision."""
        double = self.dtype in (float64, complex128) or self._spectrum.dtype in (
            float64,
            complex128,
        )
        return API["cast"](self._spectrum, complex128 if double else complex64)

    def _narrow(self, x: Any) -> Any:
        """Returns a complex tensor in the operator's dtype."""
        return API["cast"](x if self.dtype.is_complex else API["math.real"](x), self.dtype)

    def convolution_kernel(self, name: str = "convolution_kernel") -> Any:
        """Returns the kernel whose circular convolution the operator is.

        Args:
            name: A name for the operations.

        Returns:
            A tensor of the spectrum's shape.
        """
        with self._name_scope(name):
            return self._narrow(API[self._ifft](self._wide()))

    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> Any:
        """Asserts that the convolution kernel is real, up to precision.

        Args:
            name: A name for the operations.

        Returns:
            None, or the assertion's operation in a graph.

        Raises:
            InvalidArgumentError: The spectrum is not Hermitian.
        """
        with self._name_scope(name):
            kernel = API[self._ifft](self._wide())
            limit = 1e-3 if kernel.dtype == complex64 else 1e-10
            rest = API["abs"](API["math.imag"](kernel))
            return API["debugging.assert_less"](
                rest, API["cast"](limit, rest.dtype), message="Spectrum was not Hermitian"
            )

    def _assert_non_singular(self) -> Any:
        return assert_no_zeros(
            self._spectrum, "Singular operator:  Spectrum contained zero values."
        )

    def _assert_self_adjoint(self) -> Any:
        text = "Not self-adjoint:  The spectrum contained non-zero imaginary part."
        return assert_real(self._spectrum, text)

    def _assert_positive_definite(self) -> Any:
        return assert_positive(
            API["math.real"](self._spectrum),
            "Not positive definite:  Real part of spectrum was not all positive.",
        )

    def _apply(self, x: Any, spectrum: Any) -> Any:
        """Multiplies matrices by the operator of a spectrum."""
        block = sizes(self._spectrum, -self._depth)
        columns = API["linalg.matrix_transpose"](API["cast"](x, spectrum.dtype))
        blocks = API["reshape"](columns, concat_sizes([sizes(columns, None, -1), block]))
        spectrum = API["expand_dims"](spectrum, -self._depth - 1)
        blocks = API[self._ifft](API[self._fft](blocks) * spectrum)
        batch = broadcast_sizes([sizes(self._spectrum, None, -self._depth), sizes(x, None, -2)])
        shape = concat_sizes([batch, sizes(x, -1), [self._count()]])
        return self._narrow(API["linalg.matrix_transpose"](API["reshape"](blocks, shape)))

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = API["linalg.adjoint"](x) if adjoint_arg else x
        spectrum = self._wide()
        return self._apply(x, API["math.conj"](spectrum) if adjoint else spectrum)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs = API["linalg.adjoint"](rhs) if adjoint_arg else rhs
        spectrum = self._wide()
        return self._apply(rhs, 1.0 / (API["math.conj"](spectrum) if adjoint else spectrum))

    def _flat(self) -> Any:
        """Returns the spectrum with the levels in one dimension."""
        spectrum = convert_to_tensor(self._spectrum)
        shape = concat_sizes([sizes(spectrum, None, -self._depth), [self._count()]])
        return API["reshape"](spectrum, shape)

    def _as_output(self, x: Any) -> Any:
        if x.dtype.is_complex and not self.dtype.is_complex:
            x = API["math.real"](x)
        return API["cast"](x, self.dtype)

    def _determinant(self) -> Any:
        return self._as_output(API["reduce_prod"](self._flat(), axis=[-1]))

    def _log_abs_determinant(self) -> Any:
        size = API["reduce_sum"](API["math.log"](API["abs"](self._flat())), axis=[-1])
        return API["cast"](size, self.dtype)

    def _trace(self) -> Any:
        return self._as_output(API["reduce_sum"](self._flat(), axis=[-1]))

    def _diag_part(self) -> Any:
        mean = self.trace() / API["cast"](self._count(), self.dtype)
        return mean[..., None] * API["ones"]([self._count()], dtype=self.dtype)

    def _eigvals(self) -> Any:
        return self._flat()

    def _cond(self) -> Any:
        size = API["abs"](self._flat())
        return API["reduce_max"](size, axis=-1) / API["reduce_min"](size, axis=-1)

    def _of(self, spectrum: Any, **hints: Hint) -> LinearOperator:
        """Returns an operator of another spectrum, with the same hints where none are given."""
        return type(self)(spectrum, input_output_dtype=self.dtype, **self._hints(**hints))

    def _linop_adjoint(self) -> LinearOperator:
        spectrum = convert_to_tensor(self._spectrum)
        return self._of(API["math.conj"](spectrum) if spectrum.dtype.is_complex else spectrum)

    def _linop_inverse(self) -> LinearOperator:
        return self._of(1.0 / self._spectrum)

    def _are_alike(self, left: LinearOperator, right: LinearOperator) -> bool:
        return type(left) is type(right) and isinstance(left, _BaseLinearOperatorCirculant)

    def _linop_matmul(self, left_operator: LinearOperator, right_operator: LinearOperator) -> Any:
        if not self._are_alike(left_operator, right_operator):
            return super()._linop_matmul(left_operator, right_operator)
        spectrum = left_operator.spectrum * right_operator.spectrum  # type: ignore[attr-defined]
        return self._of(spectrum, **commuting(left_operator, right_operator))

    def _linop_solve(self, left_operator: LinearOperator, right_operator: LinearOperator) -> Any:
        if not self._are_alike(left_operator, right_operator):
            return super()._linop_solve(left_operator, right_operator)
        spectrum = right_operator.spectrum / left_operator.spectrum  # type: ignore[attr-defined]
        return self._of(spectrum, **commuting(left_operator, right_operator))

    @property
    def input_output_dtype(self) -> Any:
        """The dtype of arguments and results."""
        return self.dtype

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"spectrum": self._depth}


@make_composite_tensor
class LinearOperatorCirculant(_BaseLinearOperatorCirculant):
    """Circulant matrices: each row is the one above, rotated by one.

    Args:
        spectrum: The eigenvalues: the Fourier transform of the first column, of shape ``[..., N]``.
        input_output_dtype: The dtype of arguments and results.
        is_non_singular: The hint that the operator is invertible.
        is_self_adjoint: The hint that the operator is self-adjoint; True for real spectra.
        is_positive_definite: The hint that the operator is positive definite.
        is_square: The hint that the operator is square; not False.
        name: The name.

    Raises:
        ValueError: A hint is wrong, or the rank of the spectrum is too small.
    """

    __module__ = "twinflow.linalg"


@make_composite_tensor
class LinearOperatorCirculant2D(_BaseLinearOperatorCirculant):
    """Block circulant matrices with circulant blocks.

    Args:
        spectrum: The eigenvalues: the Fourier transform of the kernel, of shape ``[..., N0, N1]``.
        input_output_dtype: The dtype of arguments and results.
        is_non_singular: The hint that the operator is invertible.
        is_self_adjoint: The hint that the operator is self-adjoint; True for real spectra.
        is_positive_definite: The hint that the operator is positive definite.
        is_square: The hint that the operator is square; not False.
        name: The name.

    Raises:
        ValueError: A hint is wrong, or the rank of the spectrum is too small.
    """

    __module__ = "twinflow.linalg"
    _depth = 2
    _fft, _ifft = "signal.fft2d", "signal.ifft2d"

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = complex64,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = True,
        name: str = "LinearOperatorCirculant2D",
    ) -> None:
        super().__init__(
            spectrum,
            input_output_dtype,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
        )


@make_composite_tensor
class LinearOperatorCirculant3D(_BaseLinearOperatorCirculant):
    """Nested block circulant matrices of three levels.

    Args:
        spectrum: The eigenvalues: the Fourier transform of the kernel, of shape
            ``[..., N0, N1, N2]``.
        input_output_dtype: The dtype of arguments and results.
        is_non_singular: The hint that the operator is invertible.
        is_self_adjoint: The hint that the operator is self-adjoint; True for real spectra.
        is_positive_definite: The hint that the operator is positive definite.
        is_square: The hint that the operator is square; not False.
        name: The name.

    Raises:
        ValueError: A hint is wrong, or the rank of the spectrum is too small.
    """

    __module__ = "twinflow.linalg"
    _depth = 3
    _fft, _ifft = "signal.fft3d", "signal.ifft3d"

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = complex64,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = True,
        name: str = "LinearOperatorCirculant3D",
    ) -> None:
        super().__init__(
            spectrum,
            input_output_dtype,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
        )
