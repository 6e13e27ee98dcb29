"""Damaged and hostile files of images, and what is missing without Pillow."""

import io
import random
import subprocess
import sys

import numpy as np
import pytest

import twinflow as tf
from tests.golden import image_answers

_, FILES = image_answers.recorded()


def damaged(data, rng):
    """A file with some bytes changed, lost or added."""
    result = bytearray(data)
    for _ in range(rng.randint(1, 5)):
        at = rng.randrange(len(result))
        change = rng.randrange(3)
        if change == 0:
            result[at] = rng.choice([0, 255, rng.randrange(256)])
        elif change == 1:
            result[at:at] = bytes(rng.randrange(256) for _ in range(4))
        elif len(result) > 40:
            del result[rng.randrange(30, len(result)) :]
    return bytes(result)


@pytest.mark.parametrize("name", FILES)
def test_damaged_files_are_invalid_arguments(name):
    pytest.importorskip("PIL", reason="files need Pillow, the extra [image]")
    rng, refused = random.Random(name), 0
    for _ in range(60):
        try:
            tf.io.decode_image(damaged(FILES[name], rng))
        except tf.errors.InvalidArgumentError:
            refused += 1
    assert refused > 0


HUGE = {
    "png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\x07\0\0\0\x07\0\0\0\x08\x02\0\0\0",
    "bmp": b"BM"
    + b"\0" * 8
    + (54).to_bytes(4, "little")
    + b"\x28\0\0\0"
    + b"\xff\xff\xff\x06" * 2
    + b"\1\0\x18\0"
    + b"\0" * 24,
    "gif": b"GIF89a\xff\xff\xff\xff\0\0\0\x2c\0\0\0\0\xff\xff\xff\xff\0\x02\x02\x4c\x01\0\x3b",
}


@pytest.mark.parametrize("kind", HUGE)
def test_huge_headers_allocate_nothing(kind):
    if kind == "gif":
        pytest.importorskip("PIL", reason="GIF needs Pillow, the extra [image]")
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.decode_image(HUGE[kind])


def test_images_of_16_bits_need_no_pillow_and_filters_are_undone():
    rng = np.random.default_rng(1)
    for channels in (1, 2, 3, 4):
        pixels = rng.integers(0, 65536, (6, 5, channels)).astype("uint16")
        file = tf.io.encode_png(pixels)
        np.testing.assert_array_equal(tf.io.decode_png(file, dtype=tf.uint16), pixels)


WITHOUT = """
import sys
sys.modules["PIL"] = None
import twinflow as tf
try:
    tf.io.encode_jpeg(tf.zeros([2, 2, 3], tf.uint8))
except ImportError as error:
    print(error)
"""


def test_the_extra_is_named_where_pillow_is_missing():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert "pip install twinflow[image]" in done.stdout, done.stderr


def test_the_import_of_twinflow_does_not_import_pillow():
    code = "import sys, twinflow as tf; tf.image.resize; print('PIL' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr


@pytest.mark.parametrize("seed", range(20))
def test_simplejpeg_and_pillow_decode_the_same(seed, monkeypatch):
    pytest.importorskip("simplejpeg", reason="the fast decoder is the extra [fast]")
    image_module = pytest.importorskip("PIL.Image", reason="files need Pillow, the extra [image]")
    rng = np.random.default_rng(seed)
    pixels = rng.integers(0, 256, (*rng.integers(1, 70, 2), 3), np.uint8)
    file = io.BytesIO()
    image = image_module.fromarray(pixels if seed % 5 else pixels[..., 0])
    options = {"subsampling": seed % 3} if seed % 5 else {}
    image.save(file, "JPEG", quality=int(rng.integers(1, 100)), **options)
    calls = [{"channels": 3}, {"channels": 1}, {"channels": 3, "dct_method": "INTEGER_ACCURATE"}]
    fast = [tf.io.decode_jpeg(file.getvalue(), **call).numpy() for call in calls]
    monkeypatch.setitem(sys.modules, "simplejpeg", None)
    for call, pixels in zip(calls, fast, strict=True):
        np.testing.assert_array_equal(tf.io.decode_jpeg(file.getvalue(), **call), pixels)
