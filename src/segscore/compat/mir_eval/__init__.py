"""The part of mir_eval that compares segmentations: ``mir_eval.segment``."""

from . import segment

__all__ = ["segment"]
