"""What a test passes in behaves like what the handout names: a module, an optimizer, a schedule."""

import ast

import proofs
import pytest

from grader.library.components import Component

# what a careful student does before the work: none of it may fail, or change a result
USE_MODULE = """
def use_module(module):
    device = next(module.parameters()).device
    modes = [(one, one.training) for one in module.modules()]
    module.eval()
    module.train()
    for one, mode in modes:
        one.training = mode
    module.to(device)
    module.load_state_dict(module.state_dict())
    return list(module.named_children()), module.requires_grad_, module.zero_grad, repr(module)
"""
USE_OPTIMIZER = """
def use_optimizer(optimizer):
    optimizer.load_state_dict(optimizer.state_dict())
    return [group["lr"] for group in optimizer.param_groups], optimizer.add_param_group
"""
USE_SCHEDULE = """
def use_schedule(schedule):
    if schedule is not None:
        schedule.load_state_dict(schedule.state_dict())
        schedule.get_last_lr()
"""
USE_BUILT = """
def use_built(build):
    def built(*args, **kwargs):
        module = build(*args, **kwargs)
        use_module(module)
        return module
    return built
"""
USE_HYPOTHESES = """
import dataclasses

def use_found(found):
    for one in found:
        dataclasses.asdict(dataclasses.replace(one, score=0.0))
"""
MODEL = "use_module(model)"
OPTIMIZER = "use_optimizer(optimizer)"
STEP = f"{MODEL}; {OPTIMIZER}; use_schedule(schedule)"
USES = [
    ("a2", "2.4", "course_lib.analysis.torch_attention:copy_from_torch", "use_module(theirs)"),
    ("a2", "2.8", "course_lib.analysis.heads:gradient_norms", "use_module(module)"),
    ("a3", "3.8", "course_lib.training.schedules:WarmupSchedule", OPTIMIZER),
    ("a3", "3.8", "course_lib.training.optimizers:paper_optimizer", MODEL),
    ("a3", "3.9", "course_lib.training.classification_step:training_step", STEP),
    (
        "a3",
        "3.14",
        "course_lib.analysis.fair_comparisons:compare_norms",
        "build = use_built(build)",
    ),
    ("a3", "3.17", "course_lib.initialization:initialize", MODEL),
    ("a3", "3.18", "course_lib.diagnosis.diagnose:diagnose", MODEL),
    ("a4", "4.7", "course_lib.training.translation_step:translation_step", STEP),
    ("a4", "4.9", "course_lib.decoding.cache:uncached_step", MODEL),
    ("a4", "4.11", "course_lib.decoding.search:is_final", "use_found(found)"),
    ("a4", "4.14", "course_lib.evaluation.perplexity:perplexity", MODEL),
    ("a4", "4.19", "course_lib.decoding.cache:cached_step", MODEL),
    ("a5", "5.2", "course_lib.study.trial:run_trial", "task.model = use_built(task.model)"),
]


def using(component, use):
    """The component's source, whose last definition begins with the use of what it is given."""
    tree = ast.parse(component.source)
    last = tree.body[-1]
    found = [one for one in getattr(last, "body", ()) if getattr(one, "name", "") == "__init__"]
    function = found[0] if isinstance(last, ast.ClassDef) else last
    function.body[1 if ast.get_docstring(function) else 0 : 0] = ast.parse(use).body
    helpers = USE_MODULE, USE_OPTIMIZER, USE_SCHEDULE, USE_BUILT, USE_HYPOTHESES
    return "\n".join([*helpers, ast.unparse(tree)])


@pytest.mark.parametrize(("assignment", "id", "component", "use"), USES)
def test_what_is_passed_in_can_be_used_as_what_the_handout_names(assignment, id, component, use):
    source = using(Component.parse(component), use)
    data = proofs.notebook(assignment, "solution", {component: source})
    result = proofs.graded(data, assignment, only=[id])
    assert [(test.id, test.message) for test in result.tests if not test.points] == []
