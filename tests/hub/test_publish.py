"""Publishing to a real server: what is done, in which order, and what is refused."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import datasets
import pytest

from hub.client import client, published, state, whole
from hub.server import TOKEN, Fault, Hub, write_token
from winoqueer_nl.problems import InputError
from winoqueer_nl.publish.fetch import fetched, keep, opened
from winoqueer_nl.release.diff import compare
from winoqueer_nl.release.layout import PAIRS, Release

PROJECT = Path(__file__).parent.parent.parent


def writes(hub: Hub) -> list[str]:
    """The calls that change something."""
    return [c for c in hub.calls if c.split()[0] in ("POST", "PUT", "DELETE") and not c.endswith("/paths-info")]


def test_a_version_is_published_loaded_back_and_compared(server: Hub, release: Release) -> None:
    done, said = published(release)
    assert done
    assert state(server) == ({"v1.0.0": server.repositories["org/data"].head}, 2)
    assert whole(server, release, "v1.0.0")
    assert "loaded back and compared, 21 files" in said
    commits = [c for c in server.calls if "/commit/" in c and c.startswith("POST")]
    assert len(commits) == 1, "one commit"
    assert not [c for c in server.calls if c.startswith("DELETE")], "nothing is ever deleted"


def test_without_confirmation_nothing_is_written(server: Hub, release: Release) -> None:
    done, said = published(release, confirm=False)
    assert not done
    assert writes(server) == []
    assert server.repositories == {}
    assert "create the dataset repository" in said
    assert "one commit with 21 files" in said
    assert "Nothing was done" in said


def test_a_user_loads_every_subset_by_tag(server: Hub, release: Release) -> None:
    published(release)
    loaded = datasets.load_dataset("org/data", revision="v1.0.0", split="test")
    assert loaded["sent_x"] == release.table(PAIRS)["sent_x"].to_pylist()
    for subset in release.subsets:
        assert len(datasets.load_dataset("org/data", subset, split="test")) == len(release.table(subset))


def test_the_next_version_is_compared_with_the_tag_and_tells_what_changed(
    server: Hub, releases: dict[str, Release]
) -> None:
    published(releases["1.0.0"])
    done, said = published(releases["1.0.1"])
    assert done
    assert "PATCH" in said
    assert "doubled letter" in said
    tags, commits = state(server)
    assert (sorted(tags), commits) == (["v1.0.0", "v1.0.1"], 3)
    repository = server.repositories["org/data"]
    assert repository.commits[tags["v1.0.1"]].parent == tags["v1.0.0"]
    assert whole(server, releases["1.0.0"], "v1.0.0"), "the version before stays as it was"


def test_two_versions_on_the_hub_are_compared_like_two_folders(server: Hub, releases: dict[str, Release]) -> None:
    for version in ("1.0.0", "1.0.1"):
        published(releases[version])
    with opened("org/data@v1.0.0") as old, opened("org/data@v1.0.1") as new:
        assert compare(old, new) == compare(releases["1.0.0"], releases["1.0.1"])


def test_a_fetched_version_is_the_published_folder(lfs: Hub, release: Release, tmp_path: Path) -> None:
    published(release)
    with fetched(client("org/data"), "v1.0.0") as there:
        keep(there, tmp_path / "kept")
    for file in release.files():
        assert (tmp_path / "kept" / file).read_bytes() == (release.folder / file).read_bytes()
    with opened("org/data@v1.0.0") as again, pytest.raises(InputError, match="there already"):
        keep(again, tmp_path / "kept")


def test_publishing_the_same_again_only_loads_back(lfs: Hub, release: Release) -> None:
    published(release)
    before = len(writes(lfs))
    done, said = published(release)
    assert done
    assert "tagged already, with these very files" in said
    assert len(writes(lfs)) == before


def test_a_tagged_version_is_never_changed(lfs: Hub, release: Release, spoiled: Callable[..., Release]) -> None:
    published(release)
    before = state(lfs)
    with pytest.raises(InputError, match="tagged already, with other files"):
        published(spoiled("README.md", "Intended use", "Intended  use"))
    assert state(lfs) == before


def test_an_earlier_version_is_refused_after_a_later_one(lfs: Hub, releases: dict[str, Release]) -> None:
    published(releases["1.0.1"])
    with pytest.raises(InputError, match=r"the later version 1\.0\.1"):
        published(releases["1.0.0"])


def test_a_changelog_that_tells_of_another_comparison_is_refused(lfs: Hub, releases: dict[str, Release]) -> None:
    published(releases["1.0.0"])
    with pytest.raises(InputError, match=r"a comparison with no version.*winoqueer-nl fetch org/data@v1\.0\.0"):
        published(releases["1.0.2"])
    assert sorted(state(lfs)[0]) == ["v1.0.0"]


def test_commits_that_nobody_published_are_refused_unless_named(lfs: Hub, releases: dict[str, Release]) -> None:
    published(releases["1.0.0"])
    repository = lfs.repositories["org/data"]
    head = repository.put(dict(repository.commits[repository.head].files), "somebody else's change")
    with pytest.raises(InputError, match=r"commits after the version 1\.0\.0"):
        published(releases["1.0.1"])
    with pytest.raises(InputError, match="named with --parent"):
        published(releases["1.0.1"], parent="0123456789")
    assert published(releases["1.0.1"], parent=head[:12])[0]


def test_a_parent_that_moves_between_plan_and_commit_is_refused(lfs: Hub, releases: dict[str, Release]) -> None:
    published(releases["1.0.0"])
    repository = lfs.repositories["org/data"]
    lfs.faults.append(
        Fault(
            match=r"POST .*/commit/", hook=lambda: repository.put(dict(repository.commits[repository.head].files), "x")
        )
    )
    with pytest.raises(InputError, match="a repository that changed meanwhile"):
        published(releases["1.0.1"])
    assert sorted(repository.tags) == ["v1.0.0"]
    assert not whole(lfs, releases["1.0.1"], "main")


def test_a_repository_with_other_files_is_refused(lfs: Hub, release: Release) -> None:
    client("org/data").create(private=False)
    repository = lfs.repositories["org/data"]
    repository.put(
        repository.commits[repository.head].files | {"mine.txt": next(iter(repository.at("main").values()))}, "x"
    )
    with pytest.raises(InputError, match=r"no published version, but files: mine\.txt"):
        published(release)


def test_a_card_that_would_lose_a_subset_is_refused(
    lfs: Hub, release: Release, spoiled: Callable[..., Release]
) -> None:
    richer = spoiled("README.md", "- config_name: stereotypes\n  data_files:", "- config_name: more\n  data_files:")
    hub = client("org/data")
    hub.create(private=False)
    head = hub.commit(richer.folder, {"README.md": ""}, lfs.repositories["org/data"].head, "a card", "")
    with pytest.raises(InputError, match="no subset more, which the card in the repository has"):
        published(release, parent=head)


def test_a_dirty_folder_is_refused_before_anything_is_written(
    lfs: Hub, release: Release, spoiled: Callable[..., Release]
) -> None:
    dirty = spoiled("README.md", "Intended use", "Intended  use")
    (dirty.folder / "CITATION.cff").write_text("changed", encoding="utf-8")
    with pytest.raises(InputError, match=r"changed: CITATION\.cff"):
        published(dirty)
    assert writes(lfs) == []


def test_a_file_changed_while_it_is_published_gets_no_tag(lfs: Hub, spoiled: Callable[..., Release]) -> None:
    mine = spoiled("README.md", "Intended use", "Intended use")
    changed = mine.folder / "CITATION.cff"
    lfs.faults.append(Fault(match="POST .*/preupload/", hook=lambda: changed.write_text("cff", encoding="utf-8")))
    with pytest.raises(InputError, match="No tag was made"):
        published(mine)
    assert state(lfs)[0] == {}


def test_other_bytes_on_the_hub_are_noticed_when_loading_back(lfs: Hub, release: Release) -> None:
    published(release)
    digest = next(f.sha256 for f in lfs.repositories["org/data"].at("v1.0.0").values() if f.sha256)
    data = lfs.objects[digest]
    lfs.objects[digest] = data[:-1] + bytes([data[-1] ^ 1])
    with pytest.raises(InputError):
        published(release)


def test_a_private_repository_is_published_and_loaded_back_too(lfs: Hub, release: Release) -> None:
    client("org/data").create(private=True)
    assert lfs.repositories["org/data"].private
    assert published(release)[0]


@pytest.mark.parametrize(
    ("who", "message"),
    [
        (write_token("read"), "a token with the role read"),
        (write_token(orgs=()), "may not write"),
        (write_token("fineGrained", scoped=[]), "a token without write access to org/data"),
        (
            write_token(
                "fineGrained",
                scoped=[{"entity": {"type": "org", "name": "org"}, "permissions": ["repo.content.read"]}],
            ),
            "a token without write access to org/data",
        ),
    ],
)
def test_a_token_without_the_right_is_refused_first(lfs: Hub, release: Release, who: dict, message: str) -> None:
    lfs.who = who
    with pytest.raises(InputError, match=message):
        published(release)
    assert writes(lfs) == []


def test_a_fine_grained_token_for_the_organisation_will_do(lfs: Hub, release: Release) -> None:
    scope = {"entity": {"type": "org", "name": "org"}, "permissions": ["repo.content.read", "repo.write"]}
    lfs.who = write_token("fineGrained", scoped=[scope])
    assert published(release, confirm=False)[1]


@pytest.mark.parametrize("name", ["data", "org/data/more", "org//data", "org/da ta", "org/-data", "/data"])
def test_a_name_that_the_hub_does_not_allow_is_refused_without_a_call(lfs: Hub, release: Release, name: str) -> None:
    with pytest.raises(InputError, match="ORG/NAME"):
        published(release, repo=name)
    assert lfs.calls == []


def command(*arguments: object, hub: Hub, token: str | None = TOKEN, **more: str) -> subprocess.CompletedProcess[str]:
    """`winoqueer-nl` as a process of its own, with the token in its environment alone."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "HUGGING"))}
    home = Path(os.environ.get("HF_HOME", "/nonexistent"))
    environment |= {"HF_ENDPOINT": hub.url, "PYTHONPATH": str(PROJECT / "scripts"), "HF_HOME": str(home), **more}
    if token:
        environment["HF_TOKEN"] = token
    line = [sys.executable, "-m", "winoqueer_nl.cli", *map(str, arguments)]
    return subprocess.run(line, env=environment, capture_output=True, text=True, timeout=120, check=False)


