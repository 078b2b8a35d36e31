"""Mentions: the union of the field and the text of the body, members only, each once, never the author."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.contracts.errors import InvalidInput
from libs.contracts.rooms import NotNotified
from services.rooms.domain.mentions import Mentioned, addresses_in, find_mentions

MEMBERS = {"maya", "maya/codex", "jonas", "jonas/claude", "bob", "ann", "ann/codex"}
NOBODY = Mentioned([], [], [])


def mentioned_by(body: str, *, author: str = "maya/codex", named: list[str] | None = None) -> list[str]:
    return find_mentions(named or [], body, author, MEMBERS).stored


@pytest.mark.parametrize(
    "body",
    [
        "`@bob`",
        "``a ` @bob``",
        "```\n@bob\n```",
        "~~~ @bob\n@bob",
        "    @bob",
        "- item\n\n      @bob",
        "<!-- @bob -->",
        "before <!-- @bob --> after",
        "bob@example.com",
        "<bob@bob>",
        "first.last+@bob.com",
        "@scope/pkg",
        "@ann-lee",
        "@bobby",
        "@bob_x",
        "x@bob",
        "_x_@@bob",
        "a/@bob",
        "a.@bob",
        "a-@bob",
        "é@bob",
        "[site](https://example.com/?who=@bob)",
        '[site](https://example.com "@bob")',
        "[site]: https://example.com/?,@bob",
        "![@bob](picture.png)",
        "https://example.com/?who=@bob",
        "<https://example.com/?who=@bob>",
        "see www.example.com?who=@bob",
        "example.com/?who=@bob",
        "ftp://example.com/?who=@bob",
        "wss://example.com/?who=@bob",
        "postgres://maya:secret!@bob/rooms",
        "@",
        "@ bob",
        "@/bob",
        "@-bob",
        "nobody at all",
    ],
)
def test_what_is_no_mention_tells_nobody(body: str) -> None:
    assert find_mentions([], body, "maya/codex", MEMBERS) == NOBODY


@pytest.mark.parametrize(
    "body",
    [
        "@bob.",
        "(@bob:)",
        "**@bob**",
        "_@bob_",
        "@bob, please",
        "hello\n@bob, please",
        "# @bob",
        "> @bob",
        "- @bob",
        "| a | @bob |",
        "@BOB",
        "@Bob's",
        "@bob-",
        "@bob/",
        "@bob_",
        "@bob/-_",
        "“@bob”",
        "@bob@ann-lee",
        "[@bob](https://example.com/@ann)",
        "`@ann` then @bob",
        "<b>@bob</b>",
        "\\`@bob\\`",
        "@bob and @bob again, and @maya/codex who wrote this",
    ],
)
def test_an_address_in_the_text_is_found(body: str) -> None:
    assert mentioned_by(body) == ["bob"]


def test_addresses_that_begin_alike_are_found_whole() -> None:
    assert mentioned_by("@ann") == ["ann"]
    assert mentioned_by("@ann/codex") == ["ann/codex"]
    assert mentioned_by("@ann-lee") == []
    assert addresses_in("@ann @ann/codex @ann-lee") == ["ann", "ann/codex", "ann-lee"]


def test_field_and_body_together_mention_each_member_once() -> None:
    assert mentioned_by("@bob", named=["bob", "bob", "Bob", "@bob"]) == ["bob"]
    assert mentioned_by("@ann and @bob", named=["jonas"]) == ["jonas", "ann", "bob"]


def test_addresses_of_the_field_that_tell_nobody_are_listed_as_they_were_given() -> None:
    named = ["Maya/Codex", "Nobody", "nobody", "ann-lee", "bob", "ALL"]
    found = find_mentions(named, "@maya/codex @ann-lee @all", "maya/codex", MEMBERS)
    assert found.stored == found.notified == ["bob"]
    assert found.not_notified == [
        NotNotified(address="Maya/Codex", reason="author"),
        NotNotified(address="Nobody", reason="not_a_member"),
        NotNotified(address="ann-lee", reason="not_a_member"),
        NotNotified(address="ALL", reason="not_allowed"),
    ]


@pytest.mark.parametrize(("named", "body"), [(["all"], ""), (["@All"], ""), ([], "@all: look"), (["bob"], "@all @ann")])
def test_a_person_mentions_all_as_one_item(named: list[str], body: str) -> None:
    found = find_mentions(named, body, "maya", MEMBERS)
    assert found == Mentioned(["all"], sorted(MEMBERS - {"maya"}), [])


def test_more_than_twenty_different_members_are_refused() -> None:
    crowd = [f"team/a{number}" for number in range(21)]
    twenty = find_mentions(crowd[:10], " ".join(f"@{one}" for one in crowd[:20]), "team/a20", crowd)
    assert twenty.stored == crowd[:20]
    with pytest.raises(InvalidInput) as refusal:
        find_mentions(crowd[:10], " ".join(f"@{one}" for one in crowd), "maya", crowd)
    assert refusal.value.data.field == "mentions"


def test_addresses_of_nobody_do_not_count_towards_the_twenty() -> None:
    assert mentioned_by("@bob " + " ".join(f"@nobody{number}" for number in range(500))) == ["bob"]


pieces = st.one_of(
    st.text(max_size=12),
    st.sampled_from(["@bob", "@ann/codex", "@all", "@", "`", "```\n", "\n    ", "<!--", "-->", "](", "[", "http://"]),
    st.sampled_from(["**", "_", "\\", "&#64;", "www.", "mailto:", "//", "<", ">", "\n\n", "\x00", "\t", "- "]),
)


@given(st.lists(pieces, max_size=40).map("".join))
def test_whatever_is_written_is_resolved_to_members_only(body: str) -> None:
    found = find_mentions([], body, "maya", MEMBERS)
    assert set(found.notified) <= MEMBERS - {"maya"}
    assert found.stored in (["all"], found.notified)
    assert len(set(found.stored)) == len(found.stored)


@given(st.lists(st.text(max_size=80), max_size=30))
def test_each_address_of_the_field_is_either_notified_or_explained(named: list[str]) -> None:
    found = find_mentions(named, "", "maya/codex", MEMBERS)
    explained = {one.address.casefold().removeprefix("@") for one in found.not_notified}
    assert {text.casefold().removeprefix("@") for text in named} == set(found.notified) | explained


@given(
    st.sampled_from(sorted(MEMBERS)),
    st.sampled_from(" \n(“*>,"),
    st.sampled_from(["", ".", ",", ")", "\n", "!", " ok"]),
)
def test_an_address_among_punctuation_is_found(address: str, before: str, after: str) -> None:
    assert addresses_in(f"well{before}@{address}{after}") == [address]
