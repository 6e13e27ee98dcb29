"""A task of a cluster as a process: ``python -m twinflow.task --job ps --index 0``.

The cluster is that of the environment variable ``TF_CONFIG``, or of a file with the same text. The
process prints the address of its server, and runs until it is ended.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import twinflow as tf


def main(arguments: Sequence[str] | None = None) -> None:
    """Starts the server of a task and waits.

    Args:
        arguments: The arguments of the command; those of the process if None.

    Raises:
        SystemExit: The cluster or the task is not known.
    """
    parser = argparse.ArgumentParser(prog="python -m twinflow.task", description=main.__doc__)
    parser.add_argument("--job", help="the job; that of TF_CONFIG by default")
    parser.add_argument("--index", type=int, help="the index of the task in its job")
    parser.add_argument(
        "--spec", default="TF_CONFIG", help="a file with the text of TF_CONFIG, instead of that"
    )
    parser.add_argument(
        "--address", help="host:port, for a task whose cluster nobody else has to know"
    )
    parser.add_argument(
        "--until-eof",
        metavar="FOLDER",
        help="end when standard input is closed, and remove this folder, which has the keys",
    )
    options = parser.parse_args(arguments)
    is_given = options.spec == "TF_CONFIG"
    text = os.environ.get("TF_CONFIG", "{}") if is_given else Path(options.spec).read_text("utf-8")
    config = json.loads(text)
    task = config.get("task", {})
    job = options.job or task.get("type")
    index = options.index if options.index is not None else task.get("index", 0)
    cluster = config.get("cluster", config if not is_given else {})
    if options.address:
        job = job or "worker"
        cluster = {job: {int(index): options.address}}
    if not cluster or job is None:
        parser.error("no cluster: set TF_CONFIG, or give --spec, or --job and --address")
    try:
        server = tf.distribute.Server(cluster, job, int(index))
    except ValueError as error:
        parser.error(str(error))
    print(server.target, flush=True)
    if options.until_eof:
        sys.stdin.read()  # the process that has started this one holds the other end
        shutil.rmtree(options.until_eof, ignore_errors=True)
        os._exit(0)
    server.join()


if __name__ == "__main__":
    main()
