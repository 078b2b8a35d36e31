"""Where runs work: a git worktree of an allowed repository, or an empty directory."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from pathlib import Path

from prickle.runner.errors import NotPrepared
from prickle.runner.places import private_directory

OLDEST_GIT = (2, 17)
"""The first that can remove worktrees."""
GIT = ("git", "-c", "core.hooksPath=/dev/null", "-c", "advice.detachedHead=false")


async def prepare(directory: Path, repository: Path | None, branch: str | None) -> None:
    """Make a run's working directory: on its branch, which is made if need be; else at the repository's HEAD."""
    if repository is None and branch is not None:
        raise NotPrepared("worktree_failed", "Name a repository for this project: its task is about a branch.")
    if repository is None:
        private_directory(directory)
        return
    await check_git()
    private_directory(directory.parent)
    options, start = (["--detach"], "HEAD") if branch is None else await _start_of(repository, branch)
    if (await _git(repository, "worktree", "add", *options, str(directory), start))[0]:
        raise NotPrepared("worktree_failed", "Look at this repository's worktrees: git could not add one.")


async def remove(directory: Path) -> None:
    """Remove a run's working directory; its branch stays."""
    if (directory / ".git").is_file():
        _, repository = await _git(directory, "rev-parse", "--git-common-dir")
        await _git(directory / repository.strip(), "worktree", "remove", "--force", str(directory))
    await asyncio.to_thread(shutil.rmtree, directory, ignore_errors=True)


async def let_branch_go(directory: Path) -> None:
    """Leave a worktree to be looked at, but not on its branch, so that the next run can have it."""
    if (directory / ".git").is_file():
        await _git(directory, "checkout", "--detach")


async def is_changed(directory: Path) -> bool:
    """Whether a worktree has changes that no commit holds."""
    return (directory / ".git").is_file() and bool((await _git(directory, "status", "--porcelain"))[1])


async def check_git() -> None:
    """Raise unless this machine's git can do what is needed."""
    version = await git_version()
    if version is None:
        raise NotPrepared("worktree_failed", "Install git.")
    if version < OLDEST_GIT:
        raise NotPrepared("git_too_old", f"Install git {'.'.join(map(str, OLDEST_GIT))} or newer.")


async def git_version() -> tuple[int, ...] | None:
    """The version of git on the PATH; None when there is none."""
    code, said = await _git(Path("/"), "--version")
    found = re.search(r"(\d+)\.(\d+)", said)
    return None if code or found is None else (int(found[1]), int(found[2]))


async def _start_of(repository: Path, branch: str) -> tuple[list[str], str]:
    """How a worktree gets onto a branch: one that is here, the remote's, or a new one."""
    if branch.startswith("-") or (await _git(repository, "check-ref-format", "--branch", branch))[0]:
        raise NotPrepared("worktree_failed", "Name a branch that git takes.")
    if await _has(repository, f"refs/heads/{branch}"):
        return [], branch
    if await _has(repository, f"refs/remotes/origin/{branch}"):
        return ["--track", "-b", branch], f"origin/{branch}"
    return ["-b", branch], "HEAD"


async def _has(repository: Path, name: str) -> bool:
    return (await _git(repository, "show-ref", "--verify", "--quiet", name))[0] == 0


async def _git(directory: Path, *arguments: str) -> tuple[int, str]:
    """The exit code and what was printed; 127 where git could not be started there."""
    try:
        process = await asyncio.create_subprocess_exec(
            *(*GIT, *arguments),
            cwd=directory,
            env={**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return 127, ""
    said, _ = await process.communicate()
    return process.returncode or 0, said.decode("utf-8", "replace")
