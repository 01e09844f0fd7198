"""The trusted side: collects a submission, runs the hidden suite against it, scores it."""
