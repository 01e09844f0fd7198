"""Stand-ins for components whose answers are not out yet, for the assignments that build on them.

Each module has the name and the public names of one in `course_lib`, the same parameters and the
same results, and is backed by what `torch.nn` has: it can be used, and there is nothing to copy.

They cannot be the substitutes of `autograder/judge/substitutes.py`, which stand in for a mistake
while a grading goes on. Students read stand-ins, so these rest on the ready-made layers that their
exercises forbid; substitutes run inside those exercises, so they use nothing that is forbidden.
"""
