"""A worked example: two segmentations of one sequence, drawn and scored. `make demo` runs it."""

import segscore as ss

N = 60
TRUTH = ss.Segmentation([12, 31, 47], n=N)
PREDICTIONS = {
    "two points late": ss.Segmentation([14, 31, 47], n=N),
    "one cut missed": ss.Segmentation([12, 47], n=N),
    "one cut too many": ss.Segmentation([12, 31, 39, 47], n=N),
    "evenly spaced": ss.Segmentation([15, 30, 45], n=N),
    "no cut at all": ss.Segmentation([], n=N),
}


def timeline(segmentation: ss.Segmentation) -> str:
    """Draw one character a point, a pattern a segment, and a bar at the first point behind each cut."""
    patterns = "·-=~+"
    return "".join(
        ("|" if start else patterns[0]) + patterns[k % len(patterns)] * (end - start - 1)
        for k, (start, end) in enumerate(segmentation.segments)
    )


def main() -> None:
    """Print the timelines and the table of scores."""
    scores = ["rand_index", "adjusted_rand_index", "pair_precision", "pair_recall", "jaccard_index"]
    width = max(map(len, PREDICTIONS))
    print(f"segscore {ss.__version__}: how well does a prediction agree with the truth, on {N} points?\n")
    for name, segmentation in {"truth": TRUTH, **PREDICTIONS}.items():
        print(f"  {name:>{width}}  {timeline(segmentation)}")
    print("\n" + " " * (width + 4) + "  ".join(f"{score:>{max(len(score), 7)}}" for score in scores))
    for name, pred in PREDICTIONS.items():
        values = (f"{getattr(ss, score)(TRUTH, pred):>{max(len(score), 7)}.4f}" for score in scores)
        print(f"  {name:>{width}}  " + "  ".join(values))
    late = PREDICTIONS["two points late"]
    counts = ss.pair_counts(TRUTH, late)
    print(f"\nOf {sum(counts)} pairs of points, truth and 'two points late' disagree on", end=" ")
    print(f"{counts.truth_only + counts.pred_only}: {counts}")


if __name__ == "__main__":
    main()
