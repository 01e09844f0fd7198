"""Detection really tries; a layer that fails is a refusal and never a silent downgrade."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.sandbox import confine, process_tree, tiers
from course_lib.syllabus import ROOT

MOUNTS = Path("/proc/self/mounts")


def test_detection_gives_reasons_for_every_better_tier(best):
    better = {letter for letter in "ABC" if letter < best.letter}
    assert {reason[0] for reason in best.missing} == better


def test_detection_leaves_nothing_behind(best):
    before = process_tree.descendants(os.getpid())
    mounts = MOUNTS.read_text()
    tiers.detect()
    assert process_tree.descendants(os.getpid()) == before
    assert MOUNTS.read_text() == mounts


def test_a_layer_that_fails_refuses(best):
    if best.letter == "D":
        pytest.skip(f"no layer to fail: {best.missing}")

    def fail():
        confine._step(tiers.LANDLOCK, confine.landlock.restrict, [], ["/nothing/here\0"])

    with pytest.raises(tiers.LayerFailed, match="landlock"):
        tiers.in_child(fail)


def test_a_process_that_dies_while_trying_is_a_failure():
    with pytest.raises(tiers.LayerFailed, match="died"):
        tiers.in_child(lambda: os.kill(os.getpid(), 9))


def test_without_seccomp_in_the_kernel_the_tier_is_d_and_says_why(best):
    """In a process that may not install filters any more, because a filter says so."""
    if best.letter == "D":
        pytest.skip(f"seccomp is missing already: {best.missing}")
    program = (
        "import ctypes, errno, pyseccomp as s\n"
        "f = s.SyscallFilter(defaction=s.ALLOW)\n"
        "f.add_rule(s.ERRNO(errno.EPERM), 'landlock_create_ruleset')\n"
        "f.load()\n"
        "from autograder.sandbox import tiers\n"
        "tier = tiers.detect()\n"
        "print(tier.letter, tier.missing)\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert said.startswith("D ")
    assert all(f"{letter}: landlock" in said for letter in "ABC")


def test_without_the_right_to_open_namespaces_the_tier_is_c(best):
    if best.letter > "B":
        pytest.skip(f"namespaces are missing already: {best.missing}")
    program = (
        "import errno, pyseccomp as s\n"
        "f = s.SyscallFilter(defaction=s.ALLOW)\n"
        "f.add_rule(s.ERRNO(errno.EPERM), 'unshare')\n"
        "f.load()\n"
        "from autograder.sandbox import tiers\n"
        "tier = tiers.detect()\n"
        "print(tier.letter, tier.missing)\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert said.startswith("C ")
    assert "A: namespaces" in said
