"""Every sentence about random studies is read back, and its claims are computed again by independent code."""

import os
import re
from itertools import combinations, product
from statistics import mean

import numpy as np
import polars as pl
import pytest
from scipy import stats

import segscore as ss
from segscore.boards.marks import marks_of
from segscore.reports.overview import findings

STUDIES = int(os.environ.get("SEGSCORE_STUDIES", "200"))  # `make claims` takes thousands

KINDS = ("no difference can be shown", "no difference between", " is better than ", "pairs of methods differ")


def drawn(rng):
    """Return a random study: rows per method and series (None is a failure), groups or None, and the score."""
    methods, series = int(rng.integers(2, 6)), int(rng.integers(3, 13))
    metric = "f1(margin=5)" if rng.random() < 0.6 else "hausdorff"
    spread, ties = rng.choice([0, 2, 6]), rng.random()
    better = rng.integers(0, 1 + spread, methods)
    rows = {}
    for s in range(series):
        level = int(rng.integers(2, 8))
        for m in range(methods):
            if rng.random() < 0.06 and rng.random() < 0.7:
                continue
            runs = []
            for _ in range(1 if rng.random() < 0.8 else 2):
                noise = 0 if rng.random() < ties / 2 else int(rng.integers(-2, 3))
                step = min(16, max(0, level + better[m] + noise)) / 16
                odd = rng.random()
                fine = step if metric.startswith("f1") else float("inf") if odd > 0.95 else 16 * (1 - step)
                runs.append(None if odd < 0.05 else fine)
            rows[f"m{m}", f"s{s:02}"] = runs
    groups = {f"s{s:02}": f"g{int(rng.integers(0, 9))}" for s in range(series)} if rng.random() < 0.4 else None
    return rows, groups, metric


def board_of(rows, groups, metric):
    flat = [(m, s, value) for (m, s), runs in rows.items() for value in runs]
    table = pl.DataFrame(flat, {"method": pl.String, "series": pl.String, metric: pl.Float64}, orient="row")
    if groups:
        table = table.with_columns(group=pl.col("series").replace_strict(groups))
    return ss.leaderboard(table.sample(fraction=1, shuffle=True, seed=1), metric)


class Study:
    """A study under one rule for failures and missing rows, by loops over numbers."""

    def __init__(self, rows, groups, metric, rule="worst"):
        self.metric, self.sign = metric, 1 if metric.startswith("f1") else -1
        every = sorted({s for _, s in rows})
        methods = sorted({m for m, _ in rows})
        worst = 0.0 if metric.startswith("f1") else float("inf")
        cells = dict(rows)
        if rule == "gaps":
            cells |= {(m, s): [None] for m in methods for s in every if (m, s) not in rows}
        self.ranked = [m for m in methods if 2 * sum((m, s) in cells for s in every) >= len(every)]
        self.failed = {m: sum(None in cells.get((m, s), []) for s in every) for m in methods}
        self.run = {m: sum((m, s) in cells for s in every) for m in methods}
        self.values = {
            (m, s): mean([worst if run is None else run for run in runs])
            for (m, s), runs in cells.items()
            if m in self.ranked and not (rule == "common" and None in runs)
        }
        self.total = len(every)
        self.series = [s for s in every if self.ranked and all((m, s) in self.values for m in self.ranked)]
        self.groups = groups or {s: s for s in every}
        if metric.startswith("f1"):
            keys = {m: -mean([self.values[m, s] for s in self.series] or [0]) for m in self.ranked}
        else:
            ranks = [stats.rankdata([self.values[m, s] for m in self.ranked]) for s in self.series]
            keys = {m: sum(own[k] for own in ranks) for k, m in enumerate(self.ranked)}
        self.order = sorted(self.ranked, key=lambda m: (keys[m], m))
        self.place = {m: 1 + sum(keys[o] < keys[m] for o in self.ranked) for m in self.ranked}
        self.pairs = list(combinations(self.order, 2))
        self.apart = {pair: self.differences(*pair) for pair in self.pairs}
        self.units = {pair: len({self.groups[s] for s in apart}) for pair, apart in self.apart.items()}
        p = {pair: self.p(apart) for pair, apart in self.apart.items()}
        corrected, largest = {}, 0.0
        for done, pair in enumerate(sorted(self.pairs, key=p.__getitem__)):
            largest = max(largest, p[pair] * (len(self.pairs) - done))
            corrected[pair] = largest
        self.better = {}  # the better method of each pair that is shown to differ
        for pair, value in corrected.items():
            if value <= 0.05:
                self.better[frozenset(pair)] = pair[0] if self.total_of(self.apart[pair]) > 0 else pair[1]

    def differences(self, a, b):
        both = sorted({s for m, s in self.values if m == a} & {s for m, s in self.values if m == b})
        pairs = {s: (self.values[a, s], self.values[b, s]) for s in both}
        return {s: 0.0 if x == y else self.sign * (x - y) for s, (x, y) in pairs.items()}

    def scored(self, apart):
        """Return what is tested: differences, or their signed ranks."""
        if self.metric.startswith("f1"):
            return apart
        used = {s: value for s, value in apart.items() if value}
        ranks = stats.rankdata([abs(value) for value in used.values()])
        return {s: rank * np.sign(value) for (s, value), rank in zip(used.items(), ranks, strict=True)}

    def total_of(self, apart):
        return sum(self.scored(apart).values())

    def p(self, apart, shift=0.0):
        sums = {}
        for s, value in self.scored({s: value - shift for s, value in apart.items()}).items():
            sums[self.groups[s]] = sums.get(self.groups[s], 0.0) + value
        sizes = np.array([value for value in sums.values() if value])
        if not sizes.size:
            return 1.0
        signs = np.array(list(product([1, -1], repeat=sizes.size)))
        return float((np.abs(signs @ sizes) >= abs(sizes.sum()) - 1e-9).mean())

    def verdict(self, one, other):
        return {one: "better", other: "worse"}.get(self.better.get(frozenset((one, other))), "not shown")


