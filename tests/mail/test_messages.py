"""Mails before they are sent: addresses, headers that no text can add to, the same bytes for one content."""

from __future__ import annotations

import datetime as dt
import email
import re
from email import policy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.errors import UsageError
from trexreport.mail.addresses import Mailbox, parse_mailboxes
from trexreport.mail.message import AttachedFile, Envelope, build_message, check_header

#: What Unicode calls separators of words.
SPACES = (
    "\u0020\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
NOW = dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc)
ME = Mailbox("me", "example.com")


def built(*, sender, to, cc, date, **content):
    return build_message(Envelope(sender, to, cc, date), **content)


def build(**changes):
    reported = {"sender": ME, "to": [ME], "subject": "s", "html": "<p>h</p>", "text": "t", "date": NOW}
    return built(**{**reported, "attachments": [], "cc": [], **changes}).as_bytes()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a@example.com", [Mailbox("a", "example.com")]),
        ("Ann Ex <a.b+c@mail.example.com>", [Mailbox("a.b+c", "mail.example.com", "Ann Ex")]),
        ('"Ann Ex" <a@b.c>', [Mailbox("a", "b.c", "Ann Ex")]),
        ("a@b.c, d@e.f,", [Mailbox("a", "b.c"), Mailbox("d", "e.f")]),
        ("a@b.c, A@B.C", [Mailbox("a", "b.c")]),
        ("ann@bücher.example", [Mailbox("ann", "xn--bcher-kva.example")]),
        ("root@localhost", [Mailbox("root", "localhost")]),
        ("", []),
    ],
)
def test_addresses(text, expected):
    found = parse_mailboxes([text], "--to")
    assert [(each.local.lower(), each.domain.lower(), each.name) for each in found] == [
        (each.local, each.domain, each.name) for each in expected
    ]


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "@b.c",
        "a@",
        "a@b..c",
        "a b@c.d",
        "a@b.c\nBcc: evil@e.f",
        "x\r\nBcc: e@f.g <a@b.c>",
        "a@b.c>",
        "<a@b.c",
        "a@b@c.d",
        ".a@b.c",
        "a@-b.c",
        "group:a@b.c;",
        '"a b"@c.d',
        "a(comment)@b.c",
        "a@[127.0.0.1]",
        "ä@b.c",
        "a" * 250 + "@b.c",
        "a@b.c d@e.f",
    ],
)
def test_what_is_no_address(text):
    with pytest.raises(UsageError, match="is not a valid mail address"):
        parse_mailboxes([text], "--to")


def test_letters_before_the_at_are_explained():
    with pytest.raises(UsageError, match="Few servers accept letters beyond ASCII before the @"):
        parse_mailboxes(["ä@b.c"], "--to")


@given(st.text(max_size=40) | st.text(max_size=9).map("{} <a@example.com>".format))
def test_no_address_adds_a_line_to_the_head(text):
    try:
        mailboxes = parse_mailboxes([text], "--to")
    except UsageError:
        return
    if mailboxes:
        heads = email.message_from_bytes(build(to=mailboxes), policy=policy.default)
        assert set(heads.keys()) == set(email.message_from_bytes(build()).keys())
        assert len(heads["To"].addresses) == len(mailboxes)


@given(st.text(max_size=200))
def test_no_subject_adds_a_line_to_the_head(text):
    if not re.sub(r"\s", lambda space: " " if space[0] in SPACES else space[0], text).isprintable():
        with pytest.raises(UsageError, match="control character"):
            check_header(text, "--subject")
        with pytest.raises(UsageError, match="control character"):
            build(subject=text)
        return
    heads = email.message_from_bytes(build(subject=text), policy=policy.default)
    assert set(heads.keys()) == set(email.message_from_bytes(build()).keys())
    assert str(heads["Subject"]).strip(" ") == text.strip(" ")


@pytest.mark.parametrize(
    "subject",
    [
        "engine-of-a-long-name against another-engine-of-a-long-name: faster, −27.6% in time",
        "x" * 300,
        f"{'long words ' * 30}×",
        "ä" * 300,
        "a  b\xa0c",
    ],
)
def test_a_subject_is_read_as_it_was_written(subject):
    data = build(subject=subject)
    assert str(email.message_from_bytes(data, policy=policy.default)["Subject"]) == subject
    assert max(map(len, data.split(b"\r\n"))) <= 998


def test_the_same_content_gives_the_same_bytes():
    files = [AttachedFile("x.html", "html", b"<p>"), AttachedFile("x.json", "json", b"{}")]
    first = build(attachments=files)
    assert build(attachments=files) == first
    assert build(attachments=files, text="other") != first
    ids = {email.message_from_bytes(data)["Message-ID"] for data in (first, build(), build(subject="x"))}
    assert len(ids) == 3
    assert all(each.endswith("@example.com>") for each in ids)


def test_lines_end_as_smtp_wants_and_are_short():
    data = build(
        text="x" * 5000 + "\n.\nFrom me\n", html="é" * 5000, attachments=[AttachedFile("x", "md", b"\n" * 99)]
    )
    assert data.count(b"\n") == data.count(b"\r\n")
    assert max(map(len, data.split(b"\r\n"))) <= 998
    assert data.isascii()


@pytest.mark.parametrize("kind", ["html", "pdf", "md", "json"])
def test_attachments_come_back_byte_for_byte(kind):
    content = bytes(range(256)) + b"\r\n\n\r.\n"
    found = email.message_from_bytes(
        build(attachments=[AttachedFile(f"x.{kind}", kind, content)]), policy=policy.default
    )
    (part,) = found.iter_attachments()
    assert part.get_payload(decode=True) == content
    assert part.get_filename() == f"x.{kind}"
