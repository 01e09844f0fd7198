"""Detection really tries; a layer that fails is a refusal and never a silent downgrade."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import ROOT, place

from grader.sandbox import confine, detection, process_tree, tiers
from grader.sandbox.readable_files import Readable, for_python

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
        confine._step(tiers.LANDLOCK, confine.linux.restrict_paths, [], ["/nothing/here\0"])

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
    best, reachable, refused, tier, reason
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
    command, environment = [sys.executable, "-c", program], os.environ | {"TMPDIR": str(reachable)}
    said = subprocess.run(
        command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert said.startswith(f"{tier} ")
    assert reason in said
    assert list(reachable.iterdir()) == [], "a rehearsal tidies up after itself"


# Which paths a worker may read: the nearest rule decides.


@pytest.fixture
def disk(tmp_path) -> Path:
    for path in (
        "packages/numpy/core.py", "packages/course_lib/answer.py", "packages/autograder/x.py",
        "packages/_editable_impl_transformer_course.pth", "checkout/course_lib/answer.py",
        "checkout/.venv/lib/site/torch.py", "tree/course_lib/stub.py",
    ):  # fmt: skip
        place(tmp_path / path, "")
    return tmp_path


def test_a_folder_without_secrets_is_granted_whole(disk):
    assert Readable((str(disk / "tree"),), ()).grants() == [str(disk / "tree")]


def test_the_courses_own_packages_are_left_out(disk):
    packages = str(disk / "packages")
    readable = for_python(str(disk / "tree"), [packages], [], ["autograder", "course_lib"])
    granted = [path for path in readable.grants() if path.startswith(str(disk))]
    assert granted == [str(disk / "packages" / "numpy"), str(disk / "tree")]


def test_an_environment_inside_the_checkout_is_granted_and_the_checkout_is_not(disk):
    site = str(disk / "checkout/.venv/lib/site")
    readable = Readable((site, str(disk / "tree")), (str(disk / "checkout"),))
    assert readable.grants() == [site, str(disk / "tree")]


def test_a_checkout_beneath_a_system_folder_is_cut_out(disk):
    readable = Readable((str(disk),), (str(disk / "checkout"),))
    assert readable.grants() == [str(disk / "packages"), str(disk / "tree")]


def test_nothing_granted_for_this_installation_holds_the_checkout(disk):
    import sys

    packages = [path for path in sys.path if path.endswith("site-packages")]
    readable = for_python(str(disk / "tree"), packages, [str(ROOT)], ["autograder", "course_lib"])
    secret = ROOT / "course_lib" / "attention.py"
    assert not [path for path in readable.grants() if secret.is_relative_to(path)]
    assert not [path for path in readable.grants() if Path(path).name.startswith("course_lib")]
