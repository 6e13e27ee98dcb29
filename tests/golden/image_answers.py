"""TensorFlow's answers about images: values to the bit where they are exact, dtypes, static shapes, errors.

python -m tests.golden.image_answers            says where twinflow's answers are others
python -m tests.golden.image_answers --record   records TensorFlow's, for a Python that has it

A case is an expression over ``tf`` and the names below. Its answer is a list of results, each with dtype, shape,
the first values, and a digest of all bytes; the values themselves where ``CLOSE`` names the case.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).resolve().parent / "image_answers.json"
_RNG = np.random.RandomState(0)
F = _RNG.rand(2, 7, 9, 3).astype("float32")
U = (F * 255).astype("uint8")
G = _RNG.rand(2, 7, 9, 3).astype("float32")
BOXES = _RNG.uniform(-0.2, 1.2, (5, 4)).astype("float32")
INDEX = _RNG.randint(0, 2, 5).astype("int32")
CENTERS, SIZES = _RNG.rand(60, 2) * 6, _RNG.rand(60, 2)
PLACES = np.concatenate([CENTERS - SIZES, CENTERS + SIZES], 1).astype("float32")
SCORES = np.round(_RNG.rand(60), 2).astype("float32")
OBJECTS = [[[0.2, 0.3, 0.6, 0.7], [0.1, 0.1, 0.4, 0.5]]]
VOLUME = _RNG.rand(1, 4, 5, 6, 2).astype("float32")

# Values that depend on sums in another order, on exponentials or on matrix products: within a few roundings.
CLOSE = re.compile(
    r"tf.function|gamma|standard|yiq|yuv|ssim|psnr|sobel|total|Grad|gradient|soft|jpeg_quality\(F"
)


def gradient(tf: Any, function: Any, *values: Any) -> Any:
    """The gradients of a weighted sum of what a function returns."""
    tensors = [tf.constant(value) for value in values]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        y = function(*tensors)
        weights = np.linspace(-1, 1, int(np.prod(y.shape))).reshape(y.shape)
        product = tf.reduce_sum(y * tf.constant(weights, y.dtype))
    return tape.gradient(product, tensors)


def static(tf: Any, function: Any, *shapes: Any, dtype: str = "float32") -> Any:
    """The static shapes of results for static shapes of arguments."""
    traced = tf.function(function, input_signature=[tf.TensorSpec(s, dtype) for s in shapes])
    return str(traced.get_concrete_function().output_shapes)


def seeded(tf: Any, function: Any) -> Any:
    """Two results of a function after a global seed."""
    tf.random.set_seed(5)
    return [function(), function()]


_METHODS = [
    "bilinear",
    "nearest",
    "bicubic",
    "area",
    "lanczos3",
    "lanczos5",
    "gaussian",
    "mitchellcubic",
]
_V1 = ("ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic")
_KERNELS = [
    "lanczos1",
    "lanczos3",
    "lanczos5",
    "gaussian",
    "box",
    "triangle",
    "keyscubic",
    "mitchellcubic",
]
_RANDOM = {
    "flip_left_right": "",
    "flip_up_down": "",
    "brightness": ", 0.3",
    "contrast": ", 0.2, 1.8",
    "hue": ", 0.3",
    "saturation": ", 0.5, 2.0",
}
_BAD = """
tf.image.resize(U[0], [3, 4, 5])
tf.image.resize(U[0], [3.5, 4])
tf.image.resize(U[0, 0], [3, 4])
tf.image.resize(U[0], [3, 4], method='foo')
tf.image.resize(U[0], [0, 4])
tf.image.resize(U[:, :0], [3, 4])
tf.image.resize(tf.ones([2, 2, 3], tf.uint32), [3, 4])
tf.compat.v1.image.resize(U[0], [3, 3], method='lanczos3')
tf.raw_ops.ResizeBilinear(images=F, size=[2])
tf.raw_ops.ResizeBilinear(images=F, size=[4, 4], align_corners=True, half_pixel_centers=True)
tf.raw_ops.ScaleAndTranslate(images=F, size=[2, 2], scale=[1., 1.], translation=[0., 0.], kernel_type='foo')
tf.raw_ops.ScaleAndTranslate(images=F, size=[2, 2], scale=[0., 1.], translation=[0., 0.])
tf.raw_ops.ResizeNearestNeighborGrad(grads=F, size=[0, 2])
tf.image.resize_with_pad(F, 0, 5)
tf.image.resize_with_crop_or_pad(F, 2, -1)
tf.image.crop_to_bounding_box(U, 0, 1, 2, 40)
tf.image.crop_to_bounding_box(U, -1, 1, 2, 4)
tf.image.crop_to_bounding_box(U, tf.constant(0), tf.constant(1), 2, 40)
tf.image.pad_to_bounding_box(U, 1, 1, 2, 26)
tf.image.central_crop(U, 1.5)
tf.image.central_crop(U[0, 0], 0.5)
tf.image.flip_left_right(U[0, 0])
tf.image.rot90(U[0], 1.5)
tf.image.adjust_brightness(U > 3, 0.1)
tf.image.adjust_gamma(F, -1.0)
tf.image.adjust_hue(F, 1.2)
tf.image.adjust_hue(F[..., :2], 0.2)
tf.image.adjust_contrast(F[0, 0], 0.2)
tf.image.random_brightness(U, -1)
tf.image.random_contrast(U, 2, 1)
tf.image.random_hue(U, 0.6)
tf.image.random_jpeg_quality(U[0], -1, 2)
tf.image.convert_image_dtype(U, tf.bool)
tf.image.rgb_to_hsv(F[..., :2])
tf.image.grayscale_to_rgb(tf.constant(U))
tf.image.psnr(tf.constant(F), tf.constant(F[:, :1]), 255)
tf.image.ssim(tf.constant(F), tf.constant(F), 255)
tf.image.total_variation(tf.constant(F[0, 0]))
tf.image.image_gradients(tf.constant(F[0]))
tf.image.extract_patches(F, [2, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], 'SAME')
tf.image.extract_patches(F, [1, 2, 2, 1], [1, 0, 1, 1], [1, 1, 1, 1], 'SAME')
tf.image.extract_patches(F, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], 'FOO')
tf.image.crop_and_resize(F, BOXES, INDEX + 5, [2, 2])
tf.image.crop_and_resize(F, BOXES[:, :3], INDEX, [2, 2])
tf.image.crop_and_resize(F, BOXES, INDEX, [0, 2])
tf.image.extract_glimpse(F, [2, 3], [[0., 0.]])
tf.image.non_max_suppression(PLACES, SCORES, -1)
tf.image.non_max_suppression(PLACES, SCORES, 3, 1.5)
tf.image.non_max_suppression(PLACES[:, :3], SCORES, 3)
tf.image.combined_non_max_suppression(PLACES[None, :, None], SCORES[None, :, None], 0, 4)
tf.image.draw_bounding_boxes(F[0], [[[0., 0., 1., 1.]]], [[1., 0., 0.]])
tf.image.stateless_sample_distorted_bounding_box([40, 50, 3], np.zeros([1, 0, 4], 'float32'), [1, 2])
tf.image.stateless_sample_distorted_bounding_box([40, 50, 3], OBJECTS, [1, 2], area_range=[0.5, 1.5])
tf.io.decode_png(b'', channels=2)
tf.io.decode_png(b'')
tf.io.decode_png(b'no image')
tf.io.decode_jpeg(b'\\xff\\xd8\\xff\\xe0')
tf.io.decode_jpeg(FILES['photo.jpg'], ratio=3)
tf.io.decode_jpeg(FILES['photo.jpg'], channels=4)
tf.io.decode_and_crop_jpeg(FILES['photo.jpg'], [0, 0, 99, 9])
tf.io.decode_bmp(b'BM')
tf.io.encode_png(U[0], compression=10)
tf.io.encode_jpeg(U[0], quality=101)
tf.io.encode_jpeg(U, quality=101)
tf.io.encode_png(U[0, 0], compression=10)
tf.image.yuv_to_rgb(U[0])
tf.io.encode_jpeg(U[0, ..., :2])
"""


def _expressions() -> list[str]:
    """The cases that need no file."""
    cases = []
    for method, antialias in itertools.product(_METHODS, (False, True)):
        for size in ([4, 13], [7, 9], [20, 3]):
            cases.append(f"tf.image.resize(U, {size}, '{method}', antialias={antialias})")
        call = f"lambda x: tf.image.resize(x, [4, 13], '{method}', antialias={antialias})"
        if method not in ("area",):
            cases.append(f"gradient(tf, {call}, F)")
        cases.append(f"static(tf, {call}, [None, None, None, 3])")
    for name, way in itertools.product(_V1, ("{}", "{'align_corners': True}")):
        for dtype in ("uint8", "float16", "int32", "float64"):
            x = f"(U if {dtype!r} in ('uint8', 'int32') else F).astype({dtype!r})"
            cases.append(f"tf.raw_ops.{name}(images={x}, size=[5, 11], **{way})")
        cases.append(
            f"gradient(tf, lambda x: tf.raw_ops.{name}(images=x, size=[5, 11], **{way}), F)"
        )
    for kernel in _KERNELS:
        cases.append(
            "tf.raw_ops.ScaleAndTranslate(images=F, size=[5, 11], scale=[0.7, 1.9], "
            f"translation=[1.3, -2.0], kernel_type='{kernel}')"
        )
    for name, rest in _RANDOM.items():
        for x in ("F", "U[0]"):
            cases.append(f"seeded(tf, lambda: tf.image.random_{name}({x}{rest}, seed=7))")
            cases.append(
                f"seeded(tf, tf.function(lambda: tf.image.random_{name}({x}{rest}, seed=7)))"
            )
            cases.append(f"tf.image.stateless_random_{name}({x}{rest}, seed=[7, 3])")
    for old, new, saturate in itertools.product(
        ("uint8", "int16", "float32", "float16"),
        ("uint8", "int8", "uint16", "float32"),
        (False, True),
    ):
        x = f"tf.cast({'G' if 'float' in old else 'U'}, '{old}')"
        cases.append(f"tf.image.convert_image_dtype({x}, '{new}', saturate={saturate})")
    for window in (
        "[1, 2, 3, 1], [1, 1, 1, 1], [1, 1, 1, 1]",
        "[1, 3, 3, 1], [1, 2, 3, 1], [1, 2, 1, 1]",
    ):
        for padding in ("SAME", "VALID"):
            call = f"lambda x: tf.image.extract_patches(x, {window}, '{padding}')"
            cases += [
                f"({call})(U)",
                f"gradient(tf, {call}, F)",
                f"static(tf, {call}, [None, None, None, 3])",
            ]
    for size, method in itertools.product(([3, 4], [1, 5], [1, 1]), ("bilinear", "nearest")):
        call = f"tf.image.crop_and_resize(x, b, INDEX, {size}, '{method}', -2.0)"
        cases.append(f"(lambda x, b: {call})(U, BOXES)")
        cases.append(f"gradient(tf, lambda x, b: {call}, F, BOXES)")
    for centered, normalized in itertools.product((True, False), repeat=2):
        cases.append(
            f"tf.image.extract_glimpse(F, [4, 3], [[0.2, -0.3], [1.0, 2.0]], {centered}, {normalized}, 'zero')"
        )
    for threshold, most in itertools.product((0.1, 0.5, 1.0), (7, 60)):
        cases.append(f"tf.image.non_max_suppression(PLACES, SCORES, {most}, {threshold}, 0.1)")
        cases.append(
            f"list(tf.image.non_max_suppression_with_scores(PLACES, SCORES, {most}, {threshold}, 0.1, 0.5)) # soft"
        )
    for seed, way in itertools.product(
        ([1, 2], [5, -7]),
        (
            "",
            ", min_object_covered=0.5",
            ", aspect_ratio_range=[0.2, 3.0]",
            ", area_range=[0.5, 0.9]",
        ),
    ):
        for size in ([40, 50, 3], [7, 200, 1]):
            cases.append(
                f"list(tf.image.stateless_sample_distorted_bounding_box({size}, OBJECTS, {seed}{way}))"
            )
    return cases + _OTHERS.strip().splitlines() + _BAD.strip().splitlines()


_OTHERS = """
tf.image.resize(F, [4, 13], preserve_aspect_ratio=True)
tf.compat.v1.image.resize(U, [7, 9])
tf.compat.v1.image.resize(U, [4, 13], 'bicubic', align_corners=True)
tf.compat.v1.image.resize_area(U, [3, 4], align_corners=True)
tf.image.resize_with_pad(U, 7, 20)
tf.image.resize_with_pad(U[0], 17, 5, method='nearest')
tf.compat.v1.image.resize_image_with_pad(U, 17, 5, method=1)
tf.image.resize_with_crop_or_pad(U, 4, 20)
tf.image.crop_to_bounding_box(U, 1, 2, 3, 4)
tf.image.pad_to_bounding_box(U[0], 1, 2, 10, 14)
tf.image.central_crop(U, 0.6)
tf.image.flip_left_right(U)
tf.image.flip_up_down(U[0])
tf.image.transpose(U)
[tf.image.rot90(U, k) for k in range(-1, 4)]
tf.image.adjust_brightness(U, 0.2)
tf.image.adjust_contrast(U, 1.3)
tf.image.adjust_contrast(F, 0.4)
tf.image.adjust_hue(U, 0.2)
tf.image.adjust_hue(F, -0.35)
tf.image.adjust_saturation(U, 1.7)
tf.image.adjust_saturation(F, 0.3)
tf.image.adjust_gamma(U, 1.7, 0.9)
tf.image.adjust_gamma(F, 0.5)
tf.image.per_image_standardization(U) # standard
tf.image.rgb_to_grayscale(U)
tf.image.rgb_to_grayscale(F)
tf.image.grayscale_to_rgb(tf.constant(U[..., :1]))
tf.image.rgb_to_hsv(F)
tf.image.hsv_to_rgb(F)
tf.image.rgb_to_hsv(tf.cast(F, tf.float16))
gradient(tf, tf.image.rgb_to_hsv, F)
gradient(tf, tf.image.rgb_to_hsv, np.float32([[0.8, 0.3, 0.3], [0.3, 0.8, 0.8], [0.5, 0.5, 0.5], [1, 0, 0], [-0.4, 0.3, 0.6]]))
tf.image.rgb_to_yiq(F)
tf.image.yiq_to_rgb(F)
tf.image.rgb_to_yuv(F)
tf.image.yuv_to_rgb(F)
tf.image.psnr(F, G, 1.0)
tf.image.ssim(tf.constant(U), tf.constant(U[::-1].copy()), 255, filter_size=5)
tf.image.ssim(tf.constant(F), tf.constant(G), 1.0, filter_size=4, return_index_map=True)
tf.image.ssim_multiscale(tf.constant(F), tf.constant(G * 0.1 + F * 0.9), 1.0, (0.4, 0.6), 3)
gradient(tf, lambda x: tf.image.ssim(x, tf.constant(G), 1.0, filter_size=5), F)
tf.image.sobel_edges(tf.constant(F))
list(tf.image.image_gradients(tf.constant(U)))
tf.image.total_variation(tf.constant(F))
tf.extract_volume_patches(VOLUME, [1, 2, 3, 2, 1], [1, 1, 2, 1, 1], 'SAME')
gradient(tf, lambda x: tf.extract_volume_patches(x, [1, 2, 3, 2, 1], [1, 1, 2, 1, 1], 'VALID'), VOLUME)
list(tf.image.combined_non_max_suppression(PLACES[None, :, None] / 6, np.stack([SCORES, SCORES[::-1]], 1)[None], 4, 6))
tf.image.non_max_suppression_overlaps(np.abs(np.corrcoef(PLACES[:20])).astype('float32'), SCORES[:20], 9)
list(tf.image.non_max_suppression_padded(PLACES, SCORES, 20, 0.5, 0.1, pad_to_max_output_size=True))
list(tf.image.non_max_suppression_padded(np.stack([PLACES, PLACES[::-1]]), np.stack([SCORES] * 2), 60, 0.3, 0.1, pad_to_max_output_size=True, tile_size=16))
list(tf.function(lambda b: tf.image.non_max_suppression_padded(b, SCORES, 30, 0.3, canonicalized_coordinates=True, sorted_input=True))(PLACES))
tf.image.draw_bounding_boxes(F, [[[0.1, 0.1, 0.8, 0.8], [-1, 0.4, 2, 0.6]]] * 2, [[1.0, 0, 0], [0, 0.5, 1]])
tf.image.draw_bounding_boxes(F, [[[0.1, 0.1, 0.8, 0.8]] * 12] * 2, None)
seeded(tf, lambda: tf.image.sample_distorted_bounding_box([40, 50, 3], OBJECTS, seed=3)[0])
seeded(tf, lambda: tf.image.random_crop(U, [1, 3, 4, 3], seed=4))
tf.io.decode_png(tf.io.encode_png((U.astype('uint16') * 257)[0]), dtype=tf.uint16)
"""


def file_expressions(files: Any) -> list[str]:
    """The cases about files."""
    cases = []
    for name in files:
        kind = name.partition(".")[2]
        data = f"FILES['{name}']"
        for channels in (0, 1, 3, 4):
            if kind == "png":
                for dtype in ("uint8", "uint16"):
                    cases.append(f"tf.io.decode_png({data}, {channels}, '{dtype}')")
            elif kind != "gif":
                decode = {"jpg": "jpeg"}.get(kind, kind)
                cases.append(f"tf.io.decode_{decode}({data}, channels={channels})")
        for dtype, expand in itertools.product(("uint8", "uint16", "float32"), (True, False)):
            cases.append(f"tf.io.decode_image({data}, dtype='{dtype}', expand_animations={expand})")
        cases.append(f"tf.io.is_jpeg({data})")
        if kind == "gif":
            cases.append(f"tf.io.decode_gif({data})")
        if kind == "jpg":
            cases += [
                f"tf.io.extract_jpeg_shape({data})",
                f"tf.io.decode_jpeg({data}, ratio=2)",
                f"tf.io.decode_jpeg({data}, fancy_upscaling=False)",
                f"tf.io.decode_jpeg({data}, dct_method='INTEGER_ACCURATE')",
                f"tf.io.decode_and_crop_jpeg({data}, [2, 3, 5, 4])",
            ]
    return [
        *cases,
        "tf.io.encode_jpeg(U[0], quality=70)",
        "tf.io.encode_jpeg(U[0, ..., :1], progressive=True)",
        "tf.io.encode_jpeg(U[0], chroma_downsampling=False, density_unit='cm', x_density=7, xmp_metadata='<x/>')",
        "tf.io.decode_png(tf.io.encode_png(U[0]))",
        "static(tf, lambda s: tf.io.decode_png(s, channels=3), [], dtype='string')",
        "static(tf, lambda s: tf.io.decode_image(s), [], dtype='string')",
        "static(tf, lambda s: tf.io.decode_image(s, 3, expand_animations=False), [], dtype='string')",
        "static(tf, lambda s: tf.io.decode_gif(s), [], dtype='string')",
        "static(tf, lambda s: tf.io.decode_and_crop_jpeg(s, [1, 2, 3, 4]), [], dtype='string')",
        "tf.image.adjust_jpeg_quality(U[0], 20)",
        "tf.image.adjust_jpeg_quality(F[0], 60)",
        "tf.image.stateless_random_jpeg_quality(U[0], 10, 90, [1, 2])",
    ]


NEEDS_PILLOW = re.compile(r"jpeg|png|gif|webp|FILES")


def _facts(value: Any, is_close: bool) -> Any:
    """Returns what is recorded of a result."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        return [_facts(item, is_close) for item in value]
    array = np.asarray(value.numpy())
    if array.dtype.kind in "OS":
        return {"bytes": hashlib.sha256(b"".join(np.ravel(array).tolist())).hexdigest()[:16]}
    facts = {"dtype": str(array.dtype), "shape": list(array.shape)}
    flat = array.ravel()
    if is_close:
        step = max(1, flat.size // 40)
        return {**facts, "values": [float(f"{v:.9g}") for v in flat[::step]]}
    digest = hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:16]
    return {**facts, "first": [float(v) for v in flat[:3]], "digest": digest}


