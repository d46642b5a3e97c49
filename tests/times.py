"""Cuts in time that are hard to compute with: nearly equal cuts, tiny gaps, very short and very long durations."""

from hypothesis import strategies as st

NEAR = st.builds(lambda c, gap: c + gap, st.sampled_from([0.125, 0.25, 0.5, 0.75]), st.sampled_from([0, 1e-12, -3e-16]))
SHARES = st.sets(NEAR | st.floats(1e-12, 1 - 1e-12), max_size=7).map(sorted)  # of the duration
DURATIONS = st.sampled_from([1.0, 1e-6, 3.7e-3, 3600.1, 1e9])


@st.composite
def cuts_in_time(draw, count=2):
    """Draw some lists of cuts, and their duration."""
    duration = draw(DURATIONS)
    return *(sorted({c * duration for c in draw(SHARES)}) for _ in range(count)), duration
