"""The untrusted side: a warm process, its supervisors, and the workers that run a student's code.

Nothing here imports the rest of the autograder or holds an answer. `main.py` is started as a
program and loads this folder under the name `sandbox`. The files to read, in the order in which a
job reaches them:

    main.py        imports the heavy libraries once and forks a supervisor for each job
    supervisor.py  trusted; watches one worker, ends it, reports how it ended
    confine.py     applies the isolation layers to the worker before any student code runs
    worker.py      loads the student's statements and answers requests
"""
