"""`winoqueer-nl publish`: from a verified folder to a version that was loaded back and compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from winoqueer_nl.problems import InputError, Problem
from winoqueer_nl.publish.hub import Hub, same
from winoqueer_nl.publish.load_back import load_back
from winoqueer_nl.publish.plan import Plan, make_plan
from winoqueer_nl.publish.token import check_right
from winoqueer_nl.release.verify import CHECKS, Check, Context, Outcome, verify

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Options:
    """What a person decides: confirm (else nothing is done), a parent commit, a private repository."""

    confirm: bool = False
    parent: str | None = None
    private: bool = False


def publish(
    context: Context,
    hub: Hub,
    options: Options,
    tell: Tell,
    checks: Sequence[Check] = CHECKS,
    tell_check: Callable[[Outcome], None] | None = None,
) -> bool:
    """Publish a release; True once it was loaded back and compared, False if nothing was confirmed.

    Raises
    ------
    InputError
        with the reason, whatever the reason; a later run goes on from what was done.
    """
    release = context.release
    owner, plan = _planned(context, hub, options)
    tell(plan.text(owner, release.folder))
    if not options.confirm:
        tell("Nothing was done. To do this, add --confirm.")
        return False
    tell("Verifying the folder:")
    verify(context, checks, tell_check)
    if "create" in plan.steps:
        hub.create(options.private)
        # The repository has a first commit now, and that is the parent. Nobody but us can have put files on it.
        state = hub.look()
        plan = make_plan(release, hub, state, None)
    commit = plan.commit
    if "commit" in plan.steps:
        assert plan.parent is not None
        title = f"{release.language} {plan.version}"
        commit = hub.commit(release.folder, plan.files, plan.parent, title, _description(plan))
        tell(f"Committed: {commit}")
    assert commit is not None
    if not same(release.folder, plan.files, hub.files(commit)):
        raise InputError(
            [
                Problem(
                    f"{hub.repo}@{commit}",
                    "other files than the release has",
                    "the files of the release",
                    "No tag was made. Run the command again; if it says the same, look at the repository.",
                )
            ]
        )
    if "tag" in plan.steps:
        hub.tag(plan.tag, commit, f"Version {plan.version}")
        tell(f"Tagged: {plan.tag}")
    n = load_back(release, hub, plan.tag, plan.files)
    tell(f"{hub.repo} {plan.tag}: loaded back and compared, {n} files, subsets {', '.join(release.subsets)}.")
    return True


def _planned(context: Context, hub: Hub, options: Options) -> tuple[str, Plan]:
    """Check the token, look at the repository, decide; nothing is written."""
    who = hub.whoami()
    state = hub.look()
    owner = check_right(who, hub.repo, state is not None)
    return owner, make_plan(context.release, hub, state, options.parent)


def _description(plan: Plan) -> str:
    if plan.latest is None:
        return "First version. Content warning: the sentences are hurtful stereotypes."
    groups = "\n".join(f"- {g.level.name} {g.what} {g.action}: {g.n} ({g.why})" for g in plan.changes)
    return f"Compared with {plan.latest}:\n{groups or '- no difference in the data'}"
