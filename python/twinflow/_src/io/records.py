"""TFRecord files: sequences of byte strings with checksums.

A record is its length (8 bytes), a checksum of the length (4), the data, and a checksum of the data
(4), all little-endian. The checksums are CRC-32C, rotated and offset by a constant. They are
computed by the package google-crc32c, which is imported only here.
"""

from __future__ import annotations

import io
import struct
import weakref
import zlib
from collections.abc import Iterator
from typing import IO, Any

from twinflow._src.core import errors
from twinflow._src.core.errors import DataLossError, FailedPreconditionError
from twinflow._src.core.protos import needed
from twinflow._src.dispatch.op import documented_like, export
from twinflow._src.io import crc, snappy
from twinflow._src.io.local_files import closing, explained, path_text
from twinflow._src.ops.strings.encoding import inflate_message

_HEADER = 12


def _checksum(data: bytes) -> bytes:
    """Returns the masked checksum of data, as four bytes."""
    value = needed("google_crc32c", "google-crc32c").value(data)
    return struct.pack("<I", crc.mask(value))


def frame(record: bytes) -> bytes:
    """Returns a record with its length and checksums."""
    length = struct.pack("<Q", len(record))
    return b"".join((length, _checksum(length), record, _checksum(record)))


class TFRecordCompressionType:
    """Compression types of TFRecord files, as numbers."""

    NONE, ZLIB, GZIP = 0, 1, 2


class TFRecordOptions:
    """Compression options of TFRecord files.

    Args:
        compression_type: ``""``, ``"ZLIB"`` or ``"GZIP"``.
        flush_mode: Accepted and without effect.
        input_buffer_size: Accepted and without effect.
        output_buffer_size: Accepted and without effect.
        window_bits: The base-2 logarithm of the window size; the maximum if None.
        compression_level: 0 to 9, or -1 for the zlib default.
        compression_method: Accepted and without effect: zlib has only one.
        mem_level: Memory usage of the compressor, 1 to 9.
        compression_strategy: The zlib strategy.

    Raises:
        ValueError: The compression type is invalid.
    """

    __module__ = "twinflow.io"

    compression_type_map = {0: "", 1: "ZLIB", 2: "GZIP"}

    def __init__(
        self,
        compression_type: Any = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """Returns the compression type of options, a name or a number.

        Args:
            options: A ``TFRecordOptions``, ``""``, ``"ZLIB"``, ``"GZIP"``, a number, or None.

        Raises:
            ValueError: The compression type is invalid.
        """
        if not options:
            return ""
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        if isinstance(options, int) and options in cls.compression_type_map:
            return cls.compression_type_map[options]
        if options in cls.compression_type_map.values():
            return options
        raise ValueError(f'Not a valid compression_type: "{options}"')

    def _compressor(self, kind: str) -> Any:
        """Returns the compressor of the options; zlib defaults for None."""
        bits = zlib.MAX_WBITS if self.window_bits is None else self.window_bits
        return zlib.compressobj(
            -1 if self.compression_level is None else self.compression_level,
            zlib.DEFLATED,
            bits + 16 if kind == "GZIP" else bits,
            9 if self.mem_level is None else self.mem_level,
            self.compression_strategy or zlib.Z_DEFAULT_STRATEGY,
        )


def _finish(file: IO[bytes], compressor: Any) -> None:
    """Flushes a compressor and closes the file."""
    with file:
        if compressor:
            file.write(compressor.flush())


class TFRecordWriter:
    """Writer of a TFRecord file; a context manager.

    Args:
        path: The path of the file.
        options: A ``tf.io.TFRecordOptions``, or the name of a compression.

    Raises:
        NotFoundError: The directory does not exist.
        ValueError: The compression type is invalid.
        ImportError: The package google-crc32c is not installed.
    """

    __module__ = "twinflow.io"

    def __init__(self, path: Any, options: Any = None) -> None:
        if not isinstance(path, (str, bytes)):
            raise TypeError(f"Expected binary or unicode string, got {path!r}")
        kind = TFRecordOptions.get_compression_type_string(options)
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(kind)
        self._compressor = options._compressor(kind) if kind else None
        with explained(path_text(path)) as local_path:
            self._file: IO[bytes] | None = open(local_path, "wb")  # noqa: SIM115
        self._finish = weakref.finalize(self, _finish, self._file, self._compressor)

    def _opened(self) -> IO[bytes]:
        if self._file is None:
            raise FailedPreconditionError(None, None, "Writer is closed.")
        return self._file

    def _compress(self, data: bytes) -> None:
        self._opened().write(self._compressor.compress(data) if self._compressor else data)

    def write(self, record: Any) -> None:
        """Writes a record.

        Args:
            record: The data, as bytes or string.

        Raises:
            TypeError: The record has another type.
            FailedPreconditionError: The writer is closed.
        """
        self._opened()
        if not isinstance(record, (str, bytes, bytearray, memoryview)):
            raise TypeError(f"Expected binary or unicode string, got {record!r}")
        data = record.encode() if isinstance(record, str) else bytes(record)
        self._compress(frame(data))

    def flush(self) -> None:
        """Flushes written data to the operating system.

        Raises:
            FailedPreconditionError: The writer is closed.
        """
        file = self._opened()
        if self._compressor:
            file.write(self._compressor.flush(zlib.Z_SYNC_FLUSH))
        file.flush()

    def close(self) -> None:
        """Closes the file; further calls have no effect."""
        self._file = None
        self._finish()

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, *exc: Any) -> None:
        self.close()


