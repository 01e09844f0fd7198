"""Hidden tests of exercise 3.8: the paper's Adam and learning rate."""

from autograder.a3.exercise_3_8.test_3_8_warmup import micro
from autograder.a3.tensors import normal
from grader.checking.question import question

READ = "§5.3"
AFTER = ["warmup_rate", "WarmupSchedule"]
ADAM = "Adam with β₁ = 0.9, β₂ = 0.98, ε = 1e-9, no weight decay, and the rate of Eq. 3"
MODEL = "torch.nn.ParameterDict({n: torch.nn.Parameter(v) for n, v in values.items()})"
DESCEND = (
    "lambda model, gradients: [setattr(p, 'grad', gradients[n].clone()) "
    "for n, p in model.named_parameters()] and None"
)


def made(its, values, *arguments):
    """The model, its optimizer and its schedule; the first optimizer imports much of torch."""
    model = its.make(MODEL, values=values)
    return model, *its.call(its.paper_optimizer, model, *arguments, deadline=8.0).value


def run(its, values, gradients, d_model, warmup):
    """The weights after a step for each of the gradients, and the rates × 10⁶."""
    model, optimizer, schedule = made(its, values, d_model, warmup)
    descend, rates = its.make(DESCEND), []
    for own in gradients:
        descend(model, own)
        rates.append(micro(optimizer.get("param_groups.0")["lr"]))
        optimizer.method("step")
        schedule.method("step")
    return model.state_dict(), rates


@question("3.8", weight=3, after=AFTER, atol=1e-5, rtol=1e-5, advice=ADAM, read=READ)
def test_steps(its, rng):
    """Steps of Adam with the paper's β and ε, at the rates of Eq. 3, the first that of step 1."""
    values = {"small": normal(rng, 4), "usual": normal(rng, 3, 2)}
    scales = {"small": 1e-9, "usual": 1.0}  # the small ones reveal ε
    gradients = [
        {name: scales[name] * size * normal(rng, *v.shape) for name, v in values.items()}
        for size in (1.0, 4.0, 0.25, 2.0, 8.0, 0.5, 0.25, 1.0)
    ]
    answer = {}
    for sizes in ((16, 2), (512, 1)):
        found, answer[f"10⁶ × the rates for {sizes}"] = run(its, values, gradients, *sizes)
        answer |= {f"weights after 8 steps for {sizes}, {name}": found[name] for name in values}
    return answer


@question("3.8", after=AFTER, advice=ADAM, read=READ)
def test_paper_values(its):
    """The defaults: 4000 warm-up steps, β = (0.9, 0.98) and ε = 1e-9, for all parameters."""
    model = its.make("torch.nn.Linear(2, 3).requires_grad_(False)")
    optimizer, _ = its.call(its.paper_optimizer, model, 512, deadline=8.0).value
    group = optimizer.get("param_groups.0")
    count = "sum(len(group['params']) for group in optimizer.param_groups)"
    return {
        "β": list(group["betas"]),
        "10⁹ · ε": 1e9 * group["eps"],
        "weight decay": float(group["weight_decay"]),
        "10⁶ × the first rate": micro(group["lr"]),
        "parameters, of two that are frozen now": its.make(count, optimizer=optimizer).get(),
    }
