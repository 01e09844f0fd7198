# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown] title="a5"
# You can build and train a Transformer. What you cannot tell yet is whether a change made it
# better.

# %% setup="a5"

# %% [markdown] exercise="5.1"
# The space.

# %% component="course_lib.study.designs:one_at_a_time"

# %% component="course_lib.study.designs:sampled_design"

# %% check="5.1"

# %% [markdown] exercise="5.2"
# One reproducible trial.

# %% component="course_lib.study.trial:run_trial"

# %% check="5.2"

# %% [markdown] exercise="5.3"
# Trials that fail.

# %% component="course_lib.study.trial:attempt"

# %% check="5.3"

# %% [markdown] exercise="5.4"
# Noise first.

# %% component="course_lib.study.intervals:mean_interval"

# %% component="course_lib.study.intervals:pooled_noise"

# %% component="course_lib.study.intervals:detectable_difference"

# %% check="5.4"

# %% [markdown] exercise="5.5"
# The study.

# %% check="5.5"

# %% [markdown] exercise="5.6"
# The summary table.

# %% component="course_lib.study.summary:summarize"

# %% check="5.6"

# %% [markdown] exercise="5.7"
# Sensitivity.

# %% component="course_lib.study.sensitivity:holm"

# %% component="course_lib.study.sensitivity:sensitivity"

# %% check="5.7"

# %% [markdown] exercise="5.8"
# Quality against cost.

# %% component="course_lib.study.pareto:pareto_front"

# %% check="5.8"

# %% [markdown] exercise="5.9"
# Stopping trials early.

# %% component="course_lib.study.halving:successive_halving"

# %% check="5.9"

# %% [markdown] exercise="5.10"
# The recommendation.

# %% component="course_lib.study.recommendation:recommend"

# %% component="course_lib.study.recommendation:chance_of_being_best"

# %% check="5.10"

# %% [markdown] written="5.11.a"
# To be written.
#
# <!-- answer -->
# To be written.

# %% [markdown] rubric="5.11.a"
# To be written.

# %% [markdown] written="5.11.b"
# To be written.
#
# <!-- answer -->
# To be written.

# %% [markdown] rubric="5.11.b"
# To be written.
