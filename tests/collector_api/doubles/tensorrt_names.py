"""Read the table of names for one version."""

import re
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

VERSIONS = ("8.6.1", "10.0.1", "10.16.0", "11.4.0")
_ENTRY = re.compile(r"(?P<name>[\w.]+)(?:=(?P<value>\d+))?(?::(?P<first>[\d.]*?)\.\.(?P<last>[\d.]*))?")


def release(version):
    return tuple(int(part) for part in version.split(".")[:2])


def entries(text, version):
    """Return the names in a text that a version has, with the numbers that are stated."""
    found = {}
    for word in text.split():
        entry = _ENTRY.fullmatch(word)
        first, last = entry["first"] or "0.0", entry["last"] or "99.0"
        if release(first) <= release(version) <= release(last):
            found[entry["name"]] = None if entry["value"] is None else int(entry["value"])
    return found


def table(kind, version):
    """Return class or enumeration to the names that a version has; `kind` is "classes" or "enums"."""
    content = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))[kind]
    return {name: entries(text, version) for key, text in content.items() for name in entries(key, version)}


def all_names(kind):
    """Return class or enumeration to the names that any version has."""
    found = {}
    for version in VERSIONS:
        for name, members in table(kind, version).items():
            found.setdefault(name, set()).update(members)
    return found
