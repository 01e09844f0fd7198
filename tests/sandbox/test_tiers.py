"""Detection really tries; a layer that fails is a refusal and never a silent downgrade."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import ROOT

from grader.sandbox import confine, detection, process_tree, tiers

MOUNTS = Path("/proc/self/mounts")


def test_detection_gives_reasons_for_every_better_tier(best):
    better = {tier for tier in "ABC" if tier < best.name}
    assert {reason[0] for reason in best.missing} == better


def test_detection_leaves_nothing_behind(best):
    before = process_tree.descendants(os.getpid())
    mounts = MOUNTS.read_text()
    detection.detect()
    assert set(process_tree.descendants(os.getpid())) <= set(before)  # others may have ended
    assert MOUNTS.read_text() == mounts


def test_a_layer_that_fails_refuses(best):
    if best.name == "D":
        pytest.skip(f"no layer to fail: {best.missing}")

    def fail():
        confine._step(tiers.LANDLOCK, confine.landlock.restrict, [], ["/nothing/here\0"])

    with pytest.raises(tiers.LayerFailed, match="landlock"):
        detection.in_child(fail)


def test_a_process_that_dies_while_trying_is_a_failure():
    with pytest.raises(tiers.LayerFailed, match="died"):
        detection.in_child(lambda: os.kill(os.getpid(), 9))


@pytest.mark.parametrize(
    ("refused", "tier", "reason"),
    [
        ("unshare", "C", "B: namespaces"),
        ("pivot_root", "C", "B: view"),
        ("landlock_create_ruleset", "D", "C: landlock"),
        ("capset", "D", "C: probe"),
    ],
)
def test_a_kernel_that_refuses_a_layer_gives_a_lower_tier_and_says_why(
    best, tmp_path, refused, tier, reason
):
    if best.name > "B":
        pytest.skip(f"layers are missing already: {best.missing}")
    program = (
        "import errno, pyseccomp as s\n"
        "rules = s.SyscallFilter(defaction=s.ALLOW)\n"
        f"rules.add_rule(s.ERRNO(errno.EPERM), {refused!r})\n"
        "rules.load()\n"
        "from grader.sandbox import detection\n"
        "tier = detection.detect()\n"
        "print(tier.name, tier.missing)\n"
    )
    command, environment = [sys.executable, "-c", program], os.environ | {"TMPDIR": str(tmp_path)}
    said = subprocess.run(
        command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert said.startswith(f"{tier} ")
    assert reason in said
    assert list(tmp_path.iterdir()) == [], "a rehearsal tidies up after itself"
