"""1. Values that change."""
