"""Reports: an HTML file for a class, one for a student, and a table for the terminal."""

from .page import (
    PAGES,
    render,
    render_classes,
    render_dashboard,
    render_pages,
    render_student,
    shown,
)

__all__ = [
    "PAGES",
    "render",
    "render_classes",
    "render_dashboard",
    "render_pages",
    "render_student",
    "shown",
]
