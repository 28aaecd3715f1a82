"""What a collector leaves behind, for tests."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema

from trexreport.collector.collect import Options
from trexreport.collector.gpu import GpuOptions

VERSIONS = ("8.4.3", "8.5.3", "8.6.1", "9.3.0", "10.0.1", "10.7.0", "10.13.3", "10.16.0", "11.0.0", "11.1.0")
SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "capture.schema.json").read_text())
UNWATCHED = Options(gpu=GpuOptions(watches=False))
DATA = {"m.engine", "m.engine.graph.json", "m.engine.profile.json", "m.engine.timing.json"}
LOGS = {"m.engine.build.log", "m.engine.profile.log", "m.engine.timing.log"}
TREX = {"m.engine.build.metadata.json", "m.engine.profile.metadata.json"}
MANIFEST = "m.engine.capture.json"
WHOLE = DATA | LOGS | TREX | {MANIFEST, "timing.cache"}


class Progress:
    """Keeps the messages that a user would see."""

    def __init__(self):
        self.messages = []
        self.lines = []

    def begin(self, title):
        self.messages.append(f"begin {title}")

    def advance(self, text, fraction=None):
        assert fraction is None or 0 <= fraction <= 1
        self.messages.append(text)

    def line(self, text):
        self.lines.append(text)

    def end(self, text):
        self.messages.append(f"end {text}")


def names(folder):
    return {path.name for path in folder.iterdir()}


def manifest(folder):
    """Return the manifest, which is as its schema says, however the collector ended."""
    found = json.loads((folder / MANIFEST).read_text())
    jsonschema.validate(found, SCHEMA)
    return found


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
