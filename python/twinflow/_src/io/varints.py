"""Varints: integers in groups of seven bits, as protocol buffers and tables store them."""

from __future__ import annotations


def varint(number: int) -> bytes:
    """Returns the varint encoding of an integer: groups of seven bits, lowest first."""
    if number < 128:
        return bytes((number,))
    encoding = bytearray()
    while number > 127:
        encoding.append(number & 127 | 128)
        number >>= 7
    encoding.append(number)
    return bytes(encoding)


def read_varint(data: bytes, offset: int, bits: int = 64) -> tuple[int, int]:
    """Decodes a varint; returns the integer, and the offset after it.

    Raises IndexError where the data end within it, ValueError where it has more bits.
    """
    number = shift = 0
    while True:
        byte = data[offset]
        number |= (byte & 127) << shift
        offset, shift = offset + 1, shift + 7
        if byte < 128:
            return number, offset
        if shift >= bits:
            raise ValueError(f"a number of more than {bits} bits")
