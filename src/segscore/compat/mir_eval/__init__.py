"""mir_eval, as far as it compares segmentations: ``mir_eval.segment``."""

from . import segment

__all__ = ["segment"]
