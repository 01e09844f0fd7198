"""Tries to get the answer from the network.

Expected: an OSError in every test that calls `softmax`.
"""

import socket

import numpy as np


def softmax(x, axis=-1):
    with socket.create_connection(("192.0.2.1", 80), timeout=1) as connection:
        connection.sendall(b"GET /softmax HTTP/1.0\r\n\r\n")
        return np.frombuffer(connection.recv(65536))


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
