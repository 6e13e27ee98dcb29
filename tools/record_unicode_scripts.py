"""Records the script of every Unicode code point into ``python/twinflow/ops/strings/scripts.txt`` (needs TensorFlow).

    python tools/record_unicode_scripts.py

A line holds the first code point, in hexadecimal, of a run that shares a script, and its number.
"""

from __future__ import annotations

import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "python" / "twinflow" / "ops" / "strings" / "scripts.txt"


def main() -> None:
    """Writes the file."""
    import numpy as np
    import tensorflow as tf

    scripts = tf.strings.unicode_script(tf.range(0x110000)).numpy()
    starts = np.flatnonzero(np.diff(scripts, prepend=-2))
    lines = [f"{start:x} {scripts[start]}\n" for start in starts]
    TARGET.write_text("".join(lines), "utf-8")
    print(f"{len(lines)} runs written to {TARGET.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