def test_the_command_says_what_it_would_do_and_ends_with_status_3(lfs: Hub, release: Release, tmp_path: Path) -> None:
    ran = command("publish", release.folder, "--repo", "org/data", hub=lfs, HF_HOME=str(tmp_path))
    assert ran.returncode == 3, ran.stderr
    assert "add --confirm" in ran.stdout
    assert lfs.repositories == {}


def test_the_command_without_token_or_network_gives_one_message(lfs: Hub, release: Release, tmp_path: Path) -> None:
    ran = command("publish", release.folder, "--repo", "org/data", hub=lfs, token=None, HF_HOME=str(tmp_path))
    assert (ran.returncode, ran.stderr.count("\n")) == (1, 1)
    assert "no token" in ran.stderr
    ran = command("publish", release.folder, "--repo", "org/data", hub=lfs, HF_HOME=str(tmp_path), HF_HUB_OFFLINE="1")
    assert ran.returncode == 1
    assert "HF_HUB_OFFLINE" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_the_token_stands_in_nothing_that_is_said_or_written(lfs: Hub, release: Release, tmp_path: Path) -> None:
    lfs.faults.append(Fault(match="refs", times=99, status=403))
    ran = command("publish", release.folder, "--repo", "org/data", "--confirm", hub=lfs, HF_HOME=str(tmp_path))
    assert ran.returncode == 1
    assert TOKEN not in ran.stdout + ran.stderr
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or TOKEN.encode() not in path.read_bytes()
