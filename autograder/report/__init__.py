"""What people read: one HTML file of a class, one of a student, and a table for the terminal."""

from .page import render, render_student

__all__ = ["render", "render_student"]
