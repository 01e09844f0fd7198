"""For courses run with nbgrader: their folder, the scores in its gradebook, marks from there."""
