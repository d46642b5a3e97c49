"""Segmentations: the value that every score takes, and all that becomes one."""
