"""What publishing a release would do, decided from what stands in the repository; and why it must not, if so."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from winoqueer_nl.problems import InputError, Problem, listed
from winoqueer_nl.publish.fetch import fetched
from winoqueer_nl.publish.hub import Hub, State, all_files, same
from winoqueer_nl.release.bump import check_bump
from winoqueer_nl.release.changelog import as_json, line
from winoqueer_nl.release.diff import Group, compare, grouped
from winoqueer_nl.release.layout import CARD, NOT_OURS, Release, numbers, read_checksums

Step = Literal["create", "commit", "tag", "compare"]


@dataclass(frozen=True)
class Plan:
    """What is to be done, and what it rests on.

    steps: in order; ``compare`` (load back by tag and compare) is always the last one.
    parent: the commit that the new one is put on top of; None while the repository does not exist.
    files: every file of the release with its SHA-256. left_over: files that stay in the repository and are not ours.
    """

    repo: str
    version: str
    steps: tuple[Step, ...]
    files: Mapping[str, str]
    parent: str | None
    commit: str | None
    latest: str | None
    changes: tuple[Group, ...] = ()
    left_over: tuple[str, ...] = ()

    @property
    def tag(self) -> str:
        """The tag of the version."""
        return f"v{self.version}"

    def text(self, owner: str, folder: Path) -> str:
        """The plan for the person who is to confirm it."""
        size = sum((folder / file).stat().st_size for file in self.files)
        lines = [f"{self.repo}, {self.tag} (token of {owner}):"]
        told = {
            "create": "create the dataset repository",
            "commit": f"one commit with {len(self.files)} files ({size / 1e6:.1f} MB) on top of "
            + (self.parent[:10] if self.parent else "its first commit"),
            "tag": f"the tag {self.tag}" + (f" on the commit {self.commit[:10]}" if self.commit else ""),
            "compare": f"load back by the tag {self.tag} and compare every checksum and every subset",
        }
        if "commit" not in self.steps and "tag" in self.steps:
            lines.append("  (the files are there already, from a run that was interrupted)")
        if "tag" not in self.steps:
            lines.append("  (this version is tagged already, with these very files)")
        lines += [f"  {number}. {told[step]}" for number, step in enumerate(self.steps, start=1)]
        if self.latest and self.latest != self.version:
            lines.append(f"Changes since {self.latest} (content warning: examples quote hurtful sentences):")
            lines += [line(group) for group in self.changes] or ["- none in the data"]
        if self.left_over:
            lines.append(f"Stays in the repository, not part of this version: {listed(self.left_over)}")
        return "\n".join(lines)


def make_plan(release: Release, hub: Hub, state: State | None, parent: str | None = None) -> Plan:
    """Decide what is to be done.

    Parameters
    ----------
    parent: the commit that a person names as the one to build on, although it is no published version.

    Raises
    ------
    InputError
        for a version that is tagged with other files or is not the next one, for a repository that somebody else
        changed, for a card that would lose a subset, for a changelog that tells of another comparison.
    """
    files = all_files(release.folder, read_checksums(release))
    version = release.version
    if state is None:
        if parent is not None:
            raise _refused(
                hub.repo, f"no repository, hence no commit {parent}", "the repository", "Leave out --parent."
            )
        return Plan(hub.repo, version, ("create", "commit", "tag", "compare"), files, None, None, None)
    left_over = tuple(sorted(f for f in state.files if f not in files and f not in NOT_OURS))
    versions = state.versions
    tag = f"v{version}"
    if tag in state.tags:
        if not same(release.folder, files, hub.files(state.tags[tag])):
            raise _refused(
                hub.repo,
                f"the version {version} tagged already, with other files",
                "a version that is not published yet",
                "A published version is never changed: give the edition a later number.",
            )
        return Plan(hub.repo, version, ("compare",), files, state.head, state.tags[tag], version, left_over=left_over)
    earlier = [v for v in versions if numbers(v) < numbers(version)]
    if later := [v for v in versions if numbers(v) > numbers(version)]:
        raise _refused(
            hub.repo, f"the later version {later[-1]}", f"versions before {version}", "Give the edition a later number."
        )
    latest = earlier[-1] if earlier else None
    there = same(release.folder, files, state.files)
    if not there:
        _check_parent(hub, state, latest, parent)
        _check_configs(release, hub, state)
    changes: tuple[Group, ...] = ()
    if latest is not None:
        changes = _compared(release, hub, latest)
    steps: tuple[Step, ...] = ("tag", "compare") if there else ("commit", "tag", "compare")
    commit = state.head if there else None
    return Plan(hub.repo, version, steps, files, state.head, commit, latest, changes, left_over)


def _refused(place: str, found: str, expected: str, fix: str) -> InputError:
    return InputError([Problem(place, found, expected, fix)])


def _check_parent(hub: Hub, state: State, latest: str | None, parent: str | None) -> None:
    """The new commit goes on top of the latest version, of an empty repository, or of what a person named."""
    if parent is not None:
        if len(parent) < 7 or not state.head.startswith(parent):
            raise _refused(
                hub.repo,
                f"{state.head} at the top of the repository",
                f"the commit {parent}, named with --parent",
                "Look at what changed meanwhile, and name the new commit if it is as it should be.",
            )
        return
    if latest is None:
        if foreign := sorted(f for f in state.files if f not in NOT_OURS):
            raise _refused(
                hub.repo,
                f"no published version, but files: {listed(foreign)}",
                "an empty repository",
                f"If they may be replaced, say so with --parent {state.head}.",
            )
    elif state.tags[f"v{latest}"] != state.head:
        raise _refused(
            hub.repo,
            f"commits after the version {latest} (now {state.head})",
            f"v{latest} at the top of the repository",
            "Look at them: the new version would replace what they changed. If that is right, say so with "
            f"--parent {state.head}.",
        )


def _check_configs(release: Release, hub: Hub, state: State) -> None:
    """No subset that the card in the repository names may be lost: loading it would fail for everybody."""
    from huggingface_hub import DatasetCard

    if CARD not in state.files:
        return
    with tempfile.TemporaryDirectory() as temporary:
        text = hub.text(CARD, state.head, Path(temporary))
    try:
        before = _names(DatasetCard(text).data.to_dict())
    except Exception:  # a card that cannot be read has no configs that anybody can lose
        return
    after = _names(DatasetCard((release.folder / CARD).read_text(encoding="utf-8")).data.to_dict())
    if lost := [name for name in before if name not in after]:
        raise _refused(
            f"{release.name}/{CARD}",
            f"no subset {listed(lost)}, which the card in the repository has",
            "every subset that is published",
            "Build the release with it (scores, survey), or publish to another repository.",
        )


def _names(data: Mapping[str, object]) -> list[str]:
    configs = data.get("configs")
    return [str(c.get("config_name")) for c in configs if isinstance(c, dict)] if isinstance(configs, list) else []


def _compared(release: Release, hub: Hub, latest: str) -> tuple[Group, ...]:
    """Compare with the latest published version: the number must be honest and the changelog tell of this."""
    with fetched(hub, f"v{latest}") as published:
        changes = compare(published, release)
    check_bump(latest, release.version, changes, release.name)
    groups = grouped(changes)
    if release.changes.get("previous") != latest or release.changes.get("changes") != as_json(groups):
        raise _refused(
            f"{release.name}/changes.json",
            f"a comparison with {release.changes.get('previous') or 'no version'}, not with what is published",
            f"what changed since v{latest} of {hub.repo}",
            f"Fetch it (winoqueer-nl fetch {hub.repo}@v{latest} FOLDER), name the folder in config.yaml under "
            "release.previous, and build the release again.",
        )
    return tuple(groups)
