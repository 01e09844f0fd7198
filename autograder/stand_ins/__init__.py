"""Stand-ins for components whose answers are not out yet, for the assignments that build on them.

Each module has the name and the public names of one in `course_lib`, with the same parameters and
results. Students can use it and find no answer to copy: it is made of what the exercise forbids or
does not have, so that it earns nothing when pasted. (Substitutes, which replace a mistake during
grading, run inside those exercises and so use nothing that is forbidden.)
"""
