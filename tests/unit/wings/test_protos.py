"""``tf.io.decode_proto`` and ``encode_proto``; the results are TensorFlow's."""

import numpy as np
import pytest

import twinflow as tf

descriptor_pb2 = pytest.importorskip("google.protobuf.descriptor_pb2")
from google.protobuf import descriptor_pool, message_factory  # noqa: E402

# Fields by type: the number of the type, the dtypes of its tensors, and a value.
SCALARS = {
    "double": (1, [tf.float64], 1.5),
    "float": (2, [tf.float32, tf.float64], 2.5),
    "int64": (3, [tf.int64], -3),
    "uint64": (4, [tf.uint64], 2**63 + 1),
    "int32": (5, [tf.int32, tf.int64], -4),
    "fixed64": (6, [tf.uint64], 9),
    "fixed32": (7, [tf.uint32, tf.uint64], 2**32 - 1),
    "bool": (8, [tf.bool], True),
    "string": (9, [tf.string], "x\u00e9"),
    "bytes": (12, [tf.string], b"\xff"),
    "uint32": (13, [tf.uint32, tf.uint64], 2**32 - 2),
    "sfixed32": (15, [tf.int32, tf.int64], -1),
    "sfixed64": (16, [tf.int64], -2),
    "sint32": (17, [tf.int32, tf.int64], -3),
    "sint64": (18, [tf.int64], -4),
}
NAMES = [f"o_{name}" for name in SCALARS]
FIRST = [dtypes[0] for _, dtypes, _ in SCALARS.values()]


def file_set():
    file = descriptor_pb2.FileDescriptorProto(name="h.proto", package="h", syntax="proto2")
    file.enum_type.add(name="E").value.add(name="B", number=5)
    fields, number = file.message_type.add(name="M").field, 0
    for name, (kind, _, _) in SCALARS.items():
        fields.add(name=f"o_{name}", number=(number := number + 1), label=1, type=kind)
        fields.add(name=f"r_{name}", number=(number := number + 1), label=3, type=kind)
    options = descriptor_pb2.FieldOptions(packed=True)
    fields.add(name="packed", number=31, label=3, type=5, options=options)
    fields.add(name="seven", number=32, label=1, type=5, default_value="7")
    fields.add(name="text", number=33, label=1, type=9, default_value="hey")
    fields.add(name="enum", number=34, label=1, type=14, type_name=".h.E")
    fields.add(name="sub", number=35, label=1, type=11, type_name=".h.M")
    fields.add(name="subs", number=36, label=3, type=11, type_name=".h.M")
    return descriptor_pb2.FileDescriptorSet(file=[file])


FILES = file_set()
SOURCE = b"bytes://" + FILES.SerializeToString()
POOL = descriptor_pool.DescriptorPool()
POOL.Add(FILES.file[0])
M = message_factory.GetMessageClass(POOL.FindMessageTypeByName("h.M"))
FULL = M(
    **{f"o_{name}": value for name, (_, _, value) in SCALARS.items()},
    r_int32=[1, 2, 3],
    packed=[4, 5],
    enum=5,
    sub=M(o_int32=8),
    subs=[M(o_int32=1), M()],
    r_string=["a", "b"],
).SerializeToString()
PART = M(r_int32=[9]).SerializeToString()


def decode(data, names, dtypes, source=SOURCE, **options):
    result = tf.io.decode_proto(data, "h.M", names, dtypes, descriptor_source=source, **options)
    return result.sizes.numpy().tolist(), [value.numpy().tolist() for value in result.values]


def encode(sizes, values, names):
    return (
        tf.io.encode_proto(sizes, values, names, "h.M", descriptor_source=SOURCE).numpy().tolist()
    )


def test_scalars():
    sizes, values = decode([FULL, PART], NAMES, FIRST)
    assert sizes == [[1] * 15, [0] * 15]
    expected = [v.encode() if isinstance(v, str) else v for _, _, v in SCALARS.values()]
    assert [column[0][0] for column in values] == expected
    blank = [b"" if dtype == tf.string else 0 for dtype in FIRST]
    assert [column[1][0] for column in values] == blank


