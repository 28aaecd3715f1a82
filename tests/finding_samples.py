"""Findings of any kind and number, for tests of what shows them."""

from __future__ import annotations

import dataclasses

from trexreport.analyzer.analysis import SEVERITIES, Finding, Lint, Place, UncheckedRule
from trexreport.analyzer.analysis.findings import Consequence, SuppressedPlace
from trexreport.analyzer.analysis.gains import Gain


def gain(low_ms, high_ms=None, kind="estimate", percent=None):
    """Return savings; both percentages are the given one."""
    return Gain(kind, low_ms, low_ms if high_ms is None else high_ms, (), (), percent, percent)


def finding(code="TRX102", severity="warning", *places, gain_percent=None, text="", **changes):
    """Return a finding; each place is the layers and the gain in ms."""
    made = [
        Place(
            f"It shows {text or 'something'}.",
            list(layers),
            None if saved is None else gain(saved),
            {text or "types": text or "INT8 → FP16"},
        )
        for layers, saved in places
    ]
    gains = [place.gain.high_ms for place in made if place.gain is not None]
    values = {
        "code": code,
        "name": f"convolution.{text or 'float-output'}",
        "severity": severity,
        "title": text or f"Something is wrong as {code} says",
        "message": text or f"{len(made)} layers are wrong as {code} says.",
        "section": text or "reformats",
        "places": made,
        "layers": sorted({layer for place in made for layer in place.layers}),
        "time_ms": None,
        "gain": gain(sum(gains), percent=gain_percent) if gains else None,
        "savings": text or "As if all of it went.",
        "cost": text or "It takes time.\nIn two ways.",
        "recommendation": text or "Fix it.",
        "false_alarm": text or "Where it is meant.",
    }
    return Finding(**{**values, **changes})


def consequence(of, code="TRX301", **changes):
    """Return what a finding explains: another rule's places at the same layers."""
    values = {
        "code": code,
        "name": of.name,
        "severity": of.severity,
        "title": of.title,
        "message": of.message,
        "places": of.places,
        "layers": of.layers,
        "time_ms": of.time_ms,
        "causes": list(range(len(of.places))),
    }
    return Consequence(**{**values, **changes})


def many(analysis, count=30, places=40, text=""):
    """Return the outcome of many rules on an analysis's layers, with one text wherever there is any."""
    layers = len(analysis.layers)
    findings = []
    for number in range(count):
        where = [
            ([(number + at) % layers, (number + 2 * at) % layers], 0.5 / (at + 1)) for at in range(places)
        ]
        severity = SEVERITIES[number % 3]
        percent = None if number % 5 == 4 else 60.0 / (number + 1)
        if percent is None:
            where = [(of, None) for of, _ in where]
        code = f"{text}{number}" if text else f"TRX{100 + number}"
        findings.append(
            finding(
                code,
                severity,
                *where,
                gain_percent=percent,
                text=text,
                time_ms=sum(
                    analysis.layers[layer].avg_ms or 0.0 for layer in {each for of, _ in where for each in of}
                ),
            )
        )
    findings = [
        dataclasses.replace(
            each,
            about="measurement" if number >= count - 3 else "engine",
            consequences=[consequence(each, f"{each.code}9")] * (number % 2),
        )
        for number, each in enumerate(findings)
    ]
    text = text or "the reason"
    return Lint(
        findings=findings,
        suppressed=[SuppressedPlace("TRX102", "warning", Place("It is so.", [0], gain(0.1)), text)] * 3,
        unchecked=[
            UncheckedRule("TRX801", "measurement.unstable", "skipped", text),
            UncheckedRule("TRX802", "measurement.drift", "skipped", text),
            UncheckedRule("XYZ100", f"other.{text}", "broken", f"The rule raised {text}."),
        ],
        remarks=[text],
        checked=50,
    )
