"""Damage every kind of file: cut it, recode it, change bytes, edit the lists that carriers have."""

from __future__ import annotations

import base64
import copy
import gzip
import io
import json
import re
import zipfile
from random import Random

import pytest
from commands import named
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nasty import as_bytes, deep_changes, shallow_changes
from targets import TARGETS, Bench, seeds_of

from trexreport import configuration
from trexreport.reader import marks, report_file
from trexreport.reader.archive_file import list_hash
from trexreport.reader.marks import ARCHIVE_LIST

CUTS = 50


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return Bench(tmp_path_factory.mktemp("fuzz"))


def feed(bench, target, inputs):
    for turn, (name, data) in enumerate(inputs):
        with named(f"{target}, {name}"):
            TARGETS[target](bench, data, turn)


def cuts(data, step):
    for part in range(0, CUTS, step):
        yield f"the first {part}/{CUTS}", data[: len(data) * part // CUTS]
        yield f"without the first {part}/{CUTS}", data[len(data) * part // CUTS :]


def damages(data, count):
    for seed in range(count):
        yield f"damage {seed}", damaged(data, Random(seed))


def damaged(data, chance):
    """Return the data with some bytes changed, a stretch doubled, moved or left out."""
    result = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        start = chance.randrange(len(result) + 1)
        end = min(len(result), start + chance.randrange(1, 80))
        choice = chance.randrange(5)
        if choice == 0:
            result[start : start + 1] = bytes([chance.choice(b'{}[]",:\\0-9eEn\x00\xff=\n')])
        elif choice == 1:
            del result[start:end]
        elif choice == 2:
            result[start:start] = result[start:end]
        elif choice == 3:
            result[start:end] = bytes(chance.randrange(256) for _ in range(end - start))
        else:
            stretch = result[start:end]
            del result[start:end]
            result[chance.randrange(len(result) + 1) :][:0] = stretch
    return bytes(result)


def by_lines(data):
    """Yield the data with lines lost, moved, repeated, cut and prefixed, and with others between."""
    lines = data.split(b"\n")
    half = len(lines) // 2
    kinds = {
        "lines lost": [line for at, line in enumerate(lines) if at % 5 != 3],
        "lines in pairs": [line for at in range(0, len(lines), 2) for line in reversed(lines[at : at + 2])],
        "half repeated": lines[:half] + lines[half // 2 :],
        "lines cut": [line[:60] for line in lines],
        "lines broken": [line[at : at + 60] for line in lines for at in range(0, max(len(line), 1), 60)],
        "a prefix": [b"[pod/build-%d/main] %s" % (at, line) for at, line in enumerate(lines)],
        "a prefix of some": [b"note: " * (at % 3 > 0) + line for at, line in enumerate(lines)],
        "itself backwards between": [each for pair in zip(lines, lines[::-1], strict=True) for each in pair],
    }
    for kind, changed in kinds.items():
        yield kind, b"\n".join(changed)
    yield "decimal commas", re.sub(rb"(?<=\d)\.(?=\d)", b",", data)
    yield "colors", b"\n".join(b"\x1b[32m%s\x1b[0m" % line for line in lines)


def recoded(data):
    """Yield the data in other encodings and wrappings."""
    text = data.decode("utf-8", "replace")
    for encoding in (
        "utf-8-sig",
        "utf-16",
        "utf-16-le",
        "utf-16-be",
        "utf-32",
        "utf-32-be",
        "utf-7",
        "cp037",
    ):
        yield encoding, text.encode(encoding, "replace")
    yield "a lone BOM", b"\xff\xfe"
    yield "gzip", gzip.compress(data, mtime=0)
    yield "base64", base64.b64encode(data)
    yield "NUL before", b"\0" * 100 + data
    yield "doubled", data + data
    yield "backwards", data[::-1]
    yield "CR LF", data.replace(b"\n", b"\r\n")
    yield "CR", data.replace(b"\n", b"\r")
    yield "as a text", json.dumps(text).encode()
    yield "zeros", bytes(5000)
    yield "deep", b"[" * 100_000
    yield "deep objects", b'{"a":' * 50_000
    yield "a number", b"9" * 10_000
    yield "large numbers", data.replace(b"0", b"0" * 400).replace(b": 1", b": 1e999")
    yield "NaN", data.replace(b": ", b": nan, ")


@pytest.mark.parametrize("target", TARGETS)
def test_a_damaged_file(bench, target):
    data = seeds_of(bench, target)[0]
    inputs = [*cuts(data, 10), *recoded(data), *by_lines(data), *damages(data, 6)]
    # Others for each target, as each takes a command.
    feed(bench, target, inputs[list(TARGETS).index(target) % 7 :: 7])


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_a_damaged_file_in_detail(bench, target):
    for data in seeds_of(bench, target):
        feed(bench, target, cuts(data, 5))
        feed(bench, target, recoded(data))
        feed(bench, target, by_lines(data))
        feed(bench, target, damages(data, 24))


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
@pytest.mark.parametrize("target", TARGETS)
def test_any_bytes(bench, target, data):
    """Feed bytes that share nothing with the good file, or only a few pieces."""
    seed = seeds_of(bench, target)[0]
    pieces = st.sampled_from([seed[start : start + 40] for start in range(0, min(len(seed), 4000), 40)])
    drawn = data.draw(
        st.binary(max_size=60) | st.lists(pieces | st.binary(max_size=4), max_size=6).map(b"".join)
    )
    TARGETS[target](bench, drawn, data.draw(st.integers(0, 23)))


def manifests(bench, target):
    """Return the list of files that a carrier has, and a function that puts another in its place."""
    data = bench.containers[target].read_bytes()
    if target.endswith(".html"):
        data = bench.containers["report.html"].read_bytes()
        written = report_file._written_manifest(data)
        document = json.loads(written)
        # No page carries the inputs of several engines, and the reader would take them all the same.
        several = {"engines": [document]} if target == "comparison.html" else document
        return several, lambda new: data.replace(written, new)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}

    def replaced(new):
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            for name, content in {**members, ARCHIVE_LIST: new}.items():
                archive.writestr(name, content)
        return stream.getvalue()

    return json.loads(members[ARCHIVE_LIST]), replaced


def hashed(document):
    """Return the list with the hash that belongs to it, as who rewrites one can rewrite the other."""
    document = copy.deepcopy(document)
    engines = document.get("engines") if isinstance(document, dict) else None
    for each in [document, *(engines if isinstance(engines, list) else [])]:
        if isinstance(each, dict) and isinstance(each.get("sha256"), str):
            each["sha256"] = list_hash(each) if "schema" in each else report_file._hash_of(each)
    return document


@pytest.mark.parametrize("target", ["report.html", "comparison.html", "capture.trexa"])
@pytest.mark.parametrize("at_once", [10, pytest.param(1, marks=pytest.mark.slow)])
def test_every_value_in_the_list_of_what_is_carried(bench, target, at_once):
    document, put = manifests(bench, target)
    changes = [*deep_changes(document, Random(1), at_once, depth=0)]
    changes += list(shallow_changes(document, depth=0)) if at_once == 1 else []
    feed(
        bench,
        target,
        ((name, put(as_bytes(hashed(new) if turn % 2 else new))) for turn, (name, new) in enumerate(changes)),
    )
    assert len(changes) > 10


@pytest.mark.parametrize("at_once", [12, pytest.param(1, marks=pytest.mark.slow)])
def test_every_value_in_the_configuration(bench, monkeypatch, at_once):
    """Change what the parser of TOML gives; what no TOML can say is passed over."""
    document = configuration._parsed(bench.toml)
    monkeypatch.setattr(configuration, "_parsed", lambda _: current)
    for turn, (_, current) in enumerate(deep_changes(document, Random(2), at_once, depth=0)):
        if isinstance(current, dict) and not _has_null(current):
            TARGETS["trexreport.toml"](bench, b"", turn)


def _has_null(value):
    if isinstance(value, (dict, list)):
        return any(map(_has_null, value.values() if isinstance(value, dict) else value))
    return value is None


def test_the_good_files_are_good(bench):
    for target in TARGETS:
        for data in seeds_of(bench, target):
            TARGETS[target](bench, data, 0)
    assert marks.is_archive(bench.containers["capture.trexa"].read_bytes())
