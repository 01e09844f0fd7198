"""What a test passes in behaves like what the handout names: a module, an optimizer, a schedule."""

import ast

import proofs
import pytest
from world_tables import texts

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
USES = texts("uses_of_what_is_passed_in")


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