def _message(error: Exception) -> str:
    """An error's text without the names of nodes and ops."""
    text = re.sub(r"\{\{.*?\}\} ?", "", str(error))
    text = re.sub(r" ?\[Op:.*", "", text.partition("\n\t; NodeDef")[0], flags=re.DOTALL)
    return text.strip()[:200]


def answer(tf: Any, expression: str, files: dict[str, bytes]) -> Any:
    """Returns facts about the results of an expression, or an error."""
    names = {"tf": tf, "FILES": files, **globals()}
    try:
        return _facts(eval(expression, names), bool(CLOSE.search(expression)))
    except Exception as error:
        return {"error": type(error).__name__, "message": _message(error)}


def recorded() -> tuple[dict[str, Any], dict[str, bytes]]:
    """TensorFlow's answers by expression, and the files."""
    content = json.loads(FILE.read_text("utf-8"))
    files = {name: base64.b64decode(text) for name, text in content["files"].items()}
    return content["cases"], files


def differing(wanted: Any, answered: Any) -> str:
    """Says how an answer differs, or nothing."""
    if isinstance(wanted, dict) and isinstance(answered, dict) and "values" in wanted:
        if {**wanted, "values": 0} != {**answered, "values": 0}:
            return f"{answered} instead of {wanted}"
        a, b = np.array(answered["values"]), np.array(wanted["values"])
        scale = max(np.abs(b).max(initial=0), 1e-30)
        return "" if (np.abs(a - b) <= 2e-5 * scale + 1e-6).all() else f"{a} instead of {b}"
    if isinstance(wanted, list) and isinstance(answered, list) and len(wanted) == len(answered):
        return "; ".join(filter(None, map(differing, wanted, answered)))
    return "" if wanted == answered else f"{answered} instead of {wanted}"


def record() -> None:
    """Writes TensorFlow's answers; the files stay those that there are."""
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
    import tensorflow as tf

    texts = json.loads(FILE.read_text("utf-8"))["files"]
    files = {name: base64.b64decode(text) for name, text in texts.items()}
    lines = [
        f"{json.dumps(e)}:{json.dumps(answer(tf, e, files), separators=(',', ':'))}"
        for e in dict.fromkeys([*_expressions(), *file_expressions(files)])
    ]
    head = f'{{"tensorflow":"{tf.__version__}",\n"files":{json.dumps(texts)},\n"cases":{{\n'
    FILE.write_text(head + ",\n".join(lines) + "\n}}\n", "utf-8")


if __name__ == "__main__":
    if "--record" in sys.argv:
        record()
    else:
        import twinflow

        cases, files = recorded()
        for expression, wanted in cases.items():
            said = differing(wanted, answer(twinflow, expression, files))
            if said:
                print(expression, said)
