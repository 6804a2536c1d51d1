"""Getting a model's files: a local folder as it is, or one revision of a Hub repository, data files only."""

from __future__ import annotations

import fnmatch
import os
from dataclasses import dataclass
from pathlib import Path

from winoqueer_nl.given_names import is_revision
from winoqueer_nl.problems import InputError, Problem, quoted

#: Top-level files that a model is loaded from. Python files are not among them: no code is fetched.
DATA_FILES = ("*.json", "*.txt", "*.model", "*.tiktoken", "*.vocab", "*.bpe")
SAFE_WEIGHTS = ("model.safetensors", "model-*.safetensors")
TORCH_WEIGHTS = ("pytorch_model.bin", "pytorch_model-*.bin")
#: Files that hold a tokenizer's vocabulary; one at least must be there, or the library makes up an empty one.
VOCABULARIES = (
    "tokenizer.json", "vocab.txt", "vocab.json", "merges.txt", "tekken.json", "*.model", "*.tiktoken", "*.vocab",
    "*.bpe",
)  # fmt: skip


@dataclass(frozen=True)
class Files:
    """A model's folder. revision: the commit for a Hub model, None for a local folder."""

    folder: Path
    revision: str | None = None


def weight_files(names: list[str]) -> list[str]:
    """The weight files among some names, safetensors before anything else, in order."""
    for patterns in (SAFE_WEIGHTS, TORCH_WEIGHTS):
        found = sorted(n for n in names if any(fnmatch.fnmatchcase(n, p) for p in patterns))
        if found:
            return found
    return []


def vocabulary_files(names: list[str]) -> list[str]:
    """The files among some names that hold a tokenizer's vocabulary, in order."""
    return sorted(n for n in names if any(fnmatch.fnmatchcase(n, p) for p in VOCABULARIES))


def _problem(name: str, found: str, expected: str, fix: str) -> InputError:
    return InputError([Problem(name, found, expected, fix)])


def find(name: str, revision: str | None = None, endpoint: str | None = None) -> Files:
    """Give the files of a local folder or a Hub id such as `owner/model`, downloading what is not there yet.

    revision: branch, tag or commit; `main` if None. endpoint: another Hub than the environment's.
    Raises :class:`InputError` for a folder or model that does not exist, a gated model, a missing network.
    """
    folder = Path(name)
    if folder.is_dir():
        if revision is not None:
            raise _problem(name, f"a local folder and --revision {revision}", "a revision only for a Hub id", "")
        return Files(folder)
    if revision is not None and not is_revision(revision):
        raise _problem(name, f"the revision {quoted(revision)}", "a branch, tag or commit, such as main or v1.0", "")
    if name.startswith((".", "/", "~")) or name.count("/") > 1 or (os.sep != "/" and os.sep in name):
        raise _problem(name, "no such folder", "a folder with a model, or a Hub id such as owner/model", "")
    return _from_hub(name, revision, endpoint)


def _from_hub(name: str, revision: str | None, endpoint: str | None) -> Files:
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    try:
        info = HfApi(endpoint=endpoint).model_info(name, revision=revision, timeout=30)
        present = [s.rfilename for s in info.siblings or []]
        weights = weight_files(present)
        if not weights:
            raise _problem(
                name, "a repository without model weights", "safetensors or PyTorch weights",
                "Adapters and quantised formats (GGUF, ONNX) cannot be scored; name the full model.",
            )  # fmt: skip
        wanted = [n for n in present if "/" not in n and any(fnmatch.fnmatchcase(n, p) for p in DATA_FILES)]
        # The branch's name, not the commit, so that the copy is found again by it without a network.
        folder = Path(snapshot_download(name, revision=revision, allow_patterns=[*wanted, *weights], endpoint=endpoint))
        return Files(folder, folder.name)
    except HFValidationError as error:
        raise _problem(name, "no folder and no Hub id", "a folder with a model, or owner/model", "") from error
    except GatedRepoError as error:
        raise _problem(
            name, "a gated model, and no access to it", "a login whose account was granted access",
            f"Accept the terms on the model's page, then log in with `hf auth login` or set HF_TOKEN "
            f"({name} is the id).",
        ) from error  # fmt: skip
    except RevisionNotFoundError as error:
        raise _problem(name, f"no revision {quoted(revision)}", "a branch, tag or commit of the model", "") from error
    except RepositoryNotFoundError as error:
        raise _problem(
            name, "no such model on the Hub", "a public model, or a private one that the login may read",
            "Check the spelling; for a private model log in with `hf auth login` or set HF_TOKEN.",
        ) from error  # fmt: skip
    except (OfflineModeIsEnabled, LocalEntryNotFoundError) as error:
        return _from_cache(name, revision, error)
    except HfHubHTTPError as error:
        if error.response is not None and error.response.status_code >= 500:
            return _from_cache(name, revision, error)
        text = str(error).splitlines()[0]
        raise _problem(name, f"the Hub's answer {quoted(text)}", "the model's files", "Try again later.") from error
    except Exception as error:
        if _unreachable(error):
            return _from_cache(name, revision, error)
        raise


def _unreachable(error: BaseException) -> bool:
    """Whether an error says that no connection came about, whichever HTTP library the Hub's client is built on."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    return bool(kinds & {"TransportError", "ConnectionError", "TimeoutError"})


def _from_cache(name: str, revision: str | None, reason: Exception) -> Files:
    """The copy of an earlier download, when the Hub cannot be reached."""
    from huggingface_hub import snapshot_download

    try:
        patterns = [*DATA_FILES, *SAFE_WEIGHTS, *TORCH_WEIGHTS]
        folder = Path(snapshot_download(name, revision=revision, local_files_only=True, allow_patterns=patterns))
    except Exception as error:
        raise _problem(
            name, f"no connection to the Hub ({type(reason).__name__}) and no copy from an earlier download",
            "a network, or a model in a local folder",
            "Check the connection; HF_HUB_OFFLINE=0 before the command lets models be fetched.",
        ) from error  # fmt: skip
    return Files(folder, folder.name)
