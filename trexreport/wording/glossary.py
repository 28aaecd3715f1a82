"""The terms of TensorRT, Myelin and this report that pages explain where they occur (`glossary.json`)."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.resources import packaged_table

#: Term, other spellings under which it occurs, and its meaning.
GLOSSARY: Sequence[tuple[str, Sequence[str], str]] = [
    (each["term"], each.get("also", ()), each["meaning"]) for each in packaged_table("wording/glossary.json")
]
