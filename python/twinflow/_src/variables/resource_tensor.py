"""What a program sees of the memory of a variable: a scalar tensor of the type ``resource``."""

from __future__ import annotations

from typing import Any, NoReturn

from twinflow._src.core.dtypes import DType, resource
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import TensorShape
from twinflow._src.variables.handle import Handle


class HandleTensor:
    """A handle as the functions of ``tf.raw_ops`` take it.

    Attributes:
        resource: The memory.
        value_shape: The static shape of the value.
    """

    __slots__ = ("resource", "value_shape")

    def __init__(self, resource: Handle, value_shape: TensorShape) -> None:
        self.resource, self.value_shape = resource, value_shape

    @property
    def dtype(self) -> DType:
        """The type of the handle itself."""
        return resource

    @property
    def shape(self) -> TensorShape:
        """That of a scalar."""
        return TensorShape([])

    def get_shape(self) -> TensorShape:
        """That of a scalar."""
        return self.shape

    @property
    def ndim(self) -> int:
        """0, as of every scalar."""
        return 0

    @property
    def device(self) -> str:
        """The full name of the device that holds the value."""
        return self.resource.device.name

    backing_device = device

    def numpy(self) -> NoReturn:
        """Raises InvalidArgumentError: memory is no value."""
        raise invalid("Cannot convert a Tensor of dtype resource to a NumPy array.")

    def __bool__(self) -> NoReturn:
        self.numpy()

    def __getattr__(self, name: str) -> Any:
        if name in ("name", "op", "graph"):
            raise AttributeError(f"Tensor.{name} is undefined when eager execution is enabled.")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __repr__(self) -> str:
        return f"<tf.Tensor: shape=(), dtype=resource, value={self._described()}>"

    def __str__(self) -> str:
        return f"tf.Tensor({self._described()}, shape=(), dtype=resource)"

    def _described(self) -> str:
        memory, shape = self.resource, self.value_shape
        dims = None if shape.rank is None else ",".join("?" if n is None else str(n) for n in shape.as_list())
        value = f"[ DType enum: {memory.value_dtype.as_datatype_enum}, Shape: {'<unknown>' if dims is None else f'[{dims}]'} ]"
        place = f'device="{self.device}", container="Anonymous", type="tensorflow::Var"'
        return f'<ResourceHandle(name="{memory.name}/{memory.uid}", {place}, dtype and shapes : "{value}")>'