@pytest.mark.parametrize("name", SCALARS)
def test_dtypes(name):
    accepted = SCALARS[name][1]
    for dtype in (
        tf.int32,
        tf.int64,
        tf.uint32,
        tf.uint64,
        tf.float32,
        tf.float64,
        tf.bool,
        tf.string,
    ):
        if dtype in accepted:
            assert decode([FULL], [f"o_{name}"], [dtype])[0] == [[1]]
            continue
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"Unexpected output type for h\.M"
        ):
            decode([FULL], [f"o_{name}"], [dtype])


def test_repeated_fields_are_padded():
    names, dtypes = ["r_int32", "packed", "r_string"], [tf.int32, tf.int32, tf.string]
    sizes, values = decode([[FULL], [PART]], names, dtypes)
    assert sizes == [[[3, 2, 2]], [[1, 0, 0]]]
    assert values == [
        [[[1, 2, 3]], [[9, 0, 0]]],
        [[[4, 5]], [[0, 0]]],
        [[[b"a", b"b"]], [[b"", b""]]],
    ]
    assert decode(FULL, ["r_int32"], [tf.int32]) == ([3], [[1, 2, 3]])


def test_defaults_enums_and_messages():
    names = ["seven", "text", "enum", "sub", "subs"]
    dtypes = [tf.int32, tf.string, tf.int32, tf.string, tf.string]
    sizes, values = decode([FULL, PART], names, dtypes)
    assert sizes == [[0, 0, 1, 1, 2], [0, 0, 0, 0, 0]]
    assert values == [
        [[7], [7]],
        [[b"hey"], [b"hey"]],
        [[5], [5]],
        [[b"H\x08"], [b""]],
        [[b"H\x01", b""], [b"", b""]],
    ]


def test_last_of_several_values():
    twice = M(o_int32=1).SerializeToString() + M(o_int32=2).SerializeToString()
    assert decode([twice], ["o_int32"], [tf.int32]) == ([[1]], [[[2]]])
    both = decode([FULL], ["o_int32", "o_int32"], [tf.int32, tf.int32])
    assert both == ([[1, 0]], [[[-4]], [[0]]])


def test_sources_and_formats(tmp_path):
    path = tmp_path / "descriptors"
    path.write_bytes(FILES.SerializeToString())
    assert decode([FULL], ["o_int32"], [tf.int32], str(path)) == ([[1]], [[[-4]]])
    local = tf.train.Int64List(value=[1, 2]).SerializeToString()
    values = tf.io.decode_proto([local], "tensorflow.Int64List", ["value"], [tf.int64]).values
    assert values[0].numpy().tolist() == [[1, 2]]
    text = ["o_int32: 5 r_int32: [1, 2]"]
    names = ["o_int32", "r_int32"]
    expected = [[1, 2]], [[[5]], [[1, 2]]]
    assert decode(text, names, [tf.int32] * 2, message_format="text") == expected
    unknown = FULL + b"\xf8\x7f\x05"
    assert decode([unknown], ["o_int32"], [tf.int32], sanitize=True) == ([[1]], [[[-4]]])


def test_file_that_has_changed_is_read_anew(tmp_path):
    path = tmp_path / "descriptors"
    for name in ("first", "second"):
        files = descriptor_pb2.FileDescriptorSet()
        file = files.file.add(name="n.proto", package="n")
        file.message_type.add(name="N").field.add(name=name, number=1, label=1, type=5)
        path.write_bytes(files.SerializeToString())
        values = tf.io.decode_proto([b"\x08\x05"], "n.N", [name], [tf.int32], str(path)).values
        assert values[0].numpy().tolist() == [[5]]


