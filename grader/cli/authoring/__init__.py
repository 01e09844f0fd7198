"""Commands that make what students get: `build` and `release`."""
