"""Stand-ins for components whose answers are not out yet, for the assignments that build on them.

Each module has the name and the public names of one in `course_lib`, with the same parameters and
results, but is backed by `torch.nn`: students can use it and find no answer to copy.

The substitutes of `grader/judge/substitutes.py`, which replace a mistake during grading, would
not do. Students read stand-ins, so these use the ready-made layers that the exercises forbid;
substitutes run inside those exercises, so they use nothing that is forbidden.
"""
