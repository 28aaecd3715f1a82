"""What of a URL a message or a page may show."""

from __future__ import annotations

import pytest

from trexreport.errors import InputError
from trexreport.urls import is_url, without_secrets


@pytest.mark.parametrize(
    ("reported", "shown"),
    [
        ("https://me:secret@host/a", "https://host/a"),
        ("https://me:sec/ret@host/a", "https://host/a"),
        ("https://me:sec@ret@host:80/a", "https://host:80/a"),
        ("simplecache::https://me:secret@host", "simplecache::https://host"),
        ("s3://bucket/a@b", "s3://bucket/a@b"),
        ("http://host:8080/a@b", "http://host:8080/a@b"),
        ("http://host:8080 and a@b", "http://host:8080 and a@b"),
        ("https:/me:secret@host/a", "https:/host/a"),
        ("https://host/a.json?token=secret does not exist", "https://host/a.json does not exist"),
        ("https://host/a.json?token=secret.", "https://host/a.json."),
        ("https://host/a?b=1#part", "https://host/a#part"),
        ("C:/Users/me@home/a?", "C:/Users/me@home/a?"),
        ("as 1:2 and x?y", "as 1:2 and x?y"),
    ],
)
def test_no_login_and_no_query_is_shown(reported, shown):
    assert without_secrets(reported) == shown


@pytest.mark.parametrize(
    ("place", "expected"),
    [("https://host/a", True), ("S3://b", True), ("C:/a", False), ("a/b", False), ("https:/host", False)],
)
def test_a_url_has_a_scheme(place, expected):
    assert is_url(place) is expected


def test_no_error_shows_a_login_that_a_user_gave():
    error = InputError(
        "https:/me:secret@host/a can't be read.", "Give https://host/a?key=secret again.", ["x"]
    )
    assert str(error) == "https:/host/a can't be read. Give https://host/a again."
