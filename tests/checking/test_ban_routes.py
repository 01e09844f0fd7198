"""What an exercise forbids raises while its tests run, whatever way led to it; what that costs."""

import pkgutil
import re
import sys
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase

import in_process
import proofs
import pytest
from world_tables import cases, texts

from grader.checking.explanation import explain
from grader.notebook.collect import collect, decided
from grader.notebook.notebook_file import Cell
from grader.seam import StudentError, switches, torch_calls
from grader.seam.errors import POLICY
from grader.seam.loading import load

COURSE = proofs.COURSE
NAMES = sorted(
    {
        name
        for assignment in COURSE.graded
        for exercise in assignment.exercises
        for name in assignment.forbidden_in(exercise)
    }
)
# Other names of the same, and what it is done with inside.
ALIASES = texts("aliases", "ban_routes.toml")
ARGUMENTS = texts("arguments", "ban_routes.toml")
HEAD = texts("head", "ban_routes.toml")
HIDDEN_HEAD = texts("hidden_head", "ban_routes.toml")
ROUTES = texts("routes", "ban_routes.toml")
PROGRAMS = texts("programs", "ban_routes.toml")


def paths(name):
    return [*([] if "*" in name else [name]), *ALIASES.get(name, [])]


def notebook(path, route):
    given = (a for pattern, a in ARGUMENTS.items() if re.fullmatch(pattern, path))
    owner, _, name = path.rpartition(".")
    text = route.format(path=path, owner=owner, name=name, a=path[:-3], b=path[-3:])
    return HEAD.format(arguments=next(given, "")) + text


def loaded(source, forbidden):
    statement = {"cell": 3, "line": 1, "source": source, "names": ["use"]}
    job = {"statements": [statement], "unavailable": {}, "substitutes": [], "forbidden": forbidden}
    namespace, unavailable, problems = load(job)
    assert not problems
    return in_process.student(namespace, unavailable)


@pytest.fixture
def restored(monkeypatch):
    """What a notebook puts in the place of a name is taken out again."""

    @contextmanager
    def around(path):
        owner, _, name = path.rpartition(".")
        with monkeypatch.context() as patches:
            with suppress(ImportError, AttributeError, TypeError):
                found = pkgutil.resolve_name(path)
                patches.setattr(pkgutil.resolve_name(owner), name, found)
            yield

    return around


@pytest.mark.parametrize("name", NAMES)
def test_no_route_leads_to_what_is_forbidden(name, restored):
    """Each ban of course.toml and exam.toml, by ten routes and by every other name of the same."""
    for path in paths(name):
        for route, text in ROUTES.items():
            with restored(path):
                student = loaded(notebook(path, text), [name])
                student.begin(forbid=[name])
                with pytest.raises(StudentError) as caught:
                    student.use()
            assert caught.value.kind == POLICY, (path, route, str(caught.value))
            said = caught.value.message
            assert fnmatchcase(said, name) or said == torch_calls.REPLACED, (path, route, said)


MADE_BEFORE = texts("made_before", "ban_routes.toml")

HIDDEN_PLACES = texts("hidden_places", "ban_routes.toml")


@pytest.mark.parametrize("place", HIDDEN_PLACES)
def test_no_place_hides_what_is_forbidden(place, monkeypatch):
    for owner, name in torch_calls.STARTS:  # what a worker does for good ends here with the test
        monkeypatch.setattr(owner, name, getattr(owner, name))
    pytest.importorskip("torch")
    torch_calls.watch_new_threads()
    student = loaded(HIDDEN_HEAD + HIDDEN_PLACES[place], ["torch.softmax"])
    student.begin(forbid=["torch.softmax"])
    with pytest.raises(StudentError, match=r"^POLICY: torch\.softmax$"):
        student.use()
    student.begin()
    student.use()  # what is not forbidden works, in the same places


SWITCHES = texts("switches", "ban_routes.toml")
SWITCHES_HEAD = texts("switches_head", "ban_routes.toml")


@pytest.fixture
def guarded(monkeypatch):
    """As in a worker, which has imported torch, until the test ends."""
    pytest.importorskip("torch")
    for owner, name in switches.places():
        monkeypatch.setattr(owner, name, getattr(owner, name))
    switches.guard()


@pytest.mark.parametrize("way", SWITCHES)
def test_what_tells_of_torch_is_not_switched_off(guarded, way):
    student = loaded(SWITCHES_HEAD + SWITCHES[way], ["torch.softmax"])
    student.begin(forbid=["torch.softmax"])
    with pytest.raises(StudentError, match=r"^POLICY: torch\._C\."):
        student.use()


def test_what_torch_switches_itself_works_under_a_ban(guarded):
    """Devices as contexts, functions of torch in Python, and modes of one's own."""
    student = loaded(PROGRAMS["switches_of_torch"], ["torch.softmax"])
    student.begin(forbid=["torch.softmax"])
    assert student.use(torch_ones(1, 3, 4)) == ((1, 3, 4), (1, 3, 4))
    student = loaded(f"{SWITCHES_HEAD}{SWITCHES['switched off']}", ["torch.softmax"])
    student.begin()
    assert student.use().tolist() == [0.5, 0.5]


