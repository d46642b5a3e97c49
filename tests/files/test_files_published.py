"""Real songs through .lab files: SALAMI in milliseconds and in seconds, and the fixtures of mir_eval."""

import mir_eval
import polars as pl
import pytest

import segscore as ss
from segscore.compat.mir_eval import segment

# These metrics do not change with the unit of time. The pair family in points counts pairs of different points, and
# differs by up to 1 / n from the same metric in time.
UNCHANGED = [
    *("normalized_mutual_information", "variation_of_information", "v_measure", "homogeneity", "completeness"),
    *("covering", "mean_iou", "purity", "coverage", "b_cubed_f1", "normalized_mirkin_distance"),
]


def rows_of(folder, dataset):
    rows = pl.scan_parquet(folder / "segmentations.parquet").filter(pl.col("dataset") == dataset)
    return rows.collect().partition_by("series", maintain_order=True)


def test_salami_in_milliseconds_and_in_seconds(published_data, tmp_path):
    found = 0
    for rows in rows_of(published_data, "salami")[::12]:
        points, times = [], []
        for row in rows.head(2).iter_rows(named=True):
            points.append(ss.Segmentation(row["change_points"], row["labels"], n=row["n"]))
            time = ss.Segmentation([c / 1000 for c in row["change_points"]], row["labels"], duration=row["n"] / 1000)
            ss.write(time, tmp_path / "song.lab")
            times.append(ss.read(tmp_path / "song.lab").only())
            assert times[-1] == time
            ss.write(points[-1], tmp_path / "song.bed")
            assert ss.read(tmp_path / "song.bed").only() == points[-1]
            assert ss.read(tmp_path / "song.bed", unit=0.001).only() == time
        if len(points) < 2:
            continue
        found += 1
        for metrics in (UNCHANGED, ["f1", "recall", "precision"]):
            in_points = ss.compare(*points, metrics=metrics, **({} if metrics is UNCHANGED else {"margin": 500}))
            in_time = ss.compare(*times, metrics=metrics, **({} if metrics is UNCHANGED else {"margin": 0.5}))
            assert list(in_time.to_dict().values()) == pytest.approx(list(in_points.to_dict().values()), abs=1e-12)
        one, other = ss.rand_index(*points), ss.rand_index(*times)
        assert abs(one - other) <= 1 / points[0].n
        hausdorff = [ss.hausdorff(*(each.without_labels() for each in sides)) for sides in (points, times)]
        assert hausdorff[1] * 1000 == pytest.approx(hausdorff[0], rel=1e-12)
    assert found > 50


def test_the_fixtures_of_mir_eval_through_lab(published_data, tmp_path):
    """The fixtures start late and end early or late; mir_eval fills and clips them, and so do the options of reading."""
    wanted = pl.read_parquet(published_data / "expected.parquet").filter(pl.col("dataset") == "mir_eval_segment")
    for rows in rows_of(published_data, "mir_eval_segment"):
        sides = {}
        for row in rows.iter_rows(named=True):
            edges = [0, *row["change_points"], row["n"]]
            lines = zip(edges, edges[1:], row["labels"], strict=False)
            written = [f"{a / 1000:.3f}\t{b / 1000:.3f}\t{c}\n" for a, b, c in lines if not c.startswith("__T_")]
            path = tmp_path / f"{row['by']}.lab"
            path.write_text("".join(written))
            fill = "__T_MIN" if row["by"] == "ref" else "__T_MAX"
            sides[row["by"]] = ss.read(path, duration=row["n"] / 1000, gap_label=fill).only()
            intervals, labels = mir_eval.util.adjust_intervals(
                *mir_eval.io.load_labeled_intervals(str(path)), t_min=0.0, t_max=row["n"] / 1000
            )
            assert sides[row["by"]].to_intervals()[:, :2].tolist() == intervals.tolist()
            assert list(sides[row["by"]].labels) == labels
        ref, est = sides["ref"], sides["est"]
        scores = segment.evaluate(
            *(part for each in (ref, est) for part in (each.without_labels().to_intervals(), list(each.labels)))
        )
        expected = wanted.filter(pl.col("series") == rows["series"][0])
        assert expected.height > 15
        for metric, value in expected.select("metric", "value").iter_rows():
            assert scores[metric.removeprefix("mir_eval:")] == pytest.approx(value, abs=1e-9), metric
