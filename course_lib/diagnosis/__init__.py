"""Diagnosis: find faults of a model from its outputs."""
