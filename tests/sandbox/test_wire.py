"""Framing: malformed and slow messages are distinguished, and use no memory."""

import os
import resource
import socket
import struct
import threading

import pytest

from grader.sandbox.wire import MAX_PAYLOAD, MAX_TREE, Channel, ProtocolError, Timeout, WallClock


@pytest.fixture
def ends():
    ours, theirs = socket.socketpair()
    yield Channel(ours), theirs
    ours.close()
    theirs.close()


def soon(seconds: float = 0.2) -> WallClock:
    return WallClock(seconds)


def test_a_message_comes_back_whole(ends):
    channel, theirs = ends
    other = Channel(theirs)
    payload = os.urandom(3_000_000)  # more than a socket holds
    sender = threading.Thread(target=channel.send, args=({"a": [1, "ü"]}, payload, soon(10)))
    sender.start()
    assert other.receive(soon(10)) == ({"a": [1, "ü"]}, payload)
    sender.join()


@pytest.mark.parametrize("lengths", [(MAX_TREE + 1, 0), (2, MAX_PAYLOAD + 1), (2**32 - 1,) * 2])
def test_announced_lengths_are_bounded_before_anything_is_allocated(ends, lengths):
    channel, theirs = ends
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    theirs.sendall(struct.pack("!II", *lengths))
    with pytest.raises(ProtocolError, match="length"):
        channel.receive(soon())
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096


@pytest.mark.parametrize(
    "text", [b"{", b"\xff\xfe", b"[" * 100_000, b"[]", b'"x"', b"1" * 10_000], ids=lambda t: t[:4]
)
def test_what_is_no_json_object_is_malformed(ends, text):
    channel, theirs = ends
    theirs.sendall(struct.pack("!II", len(text), 0) + text)
    with pytest.raises(ProtocolError):
        channel.receive(soon())


def test_too_large_a_message_is_not_sent(ends):
    channel, theirs = ends
    with pytest.raises(ProtocolError, match="MiB"):
        channel.send({"text": "x" * MAX_TREE})
    theirs.setblocking(False)
    with pytest.raises(BlockingIOError):
        theirs.recv(1)


def test_silence_a_trickle_and_a_full_pipe_are_late(ends):
    channel, theirs = ends
    with pytest.raises(Timeout):
        channel.receive(soon())
    theirs.sendall(struct.pack("!II", 100, 0) + b"{")
    with pytest.raises(Timeout):
        channel.receive(soon())
    with pytest.raises(Timeout):
        channel.send({}, b"x" * 5_000_000, soon())


def test_the_end_of_the_stream_is_an_eof(ends):
    channel, theirs = ends
    theirs.sendall(b"\0\0")
    theirs.close()
    with pytest.raises(EOFError):
        channel.receive(soon())
