"""Hidden tests of exercise 3.8: the paper's learning rate, a scheduler that sets it, and Adam."""

from autograder.a3.tensors import normal
from grader.checking.question import question, refusal

READ = "§5.3, Eq. 3"
EQ_3 = "d_model^-0.5 · min(step^-0.5, step · warmup_steps^-1.5)"
OPTIMIZER = (
    "lambda rates: torch.optim.SGD([{'params': [torch.nn.Parameter(torch.zeros(1))], 'lr': rate} "
    "for rate in rates])"
)
PARTS = ["warmup_rate", "WarmupSchedule"]
ADAM = "Adam with β₁ = 0.9, β₂ = 0.98, ε = 1e-9, no weight decay, and the rate of Eq. 3"
MODEL = "torch.nn.ParameterDict({n: torch.nn.Parameter(v) for n, v in values.items()})"
DESCEND = (
    "lambda model, gradients: [setattr(p, 'grad', gradients[n].clone()) "
    "for n, p in model.named_parameters()] and None"
)


def micro(rate):
    """A rate × 10⁶, whose digits a message shows."""
    return 1e6 * float(rate)


def trained(its, values, gradients, *sizes):
    """The weights after a step for each of the gradients, and the rates × 10⁶."""
    model, descend, rates = its.make(MODEL, values=values), its.make(DESCEND), []
    # the first optimizer imports much of torch
    asked = its.call(its.paper_optimizer, model, *sizes, deadline=8.0)
    optimizer, schedule = asked.value
    for own in gradients:
        descend(model, own)
        rates.append(micro(optimizer.get("param_groups.0")["lr"]))
        optimizer.method("step")
        schedule.method("step")
    return model.state_dict(), rates


@question("3.8", weight=3, builds_on=PARTS, atol=1e-5, rtol=1e-5, advice=ADAM, read="§5.3")
def test_steps(its, rng):
    """Steps of Adam with the paper's β and ε, at the rates of Eq. 3, the first that of step 1."""
    values = {"small": normal(rng, 4), "usual": normal(rng, 3, 2)}
    scales = {"small": 1e-9, "usual": 1.0}  # the small ones reveal ε
    gradients = [
        {name: scales[name] * size * normal(rng, *v.shape) for name, v in values.items()}
        for size in (1.0, 4.0, 0.25, 2.0, 8.0, 0.5, 0.25, 1.0)
    ]
    answer = {}
    for sizes in ((16, 2), (512, 1), (512,)):
        found, answer[f"10⁶ × the rates for {sizes}"] = trained(its, values, gradients, *sizes)
        answer |= {f"weights after 8 steps for {sizes}, {name}": found[name] for name in values}
    return answer


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


def rates_of(its, rates, count, *sizes):
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
        "10⁶ × the rates of steps 1 to 9": rates_of(its, [1.0], 9, 64, 4),
        "10⁶ × the first rates by default": rates_of(its, [1.0], 2, 512),
        "10⁶ × the rates of groups with 2 and 0.5": rates_of(its, [2.0, 0.5], 5, 10, 3),
    }


@question("3.8", corner=True, advice="raise a ValueError", read="the docstrings of 3.8")
def test_refusals(its):
    """Steps count from 1, and a warm-up has at least one step."""
    model = its.make("torch.nn.Linear(3, 2)")
    recipe = refusal(lambda: its.paper_optimizer(model, 64, 0)[0].type_name)
    return {"step 0": refusal(lambda: its.warmup_rate(0, 64, 10)), "no warm-up": recipe}
