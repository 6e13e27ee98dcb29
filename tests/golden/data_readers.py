"""Expressions that read files as datasets, and what TensorFlow yields for each: elements, or the class and text of an error.

python -m tests.golden.data_readers --record    records them, for a Python that has TensorFlow
"""

from __future__ import annotations

import gzip
import itertools
import json
import os
import pathlib
import re
import sqlite3
import sys
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parent / "data_readers.json"

TEXTS = {
    "a.txt": b"one\ntwo\r\nth\rree\n\nlast",
    "b.txt": b"x\ny\n",
    "e.txt": b"",
    "g.gz": gzip.compress(b"g1\ng2\n"),
    "z.z": zlib.compress(b"z1\nz2\n"),
    "fix": b"HHaaabbbcccFF",
    "fix2": b"HHaaabbbccFF",
    "fix.gz": gzip.compress(b"HHaaabbbcccFF"),
    "fix2.gz": gzip.compress(b"HHaaabbbccFF"),
    **{
        f"p{i}": "".join(f"p{i}-{k}\n" for k in range(n)).encode()
        for i, n in ((1, 1), (2, 3), (3, 5), (4, 2))
    },
}

EXPRESSIONS = r"""
T(F+'a.txt')
T([F+'a.txt',F+'e.txt',F+'b.txt'])
T([[F+'a.txt'],[F+'b.txt']])
T(D.from_tensor_slices([F+'a.txt',F+'b.txt']))
T(D.from_tensors([F+'a.txt',F+'b.txt']))
T(D.range(3))
T(F+'g.gz','GZIP')
T(F+'z.z','ZLIB')
T(F+'a.txt','GZIP')
T(F+'a.txt','BAD')
T(F+'nope')
T(5)
T([])
T(None)
T(F+'b.txt',buffer_size=-1)
T(F+'b.txt',buffer_size=2)
T(F+'b.txt',num_parallel_reads=0)
T([F+'a.txt',F+'b.txt'],num_parallel_reads=2)
T(P,num_parallel_reads=1)
T(P,num_parallel_reads=2)
T(P,num_parallel_reads=3)
T(P,num_parallel_reads=10)
T(P[::-1],num_parallel_reads=2)
T([F+'nope']+P,num_parallel_reads=2)
T(pathlib.Path(F+'b.txt'))
T([pathlib.Path(F+'b.txt')])
T(P).batch(4)
T(P,num_parallel_reads=2).batch(4)
repr(T(F+'b.txt'))
int(T(F+'b.txt').cardinality())
R(F+'r')
R([F+'r',F+'r'])
R([F+'r',F+'r'],num_parallel_reads=2)
R([F+'r',F+'r',F+'r'],num_parallel_reads=-1)
R(F+'r.GZIP','GZIP')
R(F+'r.ZLIB','ZLIB')
R(F+'truncated')
R(F+'corrupted')
R(F+'a.txt')
R(F+'r.GZIP')
R(F+'r','GZIP')
R(F+'nope')
R(F+'r','ZIP')
R(F+'r',buffer_size=-5)
R(F+'r',name='records')
R(F+'e.txt')
R([F+'r',F+'nope'],num_parallel_reads=2)
R([F+'r',F+'r']).batch(4)
repr(R(F+'r'))
X(F+'fix',3,2,2)
X(F+'fix2',3,2,2)
X(F+'fix.gz',3,2,2,compression_type='GZIP')
X(F+'fix2.gz',3,2,2,compression_type='GZIP')
X(F+'fix',13)
X(F+'fix',20)
X(F+'fix',0)
X(F+'fix',3,-1)
X(F+'fix',3,0,-1)
X([F+'fix',F+'fix'],3,2,2,num_parallel_reads=2)
X(F+'nope',3)
X(F+'e.txt',3)
repr(X(F+'fix',3))
C('1,2.5,a\n2,3.5,b\n',[i,f,s])
C('1,2.5,a\n2,3.5,b\n',[i,f,s]).batch(5)
C('1,2.5,a\n2,3.5,b',[i,f,s]).element_spec
C('1,2.5,a\r\n\r\n2,3.5,b\r\n\n',[i,f,s])
C('1,2\r3,4\r',[i,i])
C('1,,a\n,3.5,\n',[[0],[1.5],['x']])
C('1,,a\n,3.5,\n',[0,1.5,'x'])
C('1,2\n,3\n4,5\n',[i,i])
C('1,2\n3\n4,5\n',[i,i])
C('1,2\n3,4,5\n4,5\n',[i,i])
C('1,x\n3,4\n',[i,i])
C('1, 4 \n3,4\n',[i,i])
C('1,99999999999\n',[i,i])
C('1,1e3\n',[i,tf.float64])
C('"a","b,c"\n"d""e","f\ng"\n',[s,s])
C('"a","b,c"\n"d""e","f\ng"\n',[s,s],use_quote_delim=False)
C('a"b,c\n',[s,s])
C('"a"b,c\n',[s,s])
C('"ab,c\n',[s,s])
C('"",1\n',[s,i])
C('"",""\n',[['d'],[3]])
C('a,b\n1,2\n',[i,i],header=True)
C('',[i,i],header=True)
C('a,b',[i,i],header=True)
C('"a\nb",c\n1,2\n',[i,i],header=True)
C('1|2\n',[i,i],field_delim='|')
C('1|2\n',[i,i],field_delim='||')
C('NA,2\n1,NA\n',[[7],[8]],na_value='NA')
C('1,2,3,4\n5,6,7,8\n',[i,i],select_cols=[1,3])
C('1,2,3,4\n5,6,7,8\n',[i,i],exclude_cols=[1,3])
C('1,2,3\n',[i],select_cols=[3,1])
C('1,2,3\n',[i,i],select_cols=[3,1])
C('1,2,3\n',[i],select_cols=[5])
C('1,2,3\n',[i],select_cols=[-1])
C('1,2,3\n',[i],select_cols=[1],exclude_cols=[2])
C('1,2,3\n4\n',[i],select_cols=[1])
C('1,2\n',[i,[1,2]])
C('1,2\n',[i,tf.constant([],tf.int64)])
C(gzip.compress(b'1,2\n'),[i,i],compression_type='GZIP')
C(b'1,2\n',[i,i],compression_type='BAD')
C('é,ü\n',[s,s])
C(',',[[1],[4]])
C('1,2\n"3","4"\n',[i,f])
C('inf,nan\n',[f,f])
C('a\n\nb\n',[s])
C(' "a",b\n',[s,s])
C('"a" ,b\n',[s,s])
E.CsvDataset([F+'nope'],[i])
Q('select i,f,s from t',(i,tf.float64,s))
Q('select i,f,s from t',(i,f,s))
Q('select i from t',(tf.int8,))
Q('select i from t',(tf.uint16,))
Q('select i from t',tf.int64)
Q('select i from t',(tf.bool,))
Q('select b from t',(s,))
Q('select n from t',(tf.float64,))
Q('select i,f from t',(i,))
Q('select q from t',(i,))
Q('select f from t',(s,))
Q('select s from t',(i,))
Q('select f from t',(i,))
Q('select i from t',(i,),'mysql')
Q('select i,f from t',{'a':i,'b':tf.float64})
Q('',(i,))
W('w1').write(D.from_tensor_slices(['a','b']))
R(F+'w1')
W('w2','GZIP').write(D.from_tensor_slices(['a','b']))
R(F+'w2','GZIP')
W('w1').write(D.range(3))
W('w1').write(D.from_tensor_slices([['a']]))
W('nodir/w').write(D.from_tensor_slices(['a','b']))
""".strip().split("\n")


