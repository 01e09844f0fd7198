"""Prepares what a marker reads: safe answers, groups of alike ones, rubric and model answer."""
