"""The page with the live model: its training, its files, and pictures for where no script runs."""
