"""Files of profiles: messages of the class XSpace, one plane for the host and one for the session."""

from __future__ import annotations

import os
import platform
import time
from typing import Any

from twinflow._src.core.protos import message
from twinflow._src.wings.profiler.recorder import Event, Recorder


def write(logdir: str, recorder: Recorder, begin: int, first: int, options: dict[str, Any]) -> None:
    """Writes a profile where TensorBoard looks for it.

    Args:
        logdir: The folder of the logs.
        recorder: The events.
        begin: The begin of the session in nanoseconds since 1970.
        first: The begin of the session on the clock of the events.
        options: The options of the session.
    """
    host = platform.node()
    space = message("XSpace")(hostnames=[host])
    _add_host_plane(space.planes.add(name="/host:CPU"), recorder, first)
    _add_session_plane(space.planes.add(name="Task Environment"), begin, options)
    if recorder.is_full:
        space.warnings.append("Events after the first 1000000 were dropped.")
    folder = os.path.join(logdir, "plugins", "profile", time.strftime("%Y_%m_%d_%H_%M_%S"))
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, f"{host}.xplane.pb"), "wb") as file:
        file.write(space.SerializeToString())


def _add_host_plane(plane: Any, recorder: Recorder, first: int) -> None:
    """Adds the events: a line for each thread, in the order of their begin."""
    by_thread: dict[int, list[Event]] = {}
    for event in recorder.events:
        by_thread.setdefault(event.thread, []).append(event)
    names: dict[str, int] = {}
    stats: dict[str, int] = {}
    for thread, events in by_thread.items():
        name = recorder.threads[thread]
        line = plane.lines.add(id=thread, name=name, display_name=name)
        # An event that contains others begins before them, or at the same time and ends later.
        for event in sorted(events, key=lambda e: (e.start, -e.duration)):
            proto = line.events.add(
                metadata_id=names.setdefault(event.name, len(names) + 1),
                offset_ps=max(event.start - first, 0) * 1000,
                duration_ps=event.duration * 1000,
            )
            for key, value in event.stats.items():
                _add_stat(proto.stats, stats.setdefault(key, len(stats) + 1), value)
    for name, number in names.items():
        plane.event_metadata[number].id = number
        plane.event_metadata[number].name = name
    _name_stats(plane, stats)


def _add_session_plane(plane: Any, begin: int, options: dict[str, Any]) -> None:
    times = {"profile_start_time": begin, "profile_stop_time": time.time_ns()}
    numbers = {name: number for number, name in enumerate([*times, *options], 1)}
    for name, value in times.items():
        plane.stats.add(metadata_id=numbers[name], uint64_value=value)
    for name, value in options.items():
        _add_stat(plane.stats, numbers[name], value)
    _name_stats(plane, numbers)


def _name_stats(plane: Any, numbers: dict[str, int]) -> None:
    for name, number in numbers.items():
        plane.stat_metadata[number].id = number
        plane.stat_metadata[number].name = name


def _add_stat(stats: Any, number: int, value: Any) -> None:
    """Adds a value under the type that it has in Python; others as strings."""
    if isinstance(value, (bool, int)):
        stats.add(metadata_id=number, int64_value=int(value))
    elif isinstance(value, float):
        stats.add(metadata_id=number, double_value=value)
    elif isinstance(value, bytes):
        stats.add(metadata_id=number, bytes_value=value)
    else:
        stats.add(metadata_id=number, str_value=str(value))