def torch_ones(*shape):
    return pytest.importorskip("torch").ones(*shape)


@pytest.mark.parametrize("what", MADE_BEFORE)
def test_what_was_made_before_the_ban_does_not_work_under_it(what, restored):
    name, source = MADE_BEFORE[what]
    text = f"import torch\n{source}\ndef use(): return bool(kept(torch.ones(2, 4)).sum())"
    with restored("torch.Tensor.softmax"):
        student = loaded(text, [name])
        student.begin(forbid=[name])
        with pytest.raises(StudentError) as caught:
            student.use()
        assert caught.value.kind == POLICY, str(caught.value)


def test_a_ban_ends_with_the_call():
    """A test in the same process, and the next exercise, use what was forbidden."""
    special = pytest.importorskip("scipy.special")
    student = loaded("from scipy.special import softmax\ndef use(): return softmax([0, 0])", [])
    student.begin(forbid=["scipy.special.softmax"])
    with pytest.raises(StudentError):
        student.use()
    assert special.softmax([0, 0]).tolist() == [0.5, 0.5]
    student.begin()
    assert student.use().tolist() == [0.5, 0.5]


def test_a_module_that_is_imported_under_the_ban_has_what_is_forbidden_refused(monkeypatch):
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    student = loaded("def use():\n    import colorsys\n    return colorsys.rgb_to_hls(0, 0, 0)", [])
    student.begin(forbid=["colorsys.rgb_to_hls"])
    with pytest.raises(StudentError, match=r"^POLICY: colorsys\.rgb_to_hls$"):
        student.use()
    student.begin()
    assert student.use() == (0.0, 0.0, 0.0)


def test_a_compiled_function_of_another_library_is_replaced_where_it_stands():
    student = loaded("import math\ndef use(): return math.exp(0)", [])
    student.begin(forbid=["math.exp"])
    with pytest.raises(StudentError, match=r"^POLICY: math\.exp$"):
        student.use()
    student.begin()
    assert student.use() == 1.0


def test_what_an_allowed_function_does_inside_is_allowed():
    """torch's attention, which 2.4 allows, calls a fused function that is forbidden by itself."""
    torch = pytest.importorskip("torch")
    student = loaded(PROGRAMS["attention_of_torch"], [])
    student.begin(forbid=["torch.nn.functional.scaled_dot_product_attention"])
    assert student.use(torch.ones(1, 3, 4)).shape == (1, 3, 4)


# What a ban costs, what is said of it, and whom it must not touch.


SOFTMAX = "course_lib.numpy_forms.attention:softmax"
ATTENTION = "course_lib.numpy_forms.attention:attention"
BORROWED = texts("borrowed", "ban_routes.toml")
BORROWED_WITHOUT_A_MASK = texts("borrowed_without_a_mask", "ban_routes.toml")


def test_the_message_says_what_was_used_where_and_what_is_allowed():
    data = proofs.notebook("a1", "solution", {SOFTMAX: BORROWED})
    tests = [test for test in proofs.graded(data, "a1", only=["1.1"]).tests if test.message]
    assert {test.outcome for test in tests} == {POLICY}
    message = tests[0].message
    assert message.expected == "your own code, with `np.exp`, `np.max` and sums"
    assert re.fullmatch(r"a call of `scipy\.special\.softmax` in cell \d+, line 4", message.got)
    assert message.cause == "1.1 asks you to write this yourself: it is forbidden under any name"
    assert message.seen


def test_only_the_tests_that_run_it_lose_their_points():
    data = proofs.notebook("a1", "solution", {ATTENTION: BORROWED_WITHOUT_A_MASK})
    result = proofs.graded(data, "a1")
    code = {exercise.id: exercise for exercise in result.exercises if exercise.tests}
    lost = [test for exercise in code.values() for test in exercise.tests if not test.points]
    assert {test.outcome for test in lost} == {POLICY}
    assert 0 < code.pop("1.4").points < 18
    assert {id: e.points for id, e in code.items()} == {id: e.max_points for id, e in code.items()}


@cases("around_a_ban", "ban_routes.toml")
def test_what_leads_around_a_ban_is_read_from_the_source(written):
    a1 = COURSE.assignment("a1")
    found = decided(a1, collect([Cell(3, "code", written)], ["softmax", "scaled_scores"]))
    assert found["1.1"].kind == POLICY
    message = explain(found["1.1"], ["softmax"], "1.1", a1.bans(a1.exercise("1.1")))
    assert "cell 3" in message.got
    assert "1.1 forbids" in message.cause


@cases("ordinary", "ban_routes.toml")
def test_ordinary_code_leads_around_nothing(written):
    collected = collect([Cell(3, "code", written)], ["softmax", "scaled_scores"])
    assert decided(COURSE.assignment("a1"), collected) == {}