def names_in(text, study, subject):
    """Return the methods of a list, and how many others there are."""
    others = re.search(r"(\d+) others", text)
    if "all" in text.split():
        assert int(others[1]) == len(study.ranked) - 1
        return set(study.ranked) - {subject}, 0
    return set(re.findall(r'"(.+?)"', text)), int(others[1]) if others else 0


def check_list(text, study, subject, verdict):
    wanted = {m for m in study.ranked if m != subject and study.verdict(subject, m) == verdict}
    named, more = names_in(text, study, subject)
    assert named <= wanted and len(named) + more == len(wanted)
    return wanted


def check_how(text, study, groups):
    tests = "sign-flip" if study.metric.startswith("f1") else "signed-rank"
    number = len(study.pairs)
    tests += " test" if number == 1 else f" tests with Holm over {number} pairs"
    many = f"{len(study.series)}" + ("" if len(study.series) == study.total else f" of {study.total}") + " series"
    count = len({study.groups[s] for s in study.series})
    units = f"in {count} group{'s' if count != 1 else ''}" if groups else "taken as independent"
    assert text == f"5 % level, {tests}, {many} {units}"


def check_shown(text, study, groups):
    subject = study.order[0]
    least = next(n for n in range(1, 99) if len(study.pairs) * 2.0 ** (1 - n) <= 0.05)
    most = max(study.units.values())
    found = re.fullmatch(
        r"no difference can be shown at the 5 % level: (\d+) pairs? needs? (\d+) (\w+), and there are (\d+)", text
    )
    assert bool(found) == (most < least)
    if found:
        assert found.groups() == (str(len(study.pairs)), str(least), "groups" if groups else "series", str(most))
        assert not study.better
        return
    says, how = re.fullmatch(r"(.*?)(?: \(|; )(5 % level.*)\)", text).groups()
    check_how(how, study, groups)
    if says.startswith("no difference"):
        assert not study.better
        assert re.fullmatch(rf'no difference between (the {len(study.ranked)} methods|"m\d" and "m\d") is shown', says)
        return
    found = re.fullmatch(r"(\d+) of the (\d+) pairs of methods differ", says)
    own = [study.verdict(subject, m) for m in study.order[1:]]
    if found:
        assert found.groups() == (str(len(study.better)), str(len(study.pairs))) and set(own) == {"not shown"}
        return
    parts = re.findall(
        r'(better|worse) than ((?:"m\d"|all \d+ others|\d+ others|, | and )+?)(?= \(mean| and worse|$)', says
    )
    assert says.startswith(f'"{subject}" is ') and {verdict for verdict, _ in parts} == set(own) - {"not shown"}
    for verdict, listed in parts:
        wanted = check_list(listed, study, subject, verdict)
        if study.metric.startswith("f1"):
            sizes = sorted(abs(mean(study.differences(subject, m).values())) for m in wanted)
            ends = [f"{x:.3f}" for x in (sizes[0], sizes[-1])]
            assert f"{listed} (mean difference {' to '.join(dict.fromkeys(ends))}" in says


def check_dependence(text, rows, groups, study):
    for words in re.findall(r"how rows without a score count \((.*)\)", text):
        for change in words.split("; "):
            common = re.match(r"on the (\d+) common series, ", change)
            rule = "common" if common else "gaps"
            assert common or change.startswith("if rows without a score count as failures, ")
            other = Study(rows, groups, study.metric, rule)
            assert not common or int(common[1]) == len(other.series)
            first = re.search(r'"(m\d)" is first', change)
            assert bool(first) == (other.place.get(study.order[0], 2) > 1)
            assert not first or other.place[first[1]] == 1
            turned = re.search(r"the verdict on (\d+) of (\d+) pairs? change", change)
            wanted = sum(
                study.better.get(frozenset(pair)) != other.better.get(frozenset(pair))
                or not set(pair) <= set(other.ranked)
                for pair in study.pairs
            )
            assert (int(turned[1]), int(turned[2])) == (wanted, len(study.pairs)) if turned else wanted == 0
    for one, other in re.findall(r'"(m\d)" has a better place than "(m\d)" and is worse', text):
        assert study.verdict(one, other) == "worse"
        assert study.order.index(one) < study.order.index(other)
    rest = re.sub(r'how rows without a score count \(.*\)|the series, since "m\d" has .*? series of both', "", text)
    assert re.fullmatch(r"This depends on (?: and )?\.", rest), text
    assert text.strip() != "This depends on ."


