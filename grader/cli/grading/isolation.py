"""How well this machine isolates a submission, and whether that is enough to grade here."""

from __future__ import annotations

from ...sandbox import detection
from ..problems import IsolationProblem, UsageProblem


def checked_tier(required: str | None, trust: bool) -> detection.Tier:
    """The machine's tier. Raises IsolationProblem if it is below `required`, or below C."""
    tier = detection.detect()
    if required is not None and required.upper() not in tuple("ABCD"):
        raise UsageProblem(f"--require-isolation {required}: give a tier, A, B, C or D")
    if required is not None and tier.name > required.upper():
        raise IsolationProblem(
            f"this machine offers {tier_text(tier)}; you asked for tier {required.upper()}"
        )
    if tier.name > "C" and not trust:
        raise IsolationProblem(
            f"this machine offers only {tier_text(tier)}: untrusted code could read and write "
            "your files. Grade on Linux (as root or with user namespaces), or add "
            "--i-trust-these-submissions"
        )
    return tier


def tier_text(tier: detection.Tier) -> str:
    """`tier A (namespaces, …)`, and what is missing for a higher one."""
    missing = "; ".join(f"no {layer}: {why}" for layer, why in tier.missing.items())
    return f"tier {tier.name} ({', '.join(tier.layers)}{'; ' if missing else ''}{missing})"
