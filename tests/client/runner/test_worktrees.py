"""Where runs work: worktrees on their branch, removed without a trace, or left without holding the branch."""

from __future__ import annotations

from pathlib import Path

import pytest
from prickle.runner import worktrees
from prickle.runner.errors import NotPrepared

from tests.client.runner.repositories import git, new_repository


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return new_repository(tmp_path / "website")


async def test_a_task_without_branch_works_at_the_repositorys_head(repository: Path, tmp_path: Path) -> None:
    await worktrees.prepare(tmp_path / "w" / "1", repository, None)
    assert git(tmp_path / "w" / "1", "rev-parse", "HEAD") == git(repository, "rev-parse", "HEAD")


async def test_a_branch_is_made_once_and_found_again(repository: Path, tmp_path: Path) -> None:
    for run in ("1", "2"):
        await worktrees.prepare(tmp_path / run, repository, "header/fix")
        assert git(tmp_path / run, "branch", "--show-current") == "header/fix"
        await worktrees.remove(tmp_path / run)
        assert not (tmp_path / run).exists()
        assert len(git(repository, "worktree", "list").splitlines()) == 1
    assert git(repository, "branch", "--list", "header/fix")


async def test_a_branch_of_the_remote_is_followed(repository: Path, tmp_path: Path) -> None:
    git(repository, "branch", "theirs")
    git(tmp_path, "clone", str(repository), "clone")
    await worktrees.prepare(tmp_path / "1", tmp_path / "clone", "theirs")
    assert git(tmp_path / "1", "rev-parse", "--abbrev-ref", "@{upstream}") == "origin/theirs"


async def test_a_kept_worktree_lets_its_branch_go_and_keeps_its_changes(repository: Path, tmp_path: Path) -> None:
    await worktrees.prepare(tmp_path / "1", repository, "fix")
    (tmp_path / "1" / "draft").touch()
    assert await worktrees.is_changed(tmp_path / "1")
    with pytest.raises(NotPrepared):
        await worktrees.prepare(tmp_path / "2", repository, "fix")
    await worktrees.let_branch_go(tmp_path / "1")
    await worktrees.prepare(tmp_path / "2", repository, "fix")
    assert (tmp_path / "1" / "draft").exists()


@pytest.mark.parametrize("branch", ["--upload-pack=touch", "a..b", "", "-b"])
async def test_a_branch_that_is_none_fails_the_worktree(repository: Path, tmp_path: Path, branch: str) -> None:
    with pytest.raises(NotPrepared) as refused:
        await worktrees.prepare(tmp_path / "1", repository, branch)
    assert refused.value.step == "worktree_failed"


async def test_a_branch_without_a_repository_fails_and_no_branch_gives_an_empty_directory(tmp_path: Path) -> None:
    with pytest.raises(NotPrepared) as refused:
        await worktrees.prepare(tmp_path / "1", None, "fix")
    assert refused.value.step == "worktree_failed"
    await worktrees.prepare(tmp_path / "1", None, None)
    assert list((tmp_path / "1").iterdir()) == []


async def test_an_old_git_is_told_from_a_missing_one(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "bin" / "git"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho git version 2.11.0\n")
    old.chmod(0o755)
    for path, step in ((old.parent, "git_too_old"), (tmp_path, "worktree_failed")):
        monkeypatch.setenv("PATH", str(path))
        with pytest.raises(NotPrepared) as refused:
            await worktrees.prepare(tmp_path / "1", repository, "fix")
        assert refused.value.step == step


async def test_hooks_of_the_repository_do_not_run(repository: Path, tmp_path: Path) -> None:
    hook = repository / ".git" / "hooks" / "post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/hooked\n")
    hook.chmod(0o755)
    await worktrees.prepare(tmp_path / "1", repository, "fix")
    assert not (tmp_path / "hooked").exists()
