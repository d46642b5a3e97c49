"""Charts of cuts in time, with dates and with labels."""

from datetime import datetime, timedelta, timezone

import pytest

import segscore as ss
from segscore import Segmentation

pytest.importorskip("altair", reason="the extra report is not installed")

SONG = Segmentation([12.5, 30.25, 48.0], ["verse", "chorus", "verse", 7], duration=75.5)
FOUND = Segmentation([12.25, 31.5], ["a", "chorus", "a"], duration=75.5)


def parts_of(chart):
    """Return the data of a chart by name, and the titles of its axes."""
    from report_pages import data_of

    def titles(spec):
        if isinstance(spec, dict):
            own = [spec["title"]] if "field" in spec and isinstance(spec.get("title"), str) else []
            return own + [title for value in spec.values() for title in titles(value)]
        return [title for value in spec for title in titles(value)] if isinstance(spec, list) else []

    return data_of(chart), titles(chart.to_dict())


def test_a_timeline_in_time():
    for truth, pred, length in (
        (SONG.cuts, {"x": FOUND.cuts}, {"duration": 75.5}),
        (SONG, {"x": FOUND}, {}),
        ({"Ada": SONG}, {"x": FOUND.cuts}, {}),
    ):
        data, titles = parts_of(ss.charts.timeline(truth, pred, margin=0.5, **length))
        found = ss.match(SONG.cuts, FOUND.cuts, duration=75.5, margin=0.5)
        own = {
            kind: [row["cut"] for row in data["cuts"] if row["kind"] == kind]
            for kind in ("true", "matched", "missed", "false")
        }
        assert own == {
            "true": SONG.cuts,
            "matched": [p for _, p in found.pairs],
            "missed": found.misses,
            "false": found.false_alarms,
        }
        assert data["ends"][0]["end"] == 75.5
        assert "time (seconds)" in titles
        assert "point" not in titles
    assert "time (hours)" in parts_of(ss.charts.timeline(SONG, FOUND, unit="hours"))[1]
    assert "point" in parts_of(ss.charts.timeline([3], [4], n=9))[1]


def test_segments_are_coloured_by_label_in_all_rows():
    data, _ = parts_of(ss.charts.timeline({"Ada": SONG, "Ben": [30.0]}, {"x": FOUND}))
    rows = [(row["row"], row["from"], row["to"], row["label"]) for row in data["segments"]]
    assert rows == [
        ("Ada", 0.0, 12.5, "verse"),
        ("Ada", 12.5, 30.25, "chorus"),
        ("Ada", 30.25, 48.0, "verse"),
        ("Ada", 48.0, 75.5, "7"),
        ("x", 0.0, 12.25, "a"),
        ("x", 12.25, 31.5, "chorus"),
        ("x", 31.5, 75.5, "a"),
    ]
    assert [row["row"] for row in data["ends"]] == ["Ada", "Ben", "x"]
    assert "segments" not in parts_of(ss.charts.timeline([3], [4], n=9))[0]
    points = Segmentation([3], "AB", n=9)
    assert [row["label"] for row in parts_of(ss.charts.timeline(points, [4]))[0]["segments"]] == ["A", "B"]


def test_dates_are_milliseconds_on_an_axis_of_dates():
    start, end = datetime(2024, 5, 6), datetime(2024, 5, 13)
    truth = Segmentation.from_timestamps([start + timedelta(hours=30)], start, end, unit="m")
    pred = Segmentation.from_timestamps([start + timedelta(hours=31)], start, end, unit="m")
    chart = ss.charts.timeline(truth, pred, margin=timedelta(hours=1), signal=[1.0, 2.0, 3.0, 4.0])
    data, titles = parts_of(chart)
    origin = datetime(2024, 5, 6, tzinfo=timezone.utc).timestamp() * 1000
    assert [(row["kind"], row["cut"] - origin) for row in data["cuts"]] == [("true", 108e6), ("matched", 111.6e6)]
    assert data["ends"][0]["start"] == origin
    assert data["ends"][0]["end"] == origin + 7 * 86.4e6
    assert [row["start"] - origin for row in data["points"]] == [k * 7 * 86.4e6 / 4 for k in range(4)]
    assert "time" in titles
    assert '"temporal"' in chart.to_json()
    zone = timezone(timedelta(hours=2))
    span = [start.replace(tzinfo=zone), end.replace(tzinfo=zone)]
    data, titles = parts_of(ss.charts.timeline(*[Segmentation.from_timestamps([], *span)] * 2))
    assert data["ends"][0]["start"] == origin - 7.2e6
    assert "time (UTC)" in titles
    stairs, titles = parts_of(ss.charts.staircase(truth, pred))
    assert stairs["cells"][0]["start"] == origin
    assert stairs["cells"][0]["prediction"] == origin + 111.6e6
    curve, titles = parts_of(ss.charts.pk_curve(truth, pred, k=[60]))
    assert curve["curves"][0]["pk"] == ss.pk(truth, pred, k=60)
    assert "k, the size of the window (minutes)" in titles


def test_the_staircase_and_pk_in_time():
    truth, pred = SONG.without_labels(), FOUND.without_labels()
    chart = ss.charts.staircase(truth, pred)
    cells = parts_of(chart)[0]["cells"]
    found = ss.explain(truth, pred)
    area = sum((c["end"] - c["start"]) * abs(c["truth"] - c["prediction"]) for c in cells)
    assert area == pytest.approx(found.disagreement)
    assert sorted((c.start, c.end) for c in found.cells) == [(c["start"], c["end"]) for c in cells]
    assert chart.to_dict()["title"] == f"area = {found.disagreement:.6g} of 2850.12; Rand Index {found.rand_index:.4f}"
    curve, titles = parts_of(ss.charts.pk_curve(SONG.cuts, {"x": FOUND.cuts}, duration=75.5, k=[5.5, 20]))
    assert [row["pk"] for row in curve["curves"]] == [ss.pk(truth, pred, k=5.5), ss.pk(truth, pred, k=20)]
    assert "k, the size of the window (seconds)" in titles
    usual, _ = parts_of(ss.charts.pk_curve(truth, pred))
    assert usual["usual"] == [{"k": 75.5 / 8}]
    assert 0 < usual["curves"][0]["k"] < usual["curves"][-1]["k"] == 75.5 / 2


def test_a_chart_of_pairs_refuses_labels():
    with pytest.raises(ValueError, match=r"^staircase compares cuts, not labels; expected segmentations without"):
        ss.charts.staircase(SONG, FOUND)


def test_a_signal_in_time_is_one_list_of_numbers():
    with pytest.raises(ValueError, match=r"^signal has the shape \(1, 2\); expected one number per point$"):
        ss.charts.timeline(SONG, FOUND, signal=[[1, 2]])