def names(tf: Any, folder: str) -> dict[str, Any]:
    """The names that expressions use, after the files are written."""
    folder += os.sep
    for name, contents in TEXTS.items():
        Path(folder, name).write_bytes(contents)
    for kind in ("", "GZIP", "ZLIB"):
        with tf.io.TFRecordWriter(f"{folder}r{kind and '.'}{kind}", kind) as writer:
            for k in range(5):
                writer.write(b"rec%d" % k)
    data = Path(folder, "r").read_bytes()
    Path(folder, "truncated").write_bytes(data[:-3])
    Path(folder, "corrupted").write_bytes(data[:30] + b"X" + data[31:])
    with sqlite3.connect(folder + "db") as database:
        database.execute("create table t (i integer, f real, s text, b blob, n integer)")
        database.execute("insert into t values (1, 1.5, 'a', x'00ff', NULL)")
        database.execute("insert into t values (-3, 2, 'é', 'z', 4)")
        database.execute("insert into t values (300, 'x', NULL, 7, 2.7)")
    database.close()
    experimental = tf.data.experimental

    def csv(text: Any, defaults: Any, **kwargs: Any) -> Any:
        Path(folder, "c.csv").write_bytes(text.encode() if isinstance(text, str) else text)
        return experimental.CsvDataset(folder + "c.csv", defaults, **kwargs)

    return {
        "tf": tf,
        "F": folder,
        "P": [f"{folder}p{k}" for k in range(1, 5)],
        "D": tf.data.Dataset,
        "E": experimental,
        "T": tf.data.TextLineDataset,
        "R": tf.data.TFRecordDataset,
        "X": tf.data.FixedLengthRecordDataset,
        "C": csv,
        "Q": lambda query, types, driver="sqlite": experimental.SqlDataset(
            driver, folder + "db", query, types
        ),
        "W": lambda name, kind=None: experimental.TFRecordWriter(folder + name, kind),
        "i": tf.int32,
        "f": tf.float32,
        "s": tf.string,
        "gzip": gzip,
        "pathlib": pathlib,
    }


