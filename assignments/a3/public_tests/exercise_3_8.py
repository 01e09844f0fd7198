"""The visible checks of exercise 3.8: warm-up and Adam."""

from grader.checking.question import question, refusal

RECIPE = ["warmup_rate", "WarmupSchedule"]


def rates(optimizer, schedule):
    """1000 × the rate of the optimizer's steps 1 to 5."""
    seen = []
    for _ in range(5):
        seen.append(1000 * optimizer.get("param_groups.0")["lr"])
        optimizer.method("step")
        schedule.method("step")
    return seen


@question("3.8", advice="d_model^-0.5 · min(step^-0.5, step · warmup_steps^-1.5)", read="Eq. 3")
def test_rates(its):
    """1000 × the rate at the formula's beginning, its peak and later."""
    return {f"step {s}": 1000 * its.warmup_rate(s, 512) for s in (1, 2000, 4000, 16000)}


@question("3.8", corner=True, needs_one_of=["test_rates", "test_recipe_rates"], read="exercise 3.8")
def test_refusals(its):
    """Step 0, and a warm-up of 0 steps, raise a ValueError."""
    model = its.make("torch.nn.Linear(2, 2)")
    recipe = refusal(lambda: its.paper_optimizer(model, 16, 0)[0].type_name)
    return {"step 0": refusal(lambda: its.warmup_rate(0, 512)), "no warm-up": recipe}


@question(
    "3.8",
    weight=2,
    builds_on=["warmup_rate"],
    advice="is last_epoch = 0 step 0 or 1?",
    read="exercise 3.8",
)
def test_first_steps(its):
    """The steps 1, 2, … have the rates of the formula, times the optimizer's own."""
    optimizer = its.make("torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=3.0)")
    found = rates(optimizer, its.WarmupSchedule(optimizer, 4, 2))
    kind = "torch.optim.lr_scheduler.LRScheduler" in its.WarmupSchedule.bases()
    return {"1000 × the rates": found, "it is a subclass of torch's LRScheduler": kind}


@question(
    "3.8", weight=2, builds_on=RECIPE, advice="the paper's β₂ is not torch's default", read="§5.3"
)
def test_recipe_adam(its):
    """Adam with the constants of §5.3, for all parameters."""
    model = its.make("torch.nn.Linear(2, 2).requires_grad_(False)")  # frozen now
    optimizer, _ = its.paper_optimizer(model, 512)
    groups = optimizer.get("param_groups")
    group = groups[0]
    return {
        "[β₁, β₂]": list(group["betas"]),
        "10⁹ · ε": 1e9 * group["eps"],
        "weight decay": float(group["weight_decay"]),
        "parameters, of a model with two": sum(len(one["params"]) for one in groups),
    }


@question(
    "3.8", weight=2, builds_on=RECIPE, advice="which rate does it multiply?", read="§5.3, Eq. 3"
)
def test_recipe_rates(its):
    """Steps 1, 2, 3, … of the optimizer use the rates of Eq. 3 with d_model 16 and warm-up 3."""
    return rates(*its.paper_optimizer(its.make("torch.nn.Linear(2, 2)"), 16, 3))
