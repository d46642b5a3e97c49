"""The slow, obvious definitions that the core must equal. Never imported by the package.

Each takes interior cuts of the truth and of the prediction, and n, and answers in integers or Fractions.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb, fsum, inf, log, nan


def segmentations(n):
    """All 2**(n-1) segmentations of n points, as tuples of cuts."""
    gaps = range(1, n)
    return [cuts for r in range(max(n, 1)) for cuts in combinations(gaps, r)]


def labels(cuts, n):
    return [sum(c <= x for c in cuts) for x in range(n)]


def segments(cuts, n):
    ends = [0, *cuts, n]
    return list(pairwise(ends)) if n else []


# ---- the Rand Index, in each form that the paper states ----


def rand_by_definition(truth, pred, n):
    """Equation 1: N00 and N11 counted over all pairs i < j."""
    a, b = labels(truth, n), labels(pred, n)
    n11 = sum(a[i] == a[j] and b[i] == b[j] for i in range(n) for j in range(i + 1, n))
    n00 = sum(a[i] != a[j] and b[i] != b[j] for i in range(n) for j in range(i + 1, n))
    return Fraction(n00 + n11, comb(n, 2))


def rand_by_contingency_table(truth, pred, n):
    """Equation 2: row sums, column sums and cells of the table of overlaps, squared."""
    a, b = labels(truth, n), labels(pred, n)
    table = [[0] * (len(pred) + 1) for _ in range(len(truth) + 1)]
    for x in range(n):
        table[a[x]][b[x]] += 1
    rows = sum(sum(row) ** 2 for row in table)
    columns = sum(sum(column) ** 2 for column in zip(*table, strict=True))
    cells = sum(cell**2 for row in table for cell in row)
    return 1 - (Fraction(rows + columns, 2) - cells) / comb(n, 2)


def rand_by_theorem(truth, pred, n):
    """Theorem 3.1: the double sum of n_ij |c_{i+1} - c*_{j+1}|."""
    c, d = [0, *truth, n], [0, *pred, n]
    total = 0
    for i in range(len(c) - 1):
        for j in range(len(d) - 1):
            n_ij = max(0, min(c[i + 1], d[j + 1]) - max(c[i], d[j]))
            total += n_ij * abs(c[i + 1] - d[j + 1])
    return 1 - Fraction(total, comb(n, 2))


def rand_by_right_assignment(truth, pred, n):
    """Equation 5: the L1 distance of the vectors that map a point to the end of its segment."""

    def right(cuts):
        return [min(c for c in (*cuts, n) if c >= x) for x in range(1, n + 1)]

    distance = sum(abs(a - b) for a, b in zip(right(truth), right(pred), strict=True))
    return 1 - Fraction(distance, comb(n, 2))


def algorithm_1(truth, pred, n):
    """Algorithm 1 as printed; returns the Rand Index and the number of inner iterations."""
    c1, c2 = [0, *truth, n], [0, *pred, n]
    r = len(c1) - 1
    s = len(c2) - 1
    d = 0
    b = 0
    iterations = 0
    for i in range(0, r):
        for j in range(b, s):
            iterations += 1
            m = min(c1[i + 1], c2[j + 1]) - max(c1[i], c2[j])
            m = max(0, m)
            d = d + m * abs(c1[i + 1] - c2[j + 1])
            if c1[i + 1] < c2[j + 1]:
                break
            b = j + 1
    points = c1[r]
    return 1 - Fraction(d, comb(points, 2)), iterations


# ---- the pair family ----


def pair_counts(truth, pred, n):
    """(both, truth_only, pred_only, neither), pair by pair."""
    a, b = labels(truth, n), labels(pred, n)
    counts = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    for i in range(n):
        for j in range(i + 1, n):
            counts[a[i] == a[j], b[i] == b[j]] += 1
    return tuple(counts.values())


def pair_counts_by_squares(truth, pred, n):
    """The same from segment lengths, for n of any size."""

    def together(cuts):
        return sum(comb(end - start, 2) for start, end in segments(cuts, n))

    both = together(sorted({*truth, *pred}))
    p, q = together(truth), together(pred)
    return both, p - both, q - both, comb(n, 2) - p - q + both


def rand_index(both, truth_only, pred_only, neither):
    total = both + truth_only + pred_only + neither
    return Fraction(both + neither, total) if total else Fraction(1)


def rand_distance(both, truth_only, pred_only, neither):
    total = both + truth_only + pred_only + neither
    return Fraction(truth_only + pred_only, total) if total else Fraction(0)


def mirkin_distance(both, truth_only, pred_only, neither):
    return 2 * (truth_only + pred_only)


def pair_precision(both, truth_only, pred_only, neither):
    if both + pred_only == 0:
        return Fraction(truth_only == 0)
    return Fraction(both, both + pred_only)


def pair_recall(both, truth_only, pred_only, neither):
    return pair_precision(both, pred_only, truth_only, neither)


def pair_f1(both, truth_only, pred_only, neither):
    whole = 2 * both + truth_only + pred_only
    return Fraction(2 * both, whole) if whole else Fraction(1)


def adapted_rand_error(both, truth_only, pred_only, neither):
    return 1 - pair_f1(both, truth_only, pred_only, neither)


def blanc(both, truth_only, pred_only, neither):
    """The mean of the F1 of each kind of pair, together and apart, that at least one side has."""
    wrong = truth_only + pred_only
    kinds = [Fraction(2 * right, 2 * right + wrong) for right in (both, neither) if right + wrong]
    return sum(kinds) / len(kinds) if kinds else Fraction(1)


def jaccard_index(both, truth_only, pred_only, neither):
    either = both + truth_only + pred_only
    return Fraction(both, either) if either else Fraction(1)


def fowlkes_mallows_index_squared(both, truth_only, pred_only, neither):
    if both == 0:
        return Fraction(truth_only + pred_only == 0)
    return Fraction(both**2, (both + truth_only) * (both + pred_only))


def adjusted_rand_index(both, truth_only, pred_only, neither):
    if truth_only + pred_only == 0:
        return Fraction(1)
    total = both + truth_only + pred_only + neither
    expected = Fraction((both + truth_only) * (both + pred_only), total)
    return (both - expected) / (Fraction(2 * both + truth_only + pred_only, 2) - expected)


def modified_adjusted_rand_index(truth, pred, n):
    """By its definition: pairs {i, j} and {k, l} of four distinct points, the one together in the truth, the other in
    the prediction, out of all such."""
    if n < 4:
        return nan
    a, b = labels(truth, n), labels(pred, n)
    hits = total = 0
    for i, j in combinations(range(n), 2):
        for k, m in combinations(range(n), 2):
            if {i, j} & {k, m}:
                continue
            total += 1
            hits += a[i] == a[j] and b[k] == b[m]
    both, truth_only, pred_only, _ = pair_counts(truth, pred, n)
    expected = Fraction(hits, total) * comb(n, 2)
    largest = Fraction(2 * both + truth_only + pred_only, 2)
    if largest == expected:
        return Fraction(1) if both else nan
    return (both - expected) / (largest - expected)


def modified_adjusted_rand_index_by_sums(truth, pred, n):
    """The same from the closed form, for n of any size."""
    if n < 4:
        return nan
    both, truth_only, pred_only, _ = pair_counts_by_squares(truth, pred, n)
    p, q = both + truth_only, both + pred_only
    triples = squares = 0
    for start, end in segments(sorted({*truth, *pred}), n):
        a = next(e - s for s, e in segments(truth, n) if s <= start < e)
        b = next(e - s for s, e in segments(pred, n) if s <= start < e)
        triples += (end - start) * a * b
        squares += (end - start) ** 2
    tau = 2 * n + triples - squares
    tau -= sum((e - s) ** 2 for s, e in segments(truth, n)) + sum((e - s) ** 2 for s, e in segments(pred, n))
    expected = Fraction(comb(n, 2) * (p * q - both - tau), 6 * comb(n, 4))
    largest = Fraction(p + q, 2)
    if largest == expected:
        return Fraction(1) if both else nan
    return (both - expected) / (largest - expected)


def rand_distance_in_time(truth, pred, duration):
    """The chance that two uniform moments are treated differently, by the squares of the lengths."""
    duration = Fraction(duration)
    truth, pred = [Fraction(c) for c in truth], [Fraction(c) for c in pred]

    def squares(cuts):
        return sum((end - start) ** 2 for start, end in segments(cuts, duration))

    return (squares(truth) + squares(pred) - 2 * squares(sorted({*truth, *pred}))) / duration**2


def pair_areas(truth, pred, duration):
    """(both, truth_only, pred_only, neither) for pairs of moments, exactly."""
    duration = Fraction(duration)
    truth, pred = [Fraction(c) for c in truth], [Fraction(c) for c in pred]

    def together(cuts):
        return sum((end - start) ** 2 for start, end in segments(cuts, duration)) / 2

    both, p, q = together(sorted({*truth, *pred})), together(truth), together(pred)
    return both, p - both, q - both, duration**2 / 2 - p - q + both


# ---- information ----


def overlaps(truth, pred, n):
    """All (truth segment, pred segment, points in common) that are not empty."""
    return [
        (a, b, min(a[1], b[1]) - max(a[0], b[0]))
        for a in segments(truth, n)
        for b in segments(pred, n)
        if min(a[1], b[1]) > max(a[0], b[0])
    ]


def entropy(cuts, n):
    return -fsum((e - s) / n * log((e - s) / n) for s, e in segments(cuts, n)) if cuts else 0.0


def mutual_information(truth, pred, n):
    return fsum(c / n * log(c * n / ((a[1] - a[0]) * (b[1] - b[0]))) for a, b, c in overlaps(truth, pred, n))


def entropy_by_decimals(sizes, digits=40):
    """The entropy of parts of these sizes, with many digits."""
    with localcontext() as context:
        context.prec = digits
        n = sum(sizes)
        return sum((Decimal(x) / n * (Decimal(n) / x).ln() for x in sizes), Decimal(0))


def information_by_decimals(truth, truth_labels, pred, pred_labels, n, digits=40):
    """(mutual information, its share of the mean entropy, homogeneity, completeness, V-measure), with many digits."""
    table = Counter()
    for start, end in segments(sorted({*truth, *pred}), n):
        table[truth_labels[bisect(truth, start)], pred_labels[bisect(pred, start)]] += end - start
    sums = Counter(), Counter()
    for labels, size in table.items():
        for side, label in zip(sums, labels, strict=True):
            side[label] += size
    with localcontext() as context:
        context.prec = digits
        a, b, joint = (entropy_by_decimals(list(sizes.values()), digits) for sizes in (*sums, table))
        mutual = a + b - joint
        homogeneity, completeness = (mutual / of_side if of_side else Decimal(1) for of_side in (a, b))
        normalized = 2 * mutual / (a + b) if a + b else Decimal(1)
        both = homogeneity + completeness
        v_measure = 2 * homogeneity * completeness / both if both else Decimal(0)
        return mutual, normalized, homogeneity, completeness, v_measure


def expected_mutual_information(truth, pred, n):
    """The mean over all shuffles of the points, by the hypergeometric chances, exactly weighted."""
    total = 0.0
    for x in (e - s for s, e in segments(truth, n)):
        for y in (e - s for s, e in segments(pred, n)):
            for k in range(max(1, x + y - n), min(x, y) + 1):
                chance = Fraction(comb(y, k) * comb(n - y, x - k), comb(n, x))
                total += float(chance) * k / n * log(k * n / (x * y))
    return total


# ---- overlap ----


def covering(truth, pred, n):
    def iou(a, b):
        a, b = set(range(*a)), set(range(*b))
        return Fraction(len(a & b), len(a | b))

    best = [(e - s) * max(iou((s, e), b) for b in segments(pred, n)) for s, e in segments(truth, n)]
    return Fraction(sum(best), n) if n else Fraction(1)


def mean_iou(truth, pred, n):
    best = [
        max(Fraction(c, (a[1] - a[0]) + (b[1] - b[0]) - c) for a, b, c in overlaps(truth, pred, n) if a == segment)
        for segment in segments(truth, n)
    ]
    return sum(best) / len(best) if n else Fraction(1)


def coverage(truth, pred, n):
    best = [max(c for a, _, c in overlaps(truth, pred, n) if a == segment) for segment in segments(truth, n)]
    return Fraction(sum(best), n) if n else Fraction(1)


def b_cubed_precision(truth, pred, n):
    """Point by point: of the points in its predicted segment, how many are in its true one."""
    a, b = labels(truth, n), labels(pred, n)
    shares = [Fraction(sum(a[y] == a[x] for y in range(n) if b[y] == b[x]), b.count(b[x])) for x in range(n)]
    return sum(shares) / n if n else Fraction(1)


# ---- boundaries ----


def matching(truth, pred, margin):
    """(most pairs, least total error of so many), over all one-to-one matchings within the margin."""
    if not truth or not pred:
        return 0, 0
    first, rest = truth[0], truth[1:]
    options = [matching(rest, pred, margin)]
    for p in pred:
        if abs(first - p) <= margin:
            count, error = matching(rest, [q for q in pred if q != p], margin)
            options.append((count + 1, error + abs(first - p)))
    return min(options, key=lambda option: (-option[0], option[1]))


def closest_matching(truth, pred, margin):
    """The same for many cuts, by a table over all prefixes: some closest matching does not cross."""
    best = {(i, j): (0, 0) for i in range(len(truth) + 1) for j in range(len(pred) + 1) if i * j == 0}
    for i, t in enumerate(truth):
        for j, p in enumerate(pred):
            options = [best[i, j + 1], best[i + 1, j]]
            if abs(t - p) <= margin:
                options.append((best[i, j][0] - 1, best[i, j][1] + abs(t - p)))
            best[i + 1, j + 1] = min(options)
    count, error = best[len(truth), len(pred)]
    return -count, error


def closest_matchings(truth, pred, margin):
    """All maximum matchings within the margin that do not cross and have the least total error, as tuples of pairs."""
    count, error = matching(list(truth), list(pred), margin)
    sides = product(combinations(truth, count), combinations(pred, count))
    distances = {tuple(zip(t, p, strict=True)): [abs(x - y) for x, y in zip(t, p, strict=True)] for t, p in sides}
    return [pairs for pairs, apart in distances.items() if max(apart, default=0) <= margin and sum(apart) == error]


def f1_area(truth, pred, margin):
    """The mean of F1 over all real margins from 0 to `margin`: between two whole numbers F1 does not change."""
    if not truth and not pred:
        return 1
    counts = [matching(list(truth), list(pred), m)[0] for m in range(max(1, margin))]
    return Fraction(2 * sum(counts), len(counts) * (len(truth) + len(pred)))


def expected_f1(truth, cuts, n, margin):
    """The mean of F1 over all predictions with a number of cuts."""
    if not truth and not cuts:
        return Fraction(1)
    counts = [closest_matching(truth, pred, margin)[0] for pred in combinations(range(1, n), cuts)]
    return Fraction(2 * sum(counts), len(counts) * (len(truth) + cuts))


def nearest(cuts, others):
    return [min(abs(c - o) for o in others) for c in cuts]


# ---- windows ----


def window_counts(truth, pred, n, k):
    """For each window of k gaps, how many cuts each side has in it."""
    return [tuple(sum(x <= c < x + k for c in cuts) for cuts in (truth, pred)) for x in range(1, n - k + 1)]


def window_stretches(truth, pred, duration, k, lamprier=False):
    """In time: (length, true cuts, predicted cuts) of stretches of starts x in which the cuts in (x, x + k] are the same.

    Between two of the places where a cut enters or leaves, the middle stands for all. Exact in Fractions.
    """
    duration, k = Fraction(duration), Fraction(k)
    sides = [[Fraction(c) for c in cuts] for cuts in (truth, pred)]
    low, high = (-k, duration) if lamprier else (Fraction(0), duration - k)
    places = {low, high, *(x for cuts in sides for c in cuts for x in (c - k, c) if low < x < high)}
    return [
        (end - start, *(sum(x < c <= x + k for c in cuts) for cuts in sides))
        for start, end in pairwise(sorted(places))
        for x in [(start + end) / 2]
    ]


# ---- edits ----


def boundary_edits(truth, pred, n_t):
    """(matched, moves, left over): Fournier's greedy moves, offset by offset, from the left."""
    a, b = set(truth) - set(pred), set(pred) - set(truth)
    moves = []
    for offset in range(1, n_t):
        for i in sorted(a | b):
            if i in a and i + offset in b:
                moves.append((i, i + offset))
                a.discard(i)
                b.discard(i + offset)
            elif i in b and i + offset in a:
                moves.append((i + offset, i))
                b.discard(i)
                a.discard(i + offset)
    return sorted(set(truth) & set(pred)), moves, sorted(a), sorted(b)


def generalized_hamming(truth, pred, insertion, deletion, shift):
    """The whole programme, over all pairs."""
    table = {(0, 0): 0.0}
    for i in range(len(truth) + 1):
        for j in range(len(pred) + 1):
            options = []
            if i:
                options.append(table[i - 1, j] + insertion)
            if j:
                options.append(table[i, j - 1] + deletion)
            if i and j:
                options.append(table[i - 1, j - 1] + shift * abs(truth[i - 1] - pred[j - 1]))
            table[i, j] = min(options, default=0.0)
    return table[len(truth), len(pred)]


KINDS_OF_REGIONS = {
    "0changes": (0, 0),
    "1change": (1, 1),
    ">0changes": (1, inf),
    "normal": (0, 0),
    "breakpoint": (1, inf),
    "0breakpoints": (0, 0),
    "1breakpoint": (1, 1),
    ">0breakpoints": (1, inf),
}


def region_errors(regions, cuts):
    """(false positives, false negatives) by counting the cuts of each region."""
    numbers = [(sum(a < cut <= b for cut in cuts), *KINDS_OF_REGIONS[kind]) for a, b, kind in regions]
    return sum(count > most for count, _, most in numbers), sum(count < least for count, least, _ in numbers)
