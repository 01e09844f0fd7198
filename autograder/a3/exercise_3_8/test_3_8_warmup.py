"""Hidden tests of exercise 3.8: the paper's learning rate, and a scheduler that sets it."""

from grader.checking.question import question, refusal

READ = "§5.3, Eq. 3"
EQ_3 = "d_model^-0.5 · min(step^-0.5, step · warmup_steps^-1.5)"
OPTIMIZER = (
    "lambda rates: torch.optim.SGD([{'params': [torch.nn.Parameter(torch.zeros(1))], 'lr': rate} "
    "for rate in rates])"
)


def micro(rate):
    """A rate × 10⁶, whose digits a message shows."""
    return 1e6 * float(rate)


@question("3.8", weight=2, advice=EQ_3, read=READ)
def test_rate(its):
    """The rate rises linearly for warmup_steps, then falls as 1/√step."""
    steps = (1, 2, 7, 10, 11, 40, 1000, 4000, 100_000)
    return {
        f"10⁶ × the rates at {steps} for {sizes}": [
            micro(its.warmup_rate(s, *sizes)) for s in steps
        ]
        for sizes in [(512, 10), (64, 40), (1, 5), (512,)]
    }


def run(its, rates, count, *sizes):
    """`count` rates × 10⁶ for each group of the optimizer, step 1 first."""
    # the first optimizer imports much of torch
    optimizer = its.call(its.make(OPTIMIZER), rates, deadline=8.0).value
    schedule, seen = its.WarmupSchedule(optimizer, *sizes), [[] for _ in rates]
    for _ in range(count):
        for number, own in enumerate(seen):
            own.append(micro(optimizer.get(f"param_groups.{number}")["lr"]))
        optimizer.method("step")
        schedule.method("step")
    return seen


@question(
    "3.8", weight=2, builds_on=["warmup_rate"], advice="which step is last_epoch = 0?", read=READ
)
def test_schedule(its):
    """The optimizer's first step uses the rate of step 1, times its own, the next of step 2."""
    kind = "torch.optim.lr_scheduler.LRScheduler" in its.WarmupSchedule.bases()
    return {
        "it is a scheduler of torch": kind,
        "10⁶ × the rates of steps 1 to 9": run(its, [1.0], 9, 64, 4),
        "10⁶ × the first rates by default": run(its, [1.0], 2, 512),
        "10⁶ × the rates of groups with 2 and 0.5": run(its, [2.0, 0.5], 5, 10, 3),
    }


@question("3.8", corner=True, advice="raise a ValueError", read="the docstrings of 3.8")
def test_refusals(its):
    """Steps count from 1, and a warm-up has at least one step."""
    model = its.make("torch.nn.Linear(3, 2)")
    recipe = refusal(lambda: its.paper_optimizer(model, 64, 0)[0].type_name)
    return {"step 0": refusal(lambda: its.warmup_rate(0, 64, 10)), "no warm-up": recipe}
