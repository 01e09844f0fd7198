"""The message under a failed test: expected, got, likely cause or advice, where to read."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Generic, Protocol, TypeVar

NOT_WRITTEN = "not written yet"
RAISED = "your code raised "  # begins the message about an exception
MOST_SHOWN = 4000  # characters of a part: no page shows as many
WAITING = "WAITING"  # the outcome of a test that passes, but does not count by itself


@dataclass(frozen=True)
class Message:
    """The four parts of a message, from the expectation to the page; empty parts are not shown."""

    expected: str = ""
    got: str = ""
    cause: str = ""
    read: str = ""
    # the answer shows the cause; otherwise `cause` is advice; the oldest grades do not say
    seen: bool | None = False
    mistake: str | None = None  # the id of the named mistake that answers so
    raised: bool | None = None  # True: about an exception of the student's code

    def __post_init__(self) -> None:
        for name in ("expected", "got", "cause", "read"):  # a value may be a text without end
            if len(text := getattr(self, name)) > MOST_SHOWN:
                object.__setattr__(self, name, f"{text[: MOST_SHOWN - 1]}…")

    def lines(self, cause: str = "") -> list[tuple[str, str]]:
        """The parts with their labels; `cause`: that of the cause, if not the usual one."""
        labels = ("expected", "got", cause or cause_label(self.seen), "read")
        texts = (self.expected, self.got, self.cause, self.read)
        return [(label, text) for label, text in zip(labels, texts, strict=True) if text]


class Failure(AssertionError):
    """A failed expectation: the parts of its message, in their order or by name."""

    def __init__(self, *parts: Any, value: Any = None, **named: Any):
        self.value = value  # what was got, to be compared with what a mistake gives
        self.message = Message(*parts, **named)
        super().__init__("\n".join(f"{label:13} {text}" for label, text in self.message.lines()))


def cause_label(seen: bool | None) -> str:
    """A cause is called likely only if the answer shows it."""
    return "likely cause" if seen else "advice"


class Checked(Protocol):
    """A test that ran: one of a notebook's check, or one with its grade."""

    @property
    def title(self) -> str: ...
    @property
    def outcome(self) -> str: ...
    @property
    def message(self) -> Message | None: ...


T = TypeVar("T", bound=Checked)


@dataclass(frozen=True)
class Failures(Generic[T]):
    """Failed tests with one cause, or one message: the parts of it that all of them share, and
    with each test what it says besides, unless the test before says the same.
    """

    shared: Message
    tests: list[tuple[T, Message]]

    def each(self) -> list[tuple[T, Message]]:
        """The tests with all of their messages, where only the first one gives the cause."""
        title, cause = self.tests[0][0].title.rstrip("."), self.shared.cause
        later = f"as in “{title}”" if cause else ""
        return [
            (test, replace(test.message or Message(), cause=later if number else cause))
            for number, (test, _) in enumerate(self.tests)
        ]

    @property
    def label(self) -> str:
        """The name of its cause or advice, with the number of checks that it explains."""
        several = len(self.tests) > 1
        return cause_label(self.shared.seen) + (f" ({len(self.tests)} checks)" if several else "")


def by_cause(failed: Iterable[T], elsewhere: bool = False) -> list[Failures[T]]:
    """The failed tests of one exercise, those with the same cause together.

    Advice is left out if any of them shows a likely cause, as they may well follow from that, or
    if the cause may be `elsewhere`; advice for an exception stays.
    """
    tests = [(test, test.message or Message()) for test in failed]
    found = elsewhere or any(message.seen and message.cause for _, message in tests)
    groups: dict[object, list[tuple[T, Message]]] = {}
    for test, message in tests:
        if found and not message.seen and not message.raised:
            message = replace(message, cause="")
        key = (test.outcome, message.seen, message.cause) if message.cause else message
        groups.setdefault(key, []).append((test, message))
    return [_failures(group) for group in groups.values()]


def _failures(group: list[tuple[T, Message]]) -> Failures[T]:
    messages = [message for _, message in group]
    shared = reduce(_common, messages)
    own = [
        _without(m, shared, before)
        for m, before in zip(messages, [None, *messages[:-1]], strict=True)
    ]
    return Failures(shared, [(test, m) for (test, _), m in zip(group, own, strict=True)])


def _common(one: Message, other: Message) -> Message:
    """The parts that both have."""
    return _kept(one, lambda part, text: text == getattr(other, part))


def _without(message: Message, shared: Message, before: Message | None) -> Message:
    """The parts that neither all tests share nor the one before says."""
    return _kept(
        message,
        lambda part, text: text != getattr(shared, part) and text != getattr(before, part, ""),
    )


def _kept(message: Message, keep: Callable[[str, str], bool]) -> Message:
    parts = {part: getattr(message, part) for part in ("expected", "got", "cause", "read")}
    texts: dict[str, Any] = {p: text if keep(p, text) else "" for p, text in parts.items()}
    return replace(message, **texts)


def counts_once(titles: Sequence[str]) -> Message:
    """The message of a test that passes, and counts once one of these passes, too."""
    named = [f"“{title.rstrip('.')}”" for title in titles]
    if len(named) > 2:
        named[1:] = [f"one of {len(named) - 1} others"]
    return Message(got=f"counts once {' or '.join(named)} passes")


def is_unwritten(tests: Sequence[Checked]) -> bool:
    """Whether the exercise is at its stub; some tests may meet another one's stub first."""
    got = [test.message.got if test.message else "" for test in tests]
    return NOT_WRITTEN in got and all(text.endswith(NOT_WRITTEN) for text in got)


def summary(
    heading: str, tests: Sequence[Checked], what: str = "visible checks", first: str = ""
) -> list[str]:
    """The lines a student reads about one exercise; `first`: what to repair before it."""
    messages = [test.message for test in tests]
    if is_unwritten(tests):
        return [f"{heading}: {NOT_WRITTEN}"]
    lines = [f"{heading}: {messages.count(None)} of {len(tests)} {what} pass"]
    lines += [f"  ! {first}"] if first else []
    failed = (test for test in tests if test.message and test.outcome != WAITING)
    for failures in by_cause(failed, elsewhere=bool(first)):
        lines += _paragraph(failures)
    waiting = [test for test in tests if test.outcome == WAITING]
    lines += [f"  ○ {test.title}\n      {test.message.got}" for test in waiting if test.message]
    return lines + [f"  ✓ {test.title}" for test in tests if test.message is None]


def _paragraph(failures: Failures[T]) -> list[str]:
    """Tests that fail for one reason: the reason once, then what is special to each."""
    shared, count = failures.shared, len(failures.tests)
    if count == 1:
        parts = [f"      {label:13} {text}" for label, text in shared.lines()]
        return [f"  ✗ {failures.tests[0][0].title}", *parts]
    head = f"{failures.label}: {shared.cause}" if shared.cause else f"the same in {count} checks:"
    others = replace(shared, cause="").lines()
    lines = [f"  {head}", *(f"      {label:13} {text}" for label, text in others)]
    for test, own in failures.tests:
        shown = [f"{label} {_short(text)}" for label, text in own.lines()]
        lines += [f"    ✗ {test.title}", *([f"        {', '.join(shown)}"] if shown else [])]
    return lines


def _short(text: str, most: int = 70) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"
