"""Stand-ins for components whose answers are not out yet, for the assignments that build on them.

Each module has the name and the public names of one in `course_lib`, the same parameters and the
same results, and is backed by what `torch.nn` has: it can be used, and there is nothing to copy.
"""
