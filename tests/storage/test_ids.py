"""Ids."""

from libs.storage import new_id


def test_ids_are_unique_and_ordered_by_time() -> None:
    ids = [new_id("msg") for _ in range(10_000)]
    assert len(set(ids)) == len(ids)
    assert sorted(ids) == ids


def test_an_id_says_its_kind_and_fits_into_the_field_of_an_id() -> None:
    made = new_id("task")
    assert made.startswith("task_")
    assert len(made) <= 64