def check_not_shown(text, study):
    subject = study.order[0]
    says, _, about = text.removesuffix(".").partition("; the interval")
    if says == "This does not show that the methods are equal":
        assert not study.better
    else:
        found = re.fullmatch(r'"(m\d)" is not shown to differ from (.*)', says)
        assert found[1] == subject
        check_list(found[2], study, subject, "not shown")
    open_pairs = [m for m in study.order[1:] if study.verdict(subject, m) == "not shown"]
    excluded = {
        m for m in open_pairs if study.metric.startswith("f1") and study.p(study.differences(subject, m)) <= 0.05
    }
    named, more = names_in(about, study, subject) if about else (set(), 0)
    assert named <= excluded and len(named) + more == len(excluded)
    numbers = re.search(r"\((\S+), 95 % from (\S+) to (\S+)\)", about)
    if numbers:
        (other,) = named
        apart = study.differences(subject, other)
        assert float(numbers[1]) == pytest.approx(mean(apart.values()), abs=6e-4)
        low, high = float(numbers[2]), float(numbers[3])
        assert study.p(apart, low - 6e-4) <= 0.05 >= study.p(apart, high + 6e-4)
        assert study.p(apart, low + 6e-4) > 0.05 < study.p(apart, high - 6e-4)


def check(rows, groups, metric):
    """Read back all sentences about a study; return the kinds of sentences of the conclusion."""
    board, study = board_of(rows, groups, metric), Study(rows, groups, metric)
    found = board.differences()
    assert board.methods == study.order and board.places == study.place
    assert {frozenset(p[:2]): p.verdict for p in found.pairs} == {
        frozenset(pair): study.verdict(*pair) for pair in study.pairs
    }
    alike = {m for m in study.order[1:] if study.verdict(study.order[0], m) == "not shown"} if study.order else set()
    marks = marks_of(board, 3)
    if marks.tests and metric.startswith("f1"):
        assert marks.underlined == alike
    for line in board.notes:
        place = re.fullmatch(r"(m\d): .*?(\d+)\w\w of (\d+) on the (\d+) common series\.", line)
        if place and "; " not in line:
            other = Study(rows, groups, metric, "common")
            wanted = (other.place[place[1]], len(other.ranked), len(other.series))
            assert tuple(map(int, place.groups()[1:])) == wanted
    said = [re.sub("[\u2068\u2069]", "", text) for text in findings({metric: board}, found, {}, {})]
    for method, count, run in re.findall(r"(m\d) failed on (\d+) of (\d+) series", " ".join(said)):
        assert (study.failed[method], study.run[method]) == (int(count), int(run))
    top = re.match(r"(m\d) has the highest mean F1 at margin 5 of (\d+) methods: (\S+) on (\d+) series", said[0])
    if top:
        value = mean(study.values[top[1], s] for s in study.series)
        assert (top[1], int(top[2]), int(top[4])) == (study.order[0], len(study.ranked), len(study.series))
        assert float(top[3]) == pytest.approx(value, abs=6e-4)
    if not study.pairs:
        assert found.conclusion.startswith("There is nothing to compare: ")
        return {"nothing"}
    sentences = re.findall(r"(?:By |This |\").*?\.(?= (?:By|This|\"m\d\" is)|$)", found.conclusion)
    assert " ".join(sentences) == found.conclusion and 1 <= len(sentences) <= 3
    kinds = set()
    for k, text in enumerate(sentences):
        if k == 0:
            check_shown(text.removeprefix(f"By {metric}, ").removesuffix("."), study, groups)
            kinds.add(next(kind for kind in KINDS if kind in text))
        elif text.startswith("This depends on"):
            check_dependence(text, rows, groups, study)
            kinds.add("depends")
        else:
            check_not_shown(text, study)
            kinds.add("not shown" + ("; interval" if "interval" in text else ""))
    return kinds


def read(studies):
    return set().union(*(check(*drawn(np.random.default_rng([29, seed]))) for seed in range(studies)))


def test_every_sentence_is_true():
    assert {*KINDS[:3], "depends", "not shown", "not shown; interval"} <= read(STUDIES)


@pytest.mark.parametrize("wrong", ["better", "others", "pairs", "group"])
def test_a_false_sentence_is_found(wrong, monkeypatch):
    """The reader is no use if it reads over faults."""
    from segscore.boards import conclusions

    original = conclusions._shown
    swap = {"better": ("is better than", "is worse than"), "others": ("mean difference 0", "mean difference 1")}
    swap |= {"pairs": ("with Holm over ", "with Holm over 1"), "group": ("taken as independent", "in 3 groups")}
    monkeypatch.setattr(conclusions, "_shown", lambda *given: original(*given).replace(*swap[wrong]))
    with pytest.raises(AssertionError):
        read(60)
