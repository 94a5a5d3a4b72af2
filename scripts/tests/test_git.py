from __future__ import annotations

from pathlib import Path

from tests.exercise_fakes import git
from workbook import git as asked


def test_tree_is_dirty_if_a_file_was_changed_but_not_if_a_report_was(tmp_path: Path) -> None:
    report, source = tmp_path / "docs/reports/hash/results.md", tmp_path / "Main.java"
    report.parent.mkdir(parents=True)
    for file in (report, source):
        file.write_text("before")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    git(tmp_path, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", "all")
    commit = git(tmp_path, "rev-parse", "HEAD").strip()
    assert asked.state(tmp_path) == (commit, False)

    report.write_text("after")
    assert asked.state(tmp_path) == (commit, False)

    source.write_text("after")
    assert asked.state(tmp_path) == (commit, True)


def test_commit_is_in_the_history_only_if_head_contains_it(tmp_path: Path) -> None:
    whole, shallow = tmp_path / "whole", tmp_path / "shallow"
    author = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    git(tmp_path, "init", "--quiet", str(whole))
    for message in ("first", "second"):
        git(whole, *author, "commit", "--quiet", "--allow-empty", "-m", message)
    first, second = (git(whole, "rev-parse", name).strip() for name in ("HEAD~1", "HEAD"))
    git(tmp_path, "clone", "--quiet", "--depth", "1", whole.as_uri(), str(shallow))

    assert asked.is_in_history(whole, first)
    assert asked.is_in_history(whole, second)
    assert asked.is_in_history(whole, "0" * 40) is False
    git(whole, "reset", "--quiet", "--hard", first)
    asked.is_in_history.cache_clear()
    assert asked.is_in_history(whole, second) is False  # It still exists, on no branch.
    assert asked.is_in_history(shallow, first) is None
    assert asked.is_in_history(tmp_path, first) is None


def test_checkout_that_was_interrupted_is_made_anew_and_a_whole_one_is_kept(tmp_path: Path) -> None:
    root, folder = tmp_path / "root", tmp_path / "revisions" / "some"
    git(tmp_path, "init", "--quiet", str(root))
    (root / "Main.java").write_text("class Main {}")
    git(root, "add", "--all")
    git(root, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", "all")
    commit = git(root, "rev-parse", "HEAD").strip()
    git(root, "worktree", "add", "--quiet", "--detach", "--no-checkout", str(folder), commit)
    git(root, "worktree", "lock", "--reason", "initializing", str(folder))  # As git leaves it when it is killed.

    asked.check_out(root, commit, folder)
    assert (folder / "Main.java").read_text() == "class Main {}"

    (folder / "Main.java").write_text("mine")
    asked.check_out(root, commit, folder)
    assert (folder / "Main.java").read_text() == "mine"


def test_folder_that_is_no_checkout_has_no_commit(tmp_path: Path) -> None:
    assert asked.state(tmp_path) == (None, None)
