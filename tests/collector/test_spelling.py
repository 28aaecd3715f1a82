"""Check that what a user says in the words of one version is stated in those of another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.collector.arguments import read_arguments
from trexreport.collector.flags import flag_table
from trexreport.collector.spelling import measuring_arguments, respelled
from trexreport.collector.versions import Version

TABLE = flag_table()


def respell(version: str, *words: str) -> list[str]:
    found, _ = respelled(read_arguments(words, TABLE), Version.parse(version), TABLE)
    return [str(argument) for argument in found]


def measuring(version: str, *words: str) -> list[str]:
    found = measuring_arguments(read_arguments(words, TABLE), Version.parse(version), TABLE)
    return [str(argument) for argument in found]


@pytest.mark.parametrize(
    ("version", "word", "spelled"),
    [
        ("8.5.3", "--infStreams=2", ["--streams=2"]),
        ("8.6.1", "--streams=2", ["--infStreams=2"]),
        ("8.4.3", "staticPlugins=p.so", ["--plugins=p.so"]),
        ("11.1.0", "plugins=p.so", ["--staticPlugins=p.so"]),
        ("8.4.3", "workspace=1024", ["--memPoolSize=workspace:1024"]),
        ("10.3.0", "workspace=1024", ["--memPoolSize=workspace:1024"]),
        ("8.2.1", "workspace=1024", ["--workspace=1024"]),
        ("8.4.3", "nvtxMode=verbose", ["--profilingVerbosity=detailed"]),
        ("11.0.0", "profilingVerbosity=default", ["--profilingVerbosity=layer_names_only"]),
        ("9.3.0", "explicitBatch", []),
        ("10.3.0", "explicitBatch", []),
        ("11.0.0", "inputIOFormats=fp16:chw+hwc8,fp32:chw", ["--inputIOFormats=chw+hwc8,chw"]),
        ("10.16.0", "inputIOFormats=fp16:chw", ["--inputIOFormats=fp16:chw"]),
        ("11.0.0", "fp16", ["--fp16"]),  # refused later, with the reason
    ],
)
def test_flags_are_respelled(version, word, spelled):
    assert respell(version, word) == spelled


@pytest.mark.parametrize(
    ("pool", "mib"),
    [
        ("workspace:4096", "workspace:4096"),
        ("workspace:4G", "workspace:4096"),
        ("workspace:4096MiB", "workspace:4096"),
        ("workspace:0.5g,dlaSRAM:512K", "workspace:512,dlaSRAM:0.5"),
        ("workspace:1048576B", "workspace:1"),
        ("workspace:10T", "workspace:10T"),
        ("nonsense", "nonsense"),
    ],
)
def test_memory_pools_are_in_mib_for_every_version(pool, mib):
    for version in ("8.4.3", "10.0.1", "11.1.0"):
        assert respell(version, f"memPoolSize={pool}") == [f"--memPoolSize={mib}"]


@given(st.integers(1, 10**6), st.sampled_from("KMG"))
def test_memory_pools_keep_their_size(amount, unit):
    (word,) = respell("10.3.0", f"memPoolSize=workspace:{amount}{unit}")
    written = word.removeprefix("--memPoolSize=workspace:")
    assert float(written) == amount * {"K": 2**-10, "M": 1, "G": 2**10}[unit]
    assert "E" not in written


def test_a_changed_value_is_noted():
    _, notes = respelled(read_arguments(["memPoolSize=workspace:4G"], TABLE), Version(8, 6), TABLE)
    assert len(notes) == 1
    assert "workspace:4096" in notes[0]
    assert respelled(read_arguments(["memPoolSize=workspace:4"], TABLE), Version(8, 6), TABLE)[1] == ()


GPU_ALONE = ["--useCudaGraph", "--noDataTransfers", "--useSpinWait"]


@pytest.mark.parametrize(
    ("version", "words", "flags"),
    [
        ("8.4.3", [], GPU_ALONE),
        ("10.16.0", [], GPU_ALONE),
        ("11.0.0", [], []),
        ("11.0.0", ["useCudaGraph", "noDataTransfers", "useSpinWait"], []),
        ("10.16.0", ["noCudaGraph", "includeDataTransfers", "noSpinWait"], []),
        ("11.0.0", ["noCudaGraph", "noSpinWait"], ["--noCudaGraph", "--noSpinWait"]),
        ("11.0.0", ["noCudaGraph", "useCudaGraph"], []),
        ("10.7.0", ["useCudaGraph", "noCudaGraph"], GPU_ALONE[1:]),
        ("11.1.0", ["useDLACore=0"], ["--noCudaGraph"]),
        ("10.7.0", ["useDLACore=0"], GPU_ALONE[1:]),
        ("10.7.0", ["useDLACore=0", "useCudaGraph"], GPU_ALONE),
    ],
)
def test_how_to_measure(version, words, flags):
    assert measuring(version, *words) == flags


words = st.lists(
    st.sampled_from(
        ["fp16", "streams=2", "infStreams=2", "plugins=p", "staticPlugins=p", "workspace=4", "vc"]
    )
)


@given(words, st.sampled_from(TABLE.studied))
def test_respelling_twice_changes_nothing_more(given_words, release):
    version = Version(*release)
    once, _ = respelled(read_arguments(given_words, TABLE), version, TABLE)
    assert respelled(once, version, TABLE) == (once, ())
