"""Three sizes of the same study: for a test, for a laptop's hour, for a GPU's evening."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from course_lib.config import TransformerConfig
from course_lib.recipes.profiles import chosen

from .space import DEFAULT, Configuration

# The factors of a configuration set n_heads, n_layers and dropout; a profile sets the widths.


@dataclass(frozen=True)
class StudyProfile:
    """The shared settings of a study's trials: data, widths, budget; and the study's design."""

    name: str
    dataset: str
    model: TransformerConfig
    vocab_size: int
    n_steps: int  # of every trial
    evaluate_every: int  # steps
    max_tokens: int  # a batch
    learning_rate: float  # the highest, for every schedule
    seconds_a_step: float  # of a trial of the default, evaluations included; see `duration`
    measured_on: str  # where `seconds_a_step` comes from
    n_sampled: int = 6  # configurations drawn at random, beside one factor at a time
    seeds: tuple[int, ...] = (0, 1, 2)
    seconds_a_trial: float = 3600.0  # a trial that takes longer is ended and recorded as timed out
    min_frequency: int = 2
    word_dropout: float = 0.0  # share of the words that training reads as [UNK]
    word_scale: float = 1.0  # of the embeddings at the start, beside the paper's
    train_limit: int | None = None  # training examples; None: all
    untimed_steps: int = 10
    text: str | None = None  # the column that a language model reads; None: the data's own task

    def __str__(self) -> str:
        return (
            f"profile {self.name}: {self.n_steps:,} steps of {self.max_tokens:,} tokens on "
            f"{self.dataset}, d_model {self.model.d_model}, {len(self.seeds)} seeds"
        )


PROFILES: Mapping[str, StudyProfile] = {
    "tiny": StudyProfile(
        "tiny",
        "generated_votes",
        TransformerConfig(d_model=32, d_ff=64, position_scale=0.2, norm_first=True),
        vocab_size=1000,
        n_steps=45,
        evaluate_every=15,
        max_tokens=256,
        learning_rate=3e-3,
        seconds_a_step=0.027,
        measured_on="one core",
        n_sampled=4,
        seeds=(0, 1),
        seconds_a_trial=120,
        min_frequency=1,
        untimed_steps=5,
    ),
    # The classifier of assignment 3, once over SST-2.
    "cpu": StudyProfile(
        "cpu",
        "sst2",
        TransformerConfig(d_model=64, d_ff=256, position_scale=0.2, norm_first=True),
        vocab_size=10_000,
        n_steps=320,
        evaluate_every=80,
        max_tokens=2048,
        learning_rate=1e-3,
        seconds_a_step=0.2,
        measured_on="one core, while others are busy",
        word_dropout=0.3,
        word_scale=0.3,
    ),
    "colab": StudyProfile(
        "colab",
        "multi30k_en_fr",
        TransformerConfig(d_model=256, d_ff=1024),
        vocab_size=6000,
        n_steps=3000,
        evaluate_every=1000,
        max_tokens=4096,
        learning_rate=1e-3,
        seconds_a_step=0.1,
        measured_on="an estimate for a T4; an H100 took 0.07 s a step",
    ),
    # Another task: the next token of the English captions. `course bench positions` measures it.
    "language": StudyProfile(
        "language",
        "multi30k_en_fr",
        # so scaled, sinusoids are as large as the embeddings are at the start
        TransformerConfig(d_model=64, d_ff=256, position_scale=0.03),
        vocab_size=2000,
        n_steps=600,
        evaluate_every=600,
        max_tokens=512,
        learning_rate=3e-3,
        seconds_a_step=0.1,
        measured_on="one core, while others are busy",
        text="en",
    ),
}


def profile(name: str) -> StudyProfile:
    """Raises ValueError with the profiles there are."""
    return chosen(PROFILES, name)


def duration(
    settings: StudyProfile, configurations: Collection[Configuration], workers: int = 1
) -> float:
    """About how many seconds one trial of each configuration takes, on so many workers.

    A step is taken to cost as much as its model is deep; of the factors only the number of layers
    changes the cost much. No study ends before its longest trial.
    """
    deep = [c["n_layers"] / DEFAULT["n_layers"] for c in configurations]
    seconds = settings.n_steps * settings.seconds_a_step
    return seconds * max(sum(deep) / workers, max(deep, default=0.0))
