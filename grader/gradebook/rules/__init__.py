"""The rules that decide a grade beside the answers: late work, weights."""
