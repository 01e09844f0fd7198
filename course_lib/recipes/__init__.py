"""Whole trainings by name: profiles, and what they train."""
