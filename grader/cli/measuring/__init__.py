"""Commands that measure and prove."""
