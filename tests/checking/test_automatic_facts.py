"""What every exercise is asked without anyone writing it: each fact has code that breaks it."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from grader.checking import automatic_facts
from grader.checking.answer import Answer
from grader.checking.messages import Failure
from grader.seam import Student
from grader.seam.executor import Executor, LocalBackend
from grader.seam.facade import Call

X = torch.arange(24.0).reshape(2, 3, 4)
EYE = torch.eye(4)  # of this device
KEPT: list[int] = []


class Doubled(nn.Linear):
    def forward(self, x):
        return super().forward(x).to(torch.float32)


class Keeping(nn.Linear):
    """A module that keeps the result of its last call."""

    def forward(self, x):
        self.last = [super().forward(x)]
        return self.last[0]


def written_to(x):
    x += 1
    return x


def of_three_axes(x):
    batch, n, d = x.shape
    return x.reshape(batch, n, d)


def counted(x):
    KEPT.append(1)
    return x * len(KEPT)


# What is called, with what, and the facts that are not so of it.
CALLED = [
    (lambda x: x @ x.mT, [X], []),
    (lambda x: (x + torch.eye(4)[:3], x), [X], ["device"]),
    (lambda x: x @ EYE, [X], ["device", "precision"]),
    (lambda x: torch.einsum("bnd,de->bne", x, EYE), [X], ["device", "precision", "axis"]),
    (
        lambda x: functional.scaled_dot_product_attention(x, x, X),
        [X],
        ["device", "precision", "one"],
    ),
    (lambda x: x.masked_fill(x > 3, torch.tensor(-1.0)), [X], []),  # as a GPU allows it
    (lambda x: x[..., torch.tensor([1, 0])], [X], []),
    (lambda x: x.index_select(-1, torch.tensor([1, 0])), [X], ["device"]),
    (lambda x: x * torch.tensor(2.0), [X], []),
    (lambda x: x.tolist() and x, [X], []),  # values cannot be read there, which says nothing
    (lambda x: EYE[:3] * x, [X], ["device"]),
    (lambda x: torch.zeros(3, 4) + x * 0, [X], ["device"]),
    (lambda x: x.float(), [X], ["precision"]),
    (Doubled(4, 4), [X], ["precision"]),
    (nn.Linear(4, 4), [X], []),
    (Keeping(4, 4), [X], []),
    (Keeping(4, 4).forward, [X], []),
    (nn.utils.weight_norm(nn.Linear(4, 4)), [X], []),
    (lambda x: x.max(-1), [X], []),  # a named tuple
    (lambda x: torch.ones(4) @ x.mT, [X], ["device", "precision"]),
    (lambda x: x.squeeze(), [X], ["one", "axis"]),
    (lambda x: x - x.mean(0), [X], ["one", "axis"]),
    (lambda x, mask: x * mask[..., None], [X, X[..., 0] > 4], []),
    (of_three_axes, [X], ["axis"]),
    (lambda x: x.sum(1), [X], ["axis"]),
    (lambda x: x.sum(-1), [X.numpy()], []),
    (lambda x: x.astype("float32"), [X.numpy()], []),  # no handout of NumPy speaks of precision
    (lambda d: np.eye(d), [3], []),
]


def asked(function, args, declined=()):
    """The names of the facts that are not so."""
    student = Student(LocalBackend(Executor({"function": function})))
    student.begin()

    def once() -> Answer:
        return Answer.of(student.function(*args))

    found = automatic_facts.with_facts(once(), student, None, declined, once)
    broken = found.values.keys() - automatic_facts.only_so(found).values.keys()
    names = {sentence: form for form, sentence in automatic_facts.FORMS.items()}
    return sorted(names.get(name, name) for name in broken)


@pytest.mark.parametrize(("function", "args", "broken"), CALLED)
def test_a_call_is_asked_in_other_forms(function, args, broken):
    assert asked(function, args) == sorted(broken)
    assert asked(function, args, broken) == []


def test_what_is_written_to_or_kept_is_seen():
    assert automatic_facts.CHANGED in asked(written_to, [X.clone()])
    assert automatic_facts.AGAIN in asked(counted, [X])


@pytest.mark.parametrize("fact", automatic_facts.SO)
def test_a_fact_that_is_not_so_has_its_own_cause(fact):
    right, is_list = Answer(automatic_facts.SO), fact == automatic_facts.CHANGED
    wrong = Answer({**right.values, fact: ["f: argument x"] if is_list else False})
    automatic_facts.tell_apart(right, right)
    automatic_facts.tell_apart(wrong, automatic_facts.without_facts(right))
    with pytest.raises(Failure) as failure:
        automatic_facts.tell_apart(wrong, right)
    message = failure.value.message
    assert message.expected.startswith(fact)
    assert message.got == ("['f: argument x']" if is_list else "not so")
    assert message.cause.startswith("your code ")
    assert message.seen


def test_nothing_is_changed_by_asking():
    layer, x = nn.Linear(4, 4), X.clone()
    asked(layer, [x])
    assert layer.weight.device.type == "cpu"
    assert layer.weight.dtype == torch.float32
    assert x.equal(X)


class Replies:
    """A worker that replies the same to every request."""

    def __init__(self, reply):
        self.reply = reply

    def request(self, request, payload, deadline):
        return {"ok": self.reply}, b""


MORE = {"k": "dict", "v": [[{"k": "v", "v": "more"}, {"k": "v", "v": True}]]}


@pytest.mark.parametrize("reply", [{"k": "v", "v": "all is well"}, MORE])
def test_a_forged_answer_is_none(reply):
    call = Call("function", (X,), {}, changed=[])
    assert Student(Replies(reply)).varied(call, ["device"]) == {}


def test_only_facts_that_are_so_of_the_right_form_are_asked():
    right = automatic_facts.only_so(Answer({automatic_facts.FORMS["precision"]: True}))
    student = Student(LocalBackend(Executor({"function": lambda x: x @ torch.ones(4)})))
    student.begin()
    answer = Answer.of(student.function(X))
    found = automatic_facts.with_facts(answer, student, right, [], lambda: answer)
    facts = found.values.keys() & {*automatic_facts.FORMS.values()}
    assert facts == {automatic_facts.FORMS["precision"]}
