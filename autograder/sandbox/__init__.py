"""The untrusted side: a warm process, its supervisors, and the workers that run a student's code.

Nothing here imports the rest of the autograder or holds an answer. `warm.py` is started as a
program and loads this folder under the name `sandbox`; the judge imports only `wire`, `limits` and
`tiers` from it. The pages to read, in the order in which a job meets them:

    warm.py        imports the heavy libraries once and forks a supervisor for each job
    supervisor.py  trusted; watches one worker, ends it, reports how it ended
    confine.py     puts the layers on the worker, before any line of the student's runs
    worker.py      loads the student's statements and answers requests
"""
