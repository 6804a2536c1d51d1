"""The token: where it comes from, and whether it may do what is wanted; it is never shown, written or passed on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from winoqueer_nl.problems import InputError, Problem

_WHERE = "Make one in the Hub's settings, under Access Tokens, and log in with it: hf auth login (or set HF_TOKEN)."


def token() -> str:
    """The token of the environment (HF_TOKEN) or the login; raises InputError when there is none."""
    from huggingface_hub import get_token

    found = get_token()
    if not found:
        raise InputError([Problem("token", "no token", "a token with write access", _WHERE)])
    return found


def check_right(who: Mapping[str, Any], repo: str, exists: bool) -> str:
    """Check what the Hub says of the token (`/api/whoami-v2`); return who it belongs to.

    Raises
    ------
    InputError
        for a token that may only read, that is limited to other repositories, or whose owner has no right in ORG.
    """
    organisation = repo.split("/")[0]
    name = str(who.get("name", ""))
    access = (who.get("auth") or {}).get("accessToken") or {}
    role = access.get("role")
    if role not in ("write", "admin", "fineGrained"):
        raise InputError([Problem("token", f"a token with the role {role or 'none'}", "write access", _WHERE)])
    if role == "fineGrained" and not _granted(access.get("fineGrained") or {}, repo, organisation, exists):
        raise InputError([Problem("token", f"a token without write access to {repo}", "write access to it", _WHERE)])
    if organisation != name:
        roles = {str(org.get("name")): org.get("roleInOrg", "write") for org in who.get("orgs") or []}
        if roles.get(organisation) not in ("admin", "write", "contributor"):
            members = ", ".join(sorted({name, *roles}))
            raise InputError(
                [
                    Problem(
                        repo,
                        f"the name {organisation}, where the owner of the token ({name}) may not write",
                        f"one of {members}",
                        "Correct --repo, or ask an administrator of the organisation.",
                    )
                ]
            )
    return name


def _granted(fine: Mapping[str, Any], repo: str, organisation: str, exists: bool) -> bool:
    for scope in fine.get("scoped") or []:
        entity = scope.get("entity") or {}
        whole = entity.get("type") in ("user", "org") and entity.get("name") == organisation
        this = entity.get("type") == "dataset" and entity.get("name") in (repo, f"datasets/{repo}") and exists
        if (whole or this) and "repo.write" in (scope.get("permissions") or []):
            return True
    return False
