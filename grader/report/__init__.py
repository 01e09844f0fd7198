"""Reports: an HTML file for a class, one for a student, and a table for the terminal."""

from .page import render, render_dashboard, render_student

__all__ = ["render", "render_dashboard", "render_student"]
