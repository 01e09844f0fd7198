"""Commands that read submissions."""
