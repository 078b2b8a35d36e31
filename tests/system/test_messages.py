"""Messages and mentions over HTTP: whom a message tells, and that it is stored once."""

from __future__ import annotations

import pytest

from tests.system.pair import Pair, both_eras, ids

NOBODY = [
    "`@{bob}`",
    "```\n@{bob}\n```",
    "    @{bob}",
    "<!-- @{bob} -->",
    "mail {bob_owner}@{bob_owner}.example or bob@{bob}",
    "@scope/pkg and @{bob}-2",
    "[a link](https://example.com/@{bob}) and https://example.com/@{bob}",
    "@all",
]
BOB = ["@{bob}.", "(@{bob}:)", "**@{bob}**", "@{bob}, please look", "see @{BOB}!", "> @{bob}", "| @{bob} |\n|---|"]


def written(pair: Pair, body: str) -> str:
    """A body with bob's address in it."""
    return body.format(bob=pair.bob, BOB=pair.bob.upper(), bob_owner=pair.bob.partition("/")[0])


@both_eras
async def test_what_is_no_mention_tells_nobody(pair: Pair) -> None:
    for body in NOBODY:
        posted = await pair.call(pair.ann, "post_message", project=pair.project, body=written(pair, body))
        assert (posted["notified"], posted["message"]["mentions"]) == ([], []), body
    assert await pair.heard() == []


@both_eras
async def test_a_mention_is_found_among_punctuation_and_markup(pair: Pair) -> None:
    sent = [(await pair.post(pair.ann, written(pair, body)))["id"] for body in BOB]
    assert await pair.heard() == sent


async def test_a_mention_that_is_made_many_times_is_one(pair: Pair) -> None:
    named = [pair.bob, pair.bob, pair.bob.title(), f"@{pair.bob}"]
    message = await pair.post(pair.ann, f"@{pair.bob} and @{pair.bob}", mentions=named)
    assert message["mentions"] == [pair.bob]
    assert await pair.heard() == [message["id"]]


async def test_addresses_that_begin_alike_are_each_found_whole(pair: Pair) -> None:
    """`@ann`, `@ann/codex` and `@ann-lee` are three addresses."""
    ann = pair.ann.partition("/")[0]
    lee, short = f"{ann}-lee/codex", f"{ann}/code"
    await pair.site.introduce(pair.project, lee, short, pair.ann)
    for address in (ann, pair.ann, f"{ann}-lee", lee, short):
        posted = await pair.call(pair.bob, "post_message", project=pair.project, body=f"Ask @{address}.")
        assert posted["notified"] == [address]


async def test_who_is_named_and_not_told_is_explained(pair: Pair) -> None:
    stranger = (await Pair.meet(pair.site)).bob
    named = [pair.bob, pair.ann, stranger, "nobody/at-all", "all"]
    posted = await pair.call(pair.ann, "post_message", project=pair.project, body="Hello", mentions=named)
    assert posted["notified"] == [pair.bob]
    reasons = {refused["address"]: refused["reason"] for refused in posted["not_notified"]}
    assert reasons == {
        pair.ann: "author",
        stranger: "not_a_member",
        "nobody/at-all": "not_a_member",
        "all": "not_allowed",
    }


async def test_three_agents_that_mention_each_other_crosswise_see_only_their_own(pair: Pair) -> None:
    eve = f"eve-{pair.project}/codex"
    await pair.site.introduce(pair.project, pair.ann, eve)
    three = [pair.ann, pair.bob, eve]
    sent: dict[str, list[str]] = {agent: [] for agent in three}
    for author in three:
        for other in three:
            if other != author:
                sent[other].append((await pair.post(author, f"@{other}"))["id"])
    for agent in three:
        assert ids(await pair.wait(agent)) == sent[agent]


async def test_more_than_twenty_members_are_not_mentioned_at_once_and_nothing_is_stored(pair: Pair) -> None:
    ann = pair.ann.partition("/")[0]
    many = [f"{ann}/agent-{number}" for number in range(20)]
    await pair.site.introduce(pair.project, *many)
    body = " ".join(f"@{agent}" for agent in [*many, pair.bob])
    assert await pair.refusal("post_message", by=pair.ann, project=pair.project, body=body) == (
        "invalid_input",
        "mentions",
    )
    assert await pair.messages() == []
    posted = await pair.call(pair.ann, "post_message", project=pair.project, body=body.rpartition(" ")[0])
    assert sorted(posted["notified"]) == sorted(many)


@both_eras
@pytest.mark.parametrize("body", ["", "x" * 8001])
async def test_a_body_is_neither_empty_nor_endless(pair: Pair, body: str) -> None:
    assert await pair.refusal("post_message", project=pair.project, body=body) == ("invalid_input", "body")
    longest = await pair.post(pair.ann, "🦔" * 8000)
    assert await pair.messages() == [longest["id"]]


async def test_one_key_is_one_message_and_other_words_under_it_are_a_conflict(pair: Pair) -> None:
    """R40; the same key of another agent is another key."""
    said = {"project": pair.project, "body": f"@{pair.bob} once", "idempotency_key": "k"}
    first = await pair.call(pair.ann, "post_message", **said)
    assert await pair.call(pair.ann, "post_message", **said, no_such_field=1) == first
    changed = {**said, "body": "twice"}
    assert await pair.refusal("post_message", by=pair.ann, **changed) == ("idempotency_conflict", "idempotency_key")
    await pair.call(pair.bob, "post_message", **said)
    assert len(await pair.messages()) == 2


async def test_a_key_of_a_refused_call_is_free_again(pair: Pair) -> None:
    """Only successes are kept."""
    said = {"project": pair.project, "body": "hello", "idempotency_key": "k"}
    assert await pair.refusal("post_message", **said, in_reply_to="msg_none") == ("not_found", "in_reply_to")
    assert (await pair.call(pair.bob, "post_message", **said))["message"]["body"] == "hello"
