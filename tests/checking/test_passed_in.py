"""What a test passes in behaves like what the handout names: a module, an optimizer, a schedule."""

import ast

import proofs
import pytest
from world_tables import texts

from grader.library.components import Component

# what a careful student does before the work: none of it may fail, or change a result
HELPERS = texts("use_as_a_careful_student_does")
USES = texts("uses_of_what_is_passed_in")


def using(component, use):
    """The component's source, whose last definition begins with the use of what it is given."""
    tree = ast.parse(component.source)
    last = tree.body[-1]
    found = [one for one in getattr(last, "body", ()) if getattr(one, "name", "") == "__init__"]
    function = found[0] if isinstance(last, ast.ClassDef) else last
    function.body[1 if ast.get_docstring(function) else 0 : 0] = ast.parse(use).body
    return f"{HELPERS}\n{ast.unparse(tree)}"


@pytest.mark.parametrize(("assignment", "id", "component", "use"), USES)
def test_what_is_passed_in_can_be_used_as_what_the_handout_names(assignment, id, component, use):
    source = using(Component.parse(component), use)
    data = proofs.notebook(assignment, "solution", {component: source})
    result = proofs.graded(data, assignment, only=[id])
    assert [(test.id, test.message) for test in result.tests if not test.points] == []
