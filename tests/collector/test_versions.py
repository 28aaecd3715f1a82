"""Check how versions are read from trtexec's words and compared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.collector.versions import Version, trtexec_version

HELP = "&&&& RUNNING TensorRT.trtexec [TensorRT v%s]%s # trtexec --help\n=== Model Options ===\n"

versions = st.builds(Version, st.integers(8, 40), st.integers(0, 99), st.integers(0, 99))


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("8.6.1", Version(8, 6, 1)),
        ("8.6", Version(8, 6)),
        ("10.16.0.72", Version(10, 16)),
        ("8.5.1-1+cuda11.8", Version(8, 5, 1)),
        ("v8601", Version(8, 6, 1)),
        ("8003", Version(8, 0, 3)),
        ("v100001", Version(10, 0, 1)),
        ("100101", Version(10, 1, 1)),
        ("v101303", Version(10, 13, 3)),
        ("110100", Version(11, 1)),
        (" 10.3.0 \n", Version(10, 3)),
    ],
)
def test_versions_are_read(text, version):
    assert Version.parse(text) == version


@pytest.mark.parametrize("text", ["", "10", "abc", "x8.6", "8,6", "1234567", "12345.1", "١٠.٣"])
def test_what_is_no_version_is_unknown(text):
    assert Version.parse(text) is None


def test_versions_are_compared_as_numbers():
    """Texts would put 10.0 before 8.6 and 10.16 before 10.7."""
    texts = ["8.4.3", "8.6.1", "9.3.0", "10.0.1", "10.7.0", "10.13.3", "10.16.0", "11.0.0"]
    found = [Version.parse(text) for text in texts]
    assert found == sorted(found)
    assert sorted(texts) != texts


@given(versions)
def test_what_is_written_is_read_again(version):
    assert Version.parse(str(version)) == version


@given(versions)
def test_packed_numbers_are_unpacked(version):
    if version.major >= 10:
        packed = version.major * 10000 + version.minor * 100 + version.patch
    else:
        version = Version(version.major, version.minor % 10, version.patch)
        packed = version.major * 1000 + version.minor * 100 + version.patch
    assert Version.parse(str(packed)) == version
    assert trtexec_version(HELP % (packed, "")) == version


@given(st.text(max_size=200))
def test_any_text_is_a_version_or_none(text):
    found = Version.parse(text)
    assert found is None or Version.parse(str(found)) == found
    trtexec_version(text)


@pytest.mark.parametrize("build", ["", " [b72]"])
def test_banner_of_help_states_the_version(build):
    assert trtexec_version(HELP % ("101600", build)) == Version(10, 16)


def test_banner_is_believed_before_the_library():
    log = HELP % ("8601", "") + "[01/02/2026-03:04:05] [I] TensorRT version: 10.0.1\n"
    assert trtexec_version(log) == Version(8, 6, 1)


def test_words_around_the_banner_do_no_harm():
    noise = "== NVIDIA Container Toolkit 12.2 ==\nTensorRT 9.9.9\n"
    assert trtexec_version(noise + HELP % ("110100", " [b106]")) == Version(11, 1)


def test_version_of_the_library_where_the_banner_has_none():
    log = "&&&& RUNNING TensorRT.trtexec # trtexec\n[01/02/2026-03:04:05] [I] TensorRT version: 8003\n"
    assert trtexec_version(log) == Version(8, 0, 3)


@pytest.mark.parametrize("output", ["", "bash: trtexec: command not found\n", "trtexec 10.3.0"])
def test_no_version_is_no_guess(output):
    assert trtexec_version(output) is None
