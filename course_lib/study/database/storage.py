"""The database of a study: opened by URL, with every failure as one sentence."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import optuna
from optuna.pruners import BasePruner, HyperbandPruner, NopPruner, SuccessiveHalvingPruner
from optuna.storages import RDBStorage, RetryHeartbeatStaleTrialCallback
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

HEARTBEAT = 5  # seconds between two signs of life of a running trial
GRACE = 15  # seconds without one after which its worker counts as dead
RETRIES = 2  # times that the trial of a dead worker is started again
LOCK = 60  # seconds to wait while another worker writes to the same SQLite file
# Which trials may be ended before their last step: none, unless a study asks for it.
PRUNERS: dict[str, Callable[[], BasePruner]] = {
    "none": NopPruner,
    "asha": SuccessiveHalvingPruner,  # Li et al. 2020
    "hyperband": HyperbandPruner,  # Li et al. 2018
}


class StudyError(Exception):
    """What is wrong with a study or its database, and what to do about it, in one sentence."""


def storage(url: str, heartbeat: int = HEARTBEAT, grace: int = GRACE) -> RDBStorage:
    """Open the database at `url`, and create its tables if it has none. Raises StudyError."""
    options = {"connect_args": {"timeout": LOCK}} if url.startswith("sqlite") else {}
    with sentences(url), quiet():
        return RDBStorage(
            url,
            engine_kwargs={"pool_pre_ping": True, **options},
            heartbeat_interval=heartbeat,
            grace_period=grace,
            heartbeat_stale_trial_callback=RetryHeartbeatStaleTrialCallback(max_retry=RETRIES),
        )


def open_study(opened: RDBStorage, name: str) -> optuna.Study:
    """The study called `name`, which must be there. Raises StudyError with the ones there are."""
    with sentences(opened.url):
        try:
            study = optuna.load_study(study_name=name, storage=opened)
            study.pruner = PRUNERS[study.user_attrs.get("pruner", "none")]()
            return study
        except KeyError:
            known = optuna.get_all_study_names(opened)
            raise StudyError(
                f"{shown(opened.url)} has no study {name!r}; it has {', '.join(known) or 'none'}: "
                "start it with `course study run`"
            ) from None


@contextmanager
def sentences(url: str) -> Iterator[None]:
    """Turn whatever the database raises into a StudyError that says what to do."""
    try:
        yield
    except (ArgumentError, NoSuchModuleError):
        raise StudyError(
            f"{shown(url)!r} is not the URL of a database: write sqlite:///study.db or "
            "postgresql+psycopg://USER@HOST/NAME"
        ) from None
    except ModuleNotFoundError as error:
        raise StudyError(
            f"{shown(url)} needs the package {error.name!r}, which is not installed: install it"
        ) from None
    except (SQLAlchemyError, optuna.exceptions.StorageInternalError) as error:
        raise StudyError(f"{shown(url)} cannot be used: {_reason(error)}") from error


def shown(url: str) -> str:
    """The URL without its password."""
    head, at, tail = url.rpartition("@")
    scheme, slashes, user = head.partition("://")
    return f"{scheme}{slashes}{user.partition(':')[0]}{at}{tail}" if at else url


def _reason(error: BaseException) -> str:
    cause: BaseException | None = error
    while cause and not hasattr(cause, "orig"):
        cause = cause.__cause__ or cause.__context__
    text = str(getattr(cause, "orig", None) or error).strip().splitlines()[0]
    advice = {
        "disk": "free some space and run the same command again; finished trials are kept",
        "locked": "another process is writing for long; run the same command again",
        "readonly": "make the file writable, or give another URL",
        "not a database": "the file is damaged or of another kind; give another URL",
        "unable to open": "make the folder, or give another URL",
        "connect": "start the database, then run the same command again; finished trials are kept",
    }
    found = next((does for sign, does in advice.items() if sign in text), "run it again later")
    return f"{text}; {found}"


@contextmanager
def quiet() -> Iterator[None]:
    """Without Optuna's warnings that heartbeats are experimental."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        yield