def test_errors_of_decoding():
    invalid, damaged = tf.errors.InvalidArgumentError, tf.errors.DataLossError
    for error, message, call in (
        (
            invalid,
            "does not represent",
            lambda: decode([FULL], ["o_int32"], [tf.int32], "/no/file"),
        ),
        (
            invalid,
            "does not represent",
            lambda: decode([FULL], ["o_int32"], [tf.int32], b"bytes://z"),
        ),
        (invalid, "Unknown field: zz", lambda: decode([FULL], ["zz"], [tf.int32])),
        (invalid, "must have the same length", lambda: decode([FULL], ["o_int32"], [])),
        (invalid, "at least one value", lambda: decode(tf.constant([], tf.string), [], [])),
        (
            invalid,
            "No descriptor found",
            lambda: tf.io.decode_proto([FULL], "h.N", [], [], descriptor_source=SOURCE),
        ),
        (invalid, "binary or text", lambda: decode([FULL], [], [], message_format="json")),
        (damaged, "entire buffer", lambda: decode([b"\xff\xff"], ["o_int32"], [tf.int32])),
        (damaged, "Failed skipping", lambda: decode([FULL[:5]], ["o_int32"], [tf.int32])),
        (damaged, "text protobuf", lambda: decode(["zz: 5"], [], [], message_format="text")),
    ):
        with pytest.raises(error, match=message):
            call()


def test_encoded_fields_are_those_of_protobuf():
    for name, (_, dtypes, value) in SCALARS.items():
        field = f"o_{name}"
        (data,) = encode([[1]], [tf.constant([[value]], dtypes[0])], [field])
        assert data == M(**{field: value}).SerializeToString(), name
    (data,) = encode([[2]], [tf.constant([[4, 5]])], ["packed"])
    assert data == M(packed=[4, 5]).SerializeToString()
    values = [tf.constant([[1, 2], [3, 4]]), tf.constant([[1.5], [2.5]], tf.float64)]
    rows = encode([[2, 1], [0, 1]], values, ["r_int32", "o_double"])
    assert rows == [
        M(o_double=1.5, r_int32=[1, 2]).SerializeToString(),
        M(o_double=2.5).SerializeToString(),
    ]
    nested = encode(np.ones([2, 1, 1], np.int32), [tf.constant([[[1]], [[2]]])], ["o_int32"])
    assert nested == [[b"H\x01"], [b"H\x02"]]


def test_errors_of_encoding():
    number = tf.constant([[1]])
    for message, sizes, values, names in (
        (
            "Size to write must not be larger than value tensor; but saw: 3 > 1",
            [[3]],
            [number],
            ["packed"],
        ),
        ("Saw dtype: string", [[1]], [tf.constant([["a"]])], ["packed"]),
        ("Unknown field: zz", [[1]], [number], ["zz"]),
        (r"Saw: \[2,1\] but expected: \[1,1\]", [[1], [1]], [number], ["packed"]),
        ("at least a matrix", [1], [tf.constant([1])], ["o_int32"]),
        ("Saw dtype: float", [[1]], [tf.constant([[1.0]])], ["o_double"]),
        (
            "up to the last dimension",
            [[1, 1]],
            [number, tf.constant([[2], [3]])],
            ["o_int32", "packed"],
        ),
        ("must match field_names", [[1]], [number], ["o_int32", "packed"]),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            encode(sizes, values, names)


def test_functions_and_saved_models(tmp_path):
    path = str(tmp_path / "descriptors")
    (tmp_path / "descriptors").write_bytes(FILES.SerializeToString())
    module = tf.Module()
    module.decode = tf.function(
        lambda x: tf.io.decode_proto(x, "h.M", ["r_int32"], [tf.int64], descriptor_source=path),
        input_signature=[tf.TensorSpec([None], tf.string)],
    )
    module.encode = tf.function(
        lambda s, v: tf.io.encode_proto(s, [v], ["r_int32"], "h.M", descriptor_source=path),
        input_signature=[tf.TensorSpec([None, 1], tf.int32), tf.TensorSpec([None, None], tf.int32)],
    )
    assert module.decode.get_concrete_function().structured_outputs.values[0].shape.rank == 2
    tf.saved_model.save(module, tmp_path / "model")
    for model in (module, tf.saved_model.load(tmp_path / "model")):
        messages = model.encode([[2], [1]], [[1, 2], [3, 4]])
        assert messages.numpy().tolist() == [b"P\x01P\x02", b"P\x03"]
        sizes, values = model.decode(messages)
        assert (sizes.numpy().tolist(), values[0].numpy().tolist()) == (
            [[2], [1]],
            [[1, 2], [3, 0]],
        )
