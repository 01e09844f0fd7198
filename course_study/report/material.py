"""All that a report is made from, read once from the study's database."""

from dataclasses import dataclass

from optuna.storages import RDBStorage

from ..database.rows import rows
from ..database.storage import masked, open_study, study_errors
from ..findings import Findings
from ..profiles import PROFILES, StudyProfile
from ..trial import Row


@dataclass(frozen=True)
class Material:
    """A study's findings, and what surrounds them."""

    name: str
    url: str  # of its database, without the password
    findings: Findings
    settings: StudyProfile | None  # None: its profile is none of ours
    profile: str = "unknown"
    pruner: str = "none"
    data: Row | None = None  # what the workers loaded: name, origin, sha256, splits
    confirmation: Row | None = None

    @property
    def measure(self) -> str:
        """The quality's name and unit."""
        return next((row["measure"] for row in self.findings.rows if row.get("measure")), "quality")

    @property
    def is_accuracy(self) -> bool:
        return self.measure.startswith("accuracy in percent")

    @property
    def validation_size(self) -> int | None:
        """The size that the workers recorded; None without it, and where quality is no accuracy."""
        return (self.data or {}).get("splits", {}).get("validation") if self.is_accuracy else None

    @property
    def quality(self) -> str:
        """The measure without its signature, for axes and heads of tables."""
        return self.measure.partition(",")[0]


def material(opened: RDBStorage, name: str) -> Material:
    """Read the study `name`. Raises StudyError."""
    study = open_study(opened, name)
    with study_errors(opened.url):
        about = study.user_attrs
        return Material(
            name,
            masked(opened.url),
            Findings(rows(study)),
            PROFILES.get(about.get("profile", "")),
            profile=about.get("profile", "unknown"),
            pruner=about.get("pruner", "none"),
            data=about.get("data"),
            confirmation=about.get("confirmation"),
        )
