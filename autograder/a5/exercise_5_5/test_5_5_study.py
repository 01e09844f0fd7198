"""Hidden tests of exercise 5.5: the handed-in trials, and one of them trained again."""

from autograder.a5.exercise_5_5.tiny_study import (
    FILE,
    PROFILE,
    READ,
    UNFINISHED,
    chosen,
    inside,
    levels,
    named,
    repeatable,
    seeds_by_configuration,
    trained_again,
    trials_of,
)
from course_lib.study.space import DEFAULT, FACTORS
from grader.checking import expect
from grader.checking.exercise import exercise

AGAIN = "run `course study run --profile tiny` to its end, then `course study rows`"
N_CONFIGURATIONS = 15
# The first evaluation of 24 trials (12 configurations, 2 seeds) differs by at most 7.2e-5 with
# ATEN_CPU_CAPABILITY=default, 1.0e-5 with MKL_CBWR=COMPATIBLE, 6e-8 with two threads, and not at
# all without oneDNN or with torch's deterministic algorithms. It differs by more than 2e-3 between
# 97 %, and by more than 2e-2 between 82 %, of the pairs of trials.
TOLERANCE = 2e-3
LATER = {"loss": 0.05, "quality": 2.0}  # the other evaluations, where such differences have grown


@exercise("5.5")
def test_the_file(handed_in):
    """`results.csv` can be read and has every column."""
    trials_of(handed_in)


@exercise("5.5", weight=2)
def test_configurations(handed_in):
    """The default, each factor varied alone, and at least 15 configurations in all."""
    trials = trials_of(handed_in)
    strays = [trial for trial in trials if not inside(trial)]
    expect.true(
        not strays,
        expected="levels of FACTORS only, so that all studies can be compared",
        got=named(strays[0]) if strays else "",
        otherwise="vary the factors of course_lib.study.space over their levels",
        read=READ,
    )
    found = {levels(trial) for trial in trials}
    expect.true(
        len(found) >= N_CONFIGURATIONS,
        expected=f"at least {N_CONFIGURATIONS} different configurations",
        got=f"{len(found)}",
        otherwise=AGAIN,
        read=READ,
    )
    expect.true(
        tuple(DEFAULT.values()) in found,
        expected="the default configuration, which all others are compared with",
        got="it is not in the file",
        otherwise=AGAIN,
        read=READ,
    )
    alone = {
        factor
        for one in found
        for factor in FACTORS
        if [n for n, level in zip(FACTORS, one, strict=True) if level != DEFAULT[n]] == [factor]
    }
    expect.true(
        alone == set(FACTORS),
        expected="for each factor a configuration that differs from the default in it alone",
        got=f"none for {', '.join(n for n in FACTORS if n not in alone)}",
        otherwise=AGAIN,
        read=READ,
    )


@exercise("5.5", weight=2)
def test_seeds(handed_in):
    """Every configuration has two seeds or more, and every trial has ended."""
    trials = trials_of(handed_in)
    open_ones = [trial for trial in trials if trial["status"] in UNFINISHED]
    expect.true(
        not open_ones,
        expected="trials that have ended, well or badly",
        got=f"{len(open_ones)} that wait or still run" if open_ones else "",
        otherwise="the study is not finished: run the same command again: it resumes",
        read=READ,
    )
    by_configuration = seeds_by_configuration(trials)
    single = [which for which, seeds in by_configuration.items() if len(seeds) < 2]
    expect.true(
        not single,
        expected="at least two seeds of every configuration",
        got=f"{len(single)} configurations with fewer, the first {single[0]}" if single else "",
        otherwise="without a second seed nobody knows the noise",
        read=READ,
    )


