"""Hidden tests of exercise 3.8: the paper's Adam and learning rate."""

from autograder.a3.exercise_3_8.test_3_8_warmup import micro
from autograder.a3.tensors import normal
from grader.checking.question import question

READ = "§5.3"
PARTS = ["warmup_rate", "WarmupSchedule"]
ADAM = "Adam with β₁ = 0.9, β₂ = 0.98, ε = 1e-9, no weight decay, and the rate of Eq. 3"
MODEL = "torch.nn.ParameterDict({n: torch.nn.Parameter(v) for n, v in values.items()})"
DESCEND = (
    "lambda model, gradients: [setattr(p, 'grad', gradients[n].clone()) "
    "for n, p in model.named_parameters()] and None"
)


def run(its, values, gradients, *sizes):
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


@question("3.8", weight=3, builds_on=PARTS, atol=1e-5, rtol=1e-5, advice=ADAM, read=READ)
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
        found, answer[f"10⁶ × the rates for {sizes}"] = run(its, values, gradients, *sizes)
        answer |= {f"weights after 8 steps for {sizes}, {name}": found[name] for name in values}
    return answer
