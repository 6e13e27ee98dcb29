"""TensorFlow's recorded answers to thousands of small expressions, beside twinflow's.

A test is a group of probes; ``golden/scope.txt`` says which groups apply, ``golden/deviations.md``
where we differ on purpose. The score is printed at the end of the run.
"""

import itertools
import json

import pytest

import twinflow as tf
from tests import harness
from tests.golden import probes, r_replay, replay

GROUPS = {
    group: list(members)
    for group, members in itertools.groupby(
        sorted(probes.load(), key=lambda p: p["id"]), key=replay.group_of
    )
}
R_GROUPS = {
    group: list(members)
    for group, members in itertools.groupby(probes.load(*probes.R_FILES), key=replay.group_of)
}
IN_SCOPE = [group for group in GROUPS if replay.scope().fullmatch(group)]
LISTED = replay.deviations()


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Runs each probe in a folder of its own."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("group", IN_SCOPE)
def test_probes(group):
    fail_for([replay.judge(probe, tf, LISTED) for probe in GROUPS[group]])


def fail_for(reports):
    """Fails where a probe has something to report."""
    wrong = [report for report in reports if report]
    if wrong:
        pytest.fail(f"{len(wrong)} of {len(reports)} probes\n" + "\n".join(wrong), pytrace=False)


@pytest.fixture(autouse=True, scope="module")
def the_rest_is_for_later():
    for group in GROUPS.keys() - set(IN_SCOPE):
        replay.score[group][replay.LATER] += len(GROUPS[group])
    for group in R_GROUPS:
        if not replay.scope().fullmatch(f"R {group}"):
            replay.score[f"R {group}"][replay.LATER] += len(R_GROUPS[group])


def test_deviations_name_probes():
    names = {name for name in LISTED if not name.startswith("`")}
    in_r = {f"R {p['id']}" for p in probes.load(*probes.R_FILES)}
    assert {p["id"] for p in probes.load()} | in_r >= names


@pytest.mark.parametrize(
    "group", [group for group in R_GROUPS if replay.scope().fullmatch(f"R {group}")]
)
def test_r_probes(group):
    harness.need_r()
    replay.reset(tf)
    fail_for([r_replay.judge(probe, tf, LISTED) for probe in R_GROUPS[group]])


def test_placement_log():
    """In order and in a process of its own: a scalar constant is logged only the first time."""
    wrong = []
    for code, verdict, then, now in json.loads(replay.in_new_process("log")):
        replay.score["placement_log"][verdict] += 1
        if verdict == replay.FAILED:
            wrong.append(f"{code}\n    TensorFlow: {short(then)}\n    twinflow:   {short(now)}")
    if wrong:
        pytest.fail(f"{len(wrong)} snippets\n" + "\n".join(wrong), pytrace=False)


def short(logged):
    """Ops without the part of the device's name that all of them share."""
    ops = [f"{op}@{device.rpartition('/device:')[2]}" for op, device in logged["ops"]]
    return " ".join(ops) if logged["error"] is None else f"{logged['error']} {' '.join(ops)}"