@exercise("5.5")
def test_nothing_is_left_out(handed_in):
    """Every planned trial is in the file, the failed ones too."""
    trials = trials_of(handed_in)
    by_configuration = seeds_by_configuration(trials)
    seeds = {seed for seed in PROFILE.seeds if seed in {trial["seed"] for trial in trials}}
    planned = [tuple(DEFAULT.values())] + [
        tuple({**DEFAULT, factor: level}.values())
        for factor, all_levels in FACTORS.items()
        for level in all_levels
        if level != DEFAULT[factor]
    ]
    absent = [which for which in planned if which not in by_configuration]
    expect.true(
        not absent,
        expected=f"all {len(planned)} configurations of one factor at a time",
        got=f"{len(absent)} are not there, the first {absent[0]}" if absent else "",
        otherwise="hand in every trial, also one that failed: its status is a result",
        read=READ,
    )
    gaps = [which for which, found in by_configuration.items() if seeds - found]
    expect.true(
        not gaps,
        expected=f"seeds {', '.join(map(str, sorted(seeds)))} of every configuration",
        got=f"{len(gaps)} configurations lack one, the first {gaps[0]}" if gaps else "",
        otherwise="hand in every trial, also one that failed: its status is a result",
        read=READ,
    )


@exercise("5.5", weight=2)
def test_trials_fit_together(handed_in):
    """Complete trials take all steps, and their quality is their curve's last."""
    complete = [trial for trial in trials_of(handed_in) if trial["status"] == "complete"]
    expect.true(
        bool(complete),
        expected="complete trials",
        got="none",
        otherwise="see the column `reason`, mend what is wrong, and run the study again",
        read=READ,
    )
    for trial in complete:
        last = trial["curve"][-1]
        expect.true(
            all(0 <= entry["quality"] <= 100 for entry in trial["curve"]),
            expected=f"qualities from 0 to 100 percent for {named(trial)}",
            got=", ".join(f"{entry['quality']:g}" for entry in trial["curve"]),
            otherwise=AGAIN,
            read=READ,
        )
        for what, got, want in (
            ("steps", trial["steps"], PROFILE.n_steps),
            ("the last step of the curve", last["step"], float(trial["steps"])),
            ("quality", trial["quality"], last["quality"]),
            ("validation_loss", trial["validation_loss"], last["loss"]),
        ):
            expect.true(
                got == want,
                expected=f"{what} = {want:g} for {named(trial)}",
                got=f"{got:g}",
                otherwise="all trials of the tiny profile take "
                f"{PROFILE.n_steps} steps, and a row has the last evaluation of its curve",
                read=READ,
            )


@exercise("5.5")
def test_no_copies(handed_in):
    """No trial is a copy of another."""
    first = {}
    for trial in trials_of(handed_in):
        if trial["status"] != "complete":
            continue
        measured = (
            trial["quality"],
            trial["validation_loss"],
            *(value for entry in trial["curve"] for value in entry.values()),
        )
        same = first.setdefault(measured, trial)
        expect.true(
            same is trial,
            expected="another curve for another configuration or seed",
            got=f"the same curve, digit by digit, for {named(same)} and for {named(trial)}",
            otherwise="a trial was copied, or its seed is not used: run both again",
            read=READ,
        )


@exercise("5.5", weight=3)
def test_one_trial_again(student, rng, handed_in):
    """One trial, drawn by lot and trained again, agrees with its row."""
    trials = trials_of(handed_in)
    candidates = repeatable(trials)
    expect.true(
        bool(candidates),
        expected="complete trials of the tiny profile, trained on a CPU",
        got="no trial that can be trained again",
        otherwise="on a GPU torch draws other random numbers: use `--device cpu`",
        read=READ,
    )
    trial = chosen(candidates, handed_in[FILE], rng)
    seen, parameters = trained_again(student, trial)
    other = "another `run_trial` made this row: run the whole study again, on a CPU"
    expect.equal(len(seen), len(trial["curve"]), otherwise=other, read=READ, what="evaluations")
    expect.equal(trial.get("parameters"), parameters, otherwise=other, read=READ, what="parameters")
    for place, (entry, again) in enumerate(zip(trial["curve"], seen, strict=True)):
        for name, wide in LATER.items():
            if place or name == "loss":
                expect.close(
                    entry[name],
                    again[name],
                    atol=wide if place else TOLERANCE,
                    rtol=0.0,
                    otherwise=other,
                    read=READ,
                    what=f"the {name} after {entry['step']:g} steps of {named(trial)}",
                )