def shown(value: Any) -> str:
    """A value as text: dtype and elements of tensors, in their structure."""
    if isinstance(value, dict):
        return str({key: shown(x) for key, x in value.items()})
    if isinstance(value, tuple):
        return f"({', '.join(map(shown, value))})"
    if hasattr(value, "numpy"):
        array = value.numpy()
        return f"{getattr(array, 'dtype', 'bytes')} {array.tolist() if hasattr(array, 'tolist') else array}"
    return repr(value)


def error_text(error: Exception, folder: str) -> str:
    """The class and the text of an error, without what a kernel's wrapper adds."""
    text = re.sub(r"\{\{function_node .*?\}\} | \[Op:\w+\] name: $", "", str(error))
    text = re.sub(r"Error in user-defined function passed to .*?iterator: \S+: ", "", text)
    text = re.sub(r"\n\t \[\[\{\{node .*\]\]", "", text).partition("\nTraceback")[0].rstrip()
    return f"{type(error).__name__}: {text.replace(folder, '<dir>')}"


def answer(expression: str, scope: dict[str, Any], dataset_type: type, limit: int = 40) -> Any:
    """The elements of a dataset, shown, or the value of another expression; errors as texts."""
    folder = scope["F"].rstrip(os.sep)
    elements: list[str] = []
    try:
        value = eval(expression, dict(scope))
        if not isinstance(value, dataset_type):
            return shown(value)
        for element in itertools.islice(value, limit):
            elements.append(shown(element))
    except Exception as error:
        elements.append(error_text(error, folder))
    return elements


def recorded() -> dict[str, Any]:
    return json.loads(FILE.read_text())


def record(file: Path, expressions: list[str], make_names: Callable[[Any, str], Any]) -> None:
    """Writes TensorFlow's answers to expressions into a file."""
    import tensorflow as tf

    with tempfile.TemporaryDirectory() as folder:
        scope = make_names(tf, folder)
        answers = {text: answer(text, scope, tf.data.Dataset) for text in expressions}
    lines = [f"{json.dumps(text)}: {json.dumps(x)}" for text, x in answers.items()]
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__" and "--record" in sys.argv:
    record(FILE, EXPRESSIONS, names)
