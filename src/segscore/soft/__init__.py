"""Soft segmentations: cuts with probabilities, the losses that train them, and decisions made from them."""
