"""The database of a study: opened by URL, with every failure as one sentence."""

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import optuna
from optuna.pruners import BasePruner, HyperbandPruner, NopPruner, SuccessiveHalvingPruner
from optuna.samplers import RandomSampler
from optuna.storages import RDBStorage, RetryHeartbeatStaleTrialCallback
from sqlalchemy import Engine, event
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

HEARTBEAT = 5  # seconds between two signs of life of a running trial
GRACE = 15  # seconds without a sign of life after which a worker counts as dead
RETRIES = 2  # times that the trial of a dead worker is started again
LOCK = 60  # seconds to wait while another process writes to the same SQLite file
OPENINGS = 5  # tries to make the tables, when several processes do so at the same moment
# Which trials may be ended before their last step: none, unless a study asks for it.
PRUNERS: dict[str, Callable[[], BasePruner]] = {
    "none": NopPruner,
    "asha": SuccessiveHalvingPruner,  # Li et al. 2020
    "hyperband": HyperbandPruner,  # Li et al. 2018
}
FAILURES = (SQLAlchemyError, optuna.exceptions.StorageInternalError)


class StudyError(Exception):
    """A problem with a study or its database, and its remedy, in one sentence."""

    exit_code = 4  # of a command that it ends


class WrongOption(StudyError):
    """An option is wrong, whatever the database contains."""

    exit_code = 2


class _Storage(RDBStorage):
    """Optuna's, whose signs of life resume once a lost database is back."""

    def record_heartbeat(self, trial_id: int) -> None:
        with suppress(*FAILURES):
            super().record_heartbeat(trial_id)


def storage(url: str, grace: int = GRACE) -> RDBStorage:
    """Open the database at `url`, and create its tables if it has none. Raises StudyError.

    A trial gives a sign of life every five seconds, or oftener where `grace` (seconds) is short.
    """
    sqlite = url.startswith("sqlite")
    options = {"connect_args": {"timeout": LOCK}} if sqlite else {}
    with study_errors(url), quiet(), _opening_problems(url):
        for left in reversed(range(OPENINGS)):
            try:
                opened = _Storage(
                    url,
                    engine_kwargs={"pool_pre_ping": True, **options},
                    heartbeat_interval=max(1, min(HEARTBEAT, grace // 3)),
                    grace_period=grace,
                    heartbeat_stale_trial_callback=RetryHeartbeatStaleTrialCallback(RETRIES),
                )
                break
            except FAILURES as error:
                if not (left and _made_by_another(error)):
                    raise
                time.sleep(0.2)
    if sqlite:
        _one_at_a_time(opened.engine)
    return opened


@contextmanager
def _opening_problems(url: str) -> Iterator[None]:
    """The two problems of opening that are not the database's own words."""
    try:
        yield
    except ImportError as error:
        names = [e.name for e in _chain(error) if isinstance(e, ImportError) and e.name]
        package = names[0] if names else "of its driver"
        raise StudyError(
            f"{masked(url)} needs the package {package!r}, which is not installed: install it"
        ) from None
    except RuntimeError as error:
        if "table schema" not in str(error):
            raise
        raise StudyError(
            f"{masked(url)} was made by another version of Optuna: install that one, or give "
            "another URL"
        ) from None


def _made_by_another(error: BaseException) -> bool:
    """Whether another process made the same table or row a moment before."""
    text = _reason(error).lower()
    return any(sign in text for sign in ("exist", "unique", "duplicate", "locked", "no such"))


def _one_at_a_time(engine: Engine) -> None:
    """Make SQLite lock its file when a transaction begins, not when it first writes.

    Otherwise two workers can both read that a trial waits, and both take it: SQLite has no rows
    that can be locked, and Optuna's "for update" does nothing there.
    """
    engine.dispose()  # connections of before do not know what follows

    @event.listens_for(engine, "connect")
    def leave_transactions_to_us(connection, _) -> None:
        connection.isolation_level = None

    @event.listens_for(engine, "begin")
    def lock(connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def open_study(opened: RDBStorage, name: str) -> optuna.Study:
    """The study called `name`, which must be there. Raises StudyError with the ones there are."""
    with study_errors(opened.url):
        try:
            study = optuna.load_study(study_name=name, storage=opened, sampler=RandomSampler())
            study.pruner = PRUNERS[study.user_attrs.get("pruner", "none")]()
            return study
        except KeyError:
            known = optuna.get_all_study_names(opened)
            raise StudyError(
                f"{masked(opened.url)} has no study {name!r}; it has {', '.join(known) or 'none'}: "
                "start it with `course study run`"
            ) from None


@contextmanager
def study_errors(url: str) -> Iterator[None]:
    """Turn whatever the database raises into a StudyError that says what to do."""
    try:
        yield
    except (ArgumentError, NoSuchModuleError):
        raise StudyError(
            f"{masked(url)!r} is not the URL of a database: write sqlite:///study.db or "
            "postgresql+psycopg://USER@HOST/NAME"
        ) from None
    except StudyError:
        raise
    except Exception as error:
        if not any(isinstance(e, FAILURES) for e in _chain(error)):
            raise  # a fault of the program
        raise StudyError(f"{masked(url)} cannot be used: {_reason(error)}") from error


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error and those it came from: Optuna's own handling may fail on top of the database."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def masked(url: str) -> str:
    """The URL without its password."""
    head, at, tail = url.rpartition("@")
    scheme, slashes, user = head.partition("://")
    return f"{scheme}{slashes}{user.partition(':')[0]}{at}{tail}" if at else url


ADVICE = {  # by what the database says; the first that fits
    "malformed": "the file is damaged; restore a copy of it, or give another URL",
    "not a database": "the file is damaged or of another kind; give another URL",
    "no such": "it holds something else than studies; give another URL",
    "has no column": "it holds something else than studies; give another URL",
    "disk": "free some space and run the same command again; finished trials are kept",
    "No space": "free some space and run the same command again; finished trials are kept",
    "locked": "another process is writing for long; run the same command again",
    "readonly": "make the file writable, or give another URL",
    "unable to open": "make the folder, or give another URL",
    "authentication": "give a user, and set the password in the URL",
    "does not exist": "make it first, or give another URL",
    "resolve": "check the name of the host in the URL",
    "connect": "start the database, then run the same command again; finished trials are kept",
}


def _reason(error: BaseException) -> str:
    said = [getattr(e, "orig", None) for e in _chain(error)]
    text = str(next((words for words in said if words is not None), error)).strip()
    found = next((does for sign, does in ADVICE.items() if sign in text), "run it again later")
    return f"{text.splitlines()[0]}; {found}"


@contextmanager
def quiet() -> Iterator[None]:
    """Without Optuna's warnings that heartbeats are experimental."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        yield
