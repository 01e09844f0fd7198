"""Submissions that tamper with their worker: none is right, and none is in the way of another."""

import numpy as np
import pytest
from opening import assert_nothing_is_left, backend_of

from grader.seam import Student, StudentError

X = np.array([[1.0, 2.0, 4.0], [-1e4, 0.0, 1e4]])
RIGHT = np.exp(X - X.max(-1, keepdims=True))
RIGHT /= RIGHT.sum(-1, keepdims=True)
HEAD = """
import atexit, gc, json, os, pickle, signal, socket, struct, sys, threading, time, weakref
import numpy as np

def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])

"""
# By name: what is defined, above all `softmax`. Each tampers with something else than the others.
ATTACKS = {
    "answers twice": """
def softmax(x):
    text = json.dumps({"ok": {"k": "v", "v": 1}, "id": 3}).encode()
    for _ in range(50):
        os.write(3, struct.pack("!II", len(text), 0) + text)
    return x
""",
    "answers for later": """
def softmax(x):
    for number in range(1, 9):
        text = json.dumps({"ok": {"k": "v", "v": number}, "id": number}).encode()
        os.write(3, struct.pack("!II", len(text), 0) + text)
    time.sleep(0.5)
""",
    "half an answer": """
def softmax(x):
    os.write(3, struct.pack("!II", 10**6, 10**6) + b"{")
    time.sleep(60)
""",
    "a drop at a time": """
def softmax(x):
    os.write(3, struct.pack("!II", 10**6, 0))
    while True:
        os.write(3, b" ")
        time.sleep(0.05)
""",
    "shuts the stream": """
def softmax(x):
    socket.socket(fileno=os.dup(3)).shutdown(socket.SHUT_RDWR)
    return x
""",
    "closes the stream": """
def softmax(x):
    os.close(3)
    return x
""",
    "passes descriptors": """
def softmax(x):
    stream = socket.socket(fileno=os.dup(3))
    stream.settimeout(1.0)
    for _ in range(200):
        socket.send_fds(stream, [b" "], [os.open("/dev/zero", os.O_RDONLY)])
    return x
""",
    "a child answers": """
def softmax(x):
    if os.fork():
        os._exit(0)
    return x * 0
""",
    "two children answer": """
def softmax(x):
    os.fork()
    return x * 0
""",
    "a thread answers": """
def softmax(x):
    def write():
        while True:
            os.write(3, b"\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x00{}")
    threading.Thread(target=write, daemon=True).start()
    return x
""",
    "changes what it returned": """
def softmax(x):
    kept = np.array(x)
    def turn():
        while True:
            kept[:] = np.random.rand(*kept.shape)
    threading.Thread(target=turn, daemon=True).start()
    return kept
""",
    "a profile that raises": """
def softmax(x):
    def watch(frame, event, argument):
        if frame.f_code.co_name == "encode":
            raise SystemExit(0)
    sys.setprofile(watch)
    return x
""",
    "an audit that exits": """
def softmax(x):
    sys.addaudithook(lambda event, _: os._exit(0) if event == "compile" else None)
    compile("1", "", "eval")
""",
    "a signal amid the answer": """
def softmax(x):
    signal.signal(signal.SIGALRM, lambda *_: 1 / 0)
    signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
    time.sleep(0.1)
    return x
""",
    "collected by force": """
class Late:
    def __del__(self):
        os._exit(0)

def softmax(x):
    late = [Late()]
    late.append(late)
    del late
    gc.collect()
    return x
""",
    "patches the encoder": """
from grader.seam import codec

def softmax(x):
    codec.Encoder.encode = lambda self, value: {"k": "v", "v": {"$": 1}}
    return x
""",
    "patches the numbers of messages": """
def softmax(x):
    json.dumps = lambda *_, **__: '{"ok": true, "id": 1e400}'
    return x
""",
    "an endless name": """
def softmax(x):
    raise type("E" * 10**6, (ValueError,), {"__module__": "builtins"})("x" * 10**7)
""",
    "a lying class of error": """
class Lies(type(Exception)):
    __mro__ = property(lambda self: [])

def softmax(x):
    raise Lies("PASSED", (Exception,), {"__module__": "builtins"})("PASSED")
""",
    "errors within errors": """
def softmax(x):
    error = ValueError("0")
    for number in range(50_000):
        error = ExceptionGroup(str(number), [error])
    raise error
""",
    "an error that hangs": """
class Slow(Exception):
    def __str__(self):
        while True:
            pass

def softmax(x):
    raise Slow
""",
    "numbers without end": """
def softmax(x):
    sys.set_int_max_str_digits(0)
    return 10 ** 1_000_000
""",
    "equal keys": """
class Key(str):
    __hash__ = lambda self: 1
    __eq__ = lambda self, other: False

def softmax(x):
    return {Key("a"): number for number in range(3000)}
""",
    "itself": """
def softmax(x):
    found = []
    found.append(found)
    return found
""",
    "a size that overflows": """
def softmax(x):
    return np.lib.stride_tricks.as_strided(np.zeros(1), (2**40, 2**20), (0, 0))
""",
    "a file that is no array": """
def softmax(x):
    np.zeros(4).tofile("a")
    kept = np.memmap("a", float, "r+", shape=(4,))
    open("a", "w").close()
    return kept
""",
    "a debugger of frames": """
def softmax(x):
    frame = sys._getframe()
    while frame:
        frame.f_trace = lambda *_: 1 / 0
        for name, value in list(frame.f_locals.items()):
            if isinstance(value, dict):
                value.clear()
        frame = frame.f_back
    return x
""",
    "no limits": """
import resource

def softmax(x):
    for name in dir(resource):
        if name.startswith("RLIMIT_"):
            resource.setrlimit(getattr(resource, name), (resource.RLIM_INFINITY,) * 2)
    return x
""",
}


def outcome(student):
    student.begin()
    try:
        return student.softmax(X), None
    except StudentError as error:
        return None, error


@pytest.mark.parametrize("name", ATTACKS)
def test_tampering_earns_nothing_and_harms_nobody(any_tier, name):
    if any_tier.workers.tier == "D":
        pytest.skip("tier D is for trusted submissions")
    with backend_of(any_tier, HEAD + ATTACKS[name]) as backend:
        value, error = outcome(Student(backend))
        assert error is None or (error.kind != "PASSED" and len(error.message) <= 2000)
        assert not (np.shape(value) == X.shape and np.allclose(value, RIGHT))
    with backend_of(any_tier, HEAD) as backend:
        student = Student(backend)
        student.begin()
        query, key = np.ones((2, 4)), np.arange(12.0).reshape(3, 4)
        np.testing.assert_allclose(student.scaled_scores(query, key), query @ key.T / 2)
    assert_nothing_is_left(any_tier)