export("io.TFRecordOptions")(TFRecordOptions)
export("io.TFRecordWriter")(TFRecordWriter)


# ------------------------------------------------------------------ reading

_CHUNK = 1 << 18
_CHUNK_OF_BODY = 1 << 24


class _Unsnapping(io.RawIOBase):
    """Decompressing reader of a file of Snappy blocks, each after its compressed size."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._block = file, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._block:
            size = int.from_bytes(self._file.read(4), "big")
            compressed = self._file.read(size)
            if len(compressed) < size:
                raise DataLossError(None, None, "EOF reached")
            self._block = snappy.decompress(compressed) if size else b""
        data, self._block = self._block[: len(buffer)], self._block[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()


class _Inflating(io.RawIOBase):
    """Decompressing reader of a file."""

    def __init__(self, file: IO[bytes], kind: str) -> None:
        self._file = file
        self._inflate = zlib.decompressobj(zlib.MAX_WBITS | (16 if kind == "GZIP" else 0))

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = b""
        while not data and not self._inflate.eof:
            chunk = self._inflate.unconsumed_tail or self._file.read(_CHUNK)
            if not chunk:
                break
            data = self._inflate_chunk(chunk, len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def _inflate_chunk(self, chunk: bytes, limit: int) -> bytes:
        try:
            return self._inflate.decompress(chunk, limit)
        except zlib.error as error:
            raise DataLossError(None, None, inflate_message(error)) from None

    def close(self) -> None:
        self._file.close()
        super().close()


def open_compressed(path: str, kind: str) -> IO[bytes]:
    """Opens a file of a compression type ("", "GZIP", "ZLIB" or "SNAPPY") for reading."""
    with explained(path) as local_path:
        file = open(local_path, "rb")  # noqa: SIM115
    if not kind:
        return file
    raw = _Unsnapping(file) if kind == "SNAPPY" else _Inflating(file, kind)
    return io.BufferedReader(raw, _CHUNK)


class _RecordIterator:
    """Iterator of the records of a file."""

    def __init__(self, path: str, kind: str) -> None:
        self._source = closing(self, open_compressed(path, kind))
        self._short = "EOF reached" if kind else "Read less bytes than requested"
        self._offset = 0

    def __iter__(self) -> Iterator[bytes]:
        return self

    def _read(self, count: int) -> bytes:
        """Reads up to ``count`` bytes in chunks, to limit allocation if the length is corrupted."""
        body = self._source.read(min(count, _CHUNK_OF_BODY))
        if len(body) < _CHUNK_OF_BODY or count == _CHUNK_OF_BODY:
            return bytes(body)
        chunks = [body]
        while body and (count := count - len(body)):
            chunks.append(body := self._source.read(min(count, _CHUNK_OF_BODY)))
        return b"".join(chunks)

    def __next__(self) -> bytes:
        header = self._source.read(_HEADER)
        if len(header) < _HEADER:  # an incomplete header counts as the end, as in TensorFlow
            self._source.close()
            raise StopIteration
        if _checksum(header[:8]) != header[8:]:
            hint = "" if self._offset else " (Is this even a TFRecord file?)"
            raise _corruption_error(f"{self._offset}{hint}")
        (length,) = struct.unpack("<Q", header[:8])
        body = self._read(length + 4)
        if len(body) < length + 4:
            raise DataLossError(
                None, None, f"truncated record at {self._offset}' failed with {self._short}"
            )
        if _checksum(body[:-4]) != body[-4:]:
            raise _corruption_error(str(self._offset + _HEADER))
        self._offset += _HEADER + len(body)
        return body[:-4]


def _corruption_error(where: str) -> errors.OpError:
    return DataLossError(None, None, f"corrupted record at {where}")


@documented_like(TFRecordWriter)
def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """Returns an iterator of the records of a TFRecord file.

    Returns:
        An iterator of byte strings.

    Raises:
        NotFoundError: There is no such file.
        DataLossError: The file is corrupted or not a TFRecord file (raised while reading).
        ImportError: The package google-crc32c is not installed.
    """
    kind = TFRecordOptions.get_compression_type_string(options)
    return read_records(path_text(path), kind)


def read_records(path: str, kind: str) -> Iterator[bytes]:
    """Returns an iterator of the records of a file of a compression type, Snappy among them."""
    return _RecordIterator(path, kind)
