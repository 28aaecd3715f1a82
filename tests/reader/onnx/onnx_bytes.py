"""Protobuf's wire format written by hand, also where it is wrong."""

from __future__ import annotations


def varint(number: int) -> bytes:
    low, number = number & 0x7F, number >> 7
    return bytes([low | 0x80]) + varint(number) if number else bytes([low])


def field(number: int, value: bytes | str | int) -> bytes:
    """Return a field with a text, a message or an integer."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value % 2**64)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def graph(*fields: bytes) -> bytes:
    """Return a model with a graph of these fields."""
    return field(1, 10) + field(7, b"".join(fields))


def node(*fields: bytes) -> bytes:
    """Return a field of a graph: a node of these fields."""
    return field(1, b"".join(fields))


def nested(levels: int) -> bytes:
    """Return a model whose Ifs are nested; the innermost graph has a node."""
    # From the inside, in a list: each level is 3 messages.
    inner = node(field(4, "Neg"))
    for _ in range(levels):
        inner = node(field(4, "If"), field(5, field(1, "then_branch") + field(20, 5) + field(6, inner)))
    return graph(inner)
