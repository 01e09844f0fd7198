# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown] title="line"
# Which line comes closest to all points?

# %% setup="line"

# %% [markdown] exercise="1.1"
# Minimize the sum of squared vertical distances. Return slope and intercept.

# %% component="regression.line:fit_line"

# %% check="1.1"

# %% [markdown] exercise="1.2"
# How much of the variance of `y` does the line explain?

# %% component="regression.line:explained"

# %% check="1.2"
