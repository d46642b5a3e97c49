"""Ctrl-C ends whatever takes long, at once, in whichever thread it runs.

The works of a group run one after the other in one process, and each is interrupted twice. Each work would take much
longer than is waited for.
"""

import json
import signal
import subprocess
import sys
import time

import pytest

SETUP = """
import os, signal, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs start without
import numpy as np, polars as pl
import segscore as ss

n = 10**12
rng = np.random.default_rng(0)
cuts = [np.sort(rng.integers(1, n, 300)).tolist() for _ in range(32)]
table = pl.DataFrame({"truth": cuts[:16], "pred": cuts[16:], "n": [n] * 16})
long = ["adjusted_mutual_information"]
"""

# Each work is repeated until it is interrupted, and says how much processor time the process had used then.
WATCH = """
import json, sys
for name, setup, work in json.load(sys.stdin):
    exec(setup)
    code = compile(work, name, "exec")
    for _ in range(moments):
        print("started", flush=True)
        try:
            try:
                while True:
                    exec(code)
            except BaseException:
                time.sleep(0)  # Polars raises KeyboardInterrupt, and leaves Python's own to be raised here
                raise
        except KeyboardInterrupt:
            pass
        print(cpu_time(), flush=True)  # also what was made so far is freed
"""

MOMENTS = (0.03, 0.2)  # of Ctrl-C, in seconds of processor time after the start of the work
# In seconds of processor time; less than 0.2 s on a quiet machine, mostly 0.01 to 0.1 s. A busy one may stumble once.
LIMIT, LIMIT_OF_WORST = 0.4, 1.0

WORK = {
    "one score": "ss.adjusted_mutual_information(cuts[0], cuts[1], n=n)",
    "compare": "ss.compare(cuts[0], cuts[1], n=n, metrics=long)",
    "a table": "ss.score(table, metrics=long)",
    "a table, one thread": "ss.score(table, metrics=long, threads=1)",
    "a lazy table": "ss.score(table.lazy(), metrics=long).collect()",
    "a lazy table, streamed": "ss.score(table.lazy(), metrics=long).collect(engine='streaming')",
    "pairwise": "ss.pairwise(cuts, n=n, metric=long[0])",
    "pairwise, one thread": "ss.pairwise(cuts, n=n, metric=long[0], threads=1)",
    "cross": "ss.cross(cuts[:2], cuts[2:], n=n, metric=long[0])",
    "rand_test": "ss.rand_test(cuts[0], cuts[1], n=n, metric='rand_index', draws=10**9)",
    "rand_test, long": "ss.rand_test(cuts[0], cuts[1], n=n, metric=long[0], draws=10)",
    "many small rows": "ss.pairwise(cuts * 40, n=n)",
    "one row of many": "ss.cross(cuts[:1], cuts * 10**5, n=n, metric='covering')",
    "an iterator": "ss.rand_index(iter(range(1, 10**12)), iter(range(1, 10**12)), n=n)",
    "neighbours": "ss.nearest([[k] for k in range(1, 10**6)], [[n - k] for k in range(1, 10**6)], n=n)",
}

# Work on input that is made first: (input, work). Imports of other libraries are over then.
LARGE = {
    "a pandas table": ("frame = table.to_pandas()", "ss.score(frame, metrics=long)"),
    "an Arrow table": ("arrow = table.to_arrow()", "ss.score(arrow, metrics=long)"),
    "entropies": ("many = np.arange(1, 10**7) * 3; others = many + 1", "ss.entropies(many, others, n=n)"),
    "a pairing of many": (
        "many = np.arange(1, 10**7) * 3; others = many + 1",
        "ss.generalized_hamming(many, others, n=n)",
    ),
    "explain": (
        "a, b = (np.cumsum(rng.integers(1, 6, 2 * 10**6)) for _ in range(2))",
        "ss.explain(a, b, n=n), ss.explain(a[:10**5], b[:10**5], n=n).rows()",
    ),
    "consensus": (
        "several = [ss.Segmentation(np.cumsum(rng.integers(1, 6, 1000)), n=6000) for _ in range(2000)]",
        "ss.consensus(several)",
    ),
    "labels of points": ("labels = np.repeat(np.arange(10**7), 3)", "ss.Segmentation.from_labels(labels)"),
    "labels as objects": ("labels = [[1], [2]] * 3 * 10**6", "ss.Segmentation.from_labels(labels)"),
    "recurring labels": (
        "labels = np.repeat(np.arange(10**6), 10)",
        "ss.Segmentation.from_labels(labels, keep=True)",
    ),
    "lengths": ("lengths = np.full(2 * 10**7, 2)", "ss.Segmentation.from_lengths(lengths)"),
    "a mask": ("mask = np.arange(2 * 10**7) % 3 == 0", "ss.Segmentation.from_mask(mask)"),
    "intervals": (
        "ends = np.arange(1, 10**7); intervals = np.stack([ends - 1, ends], axis=1)",
        "ss.Segmentation.from_intervals(intervals)",
    ),
    "conversions": (
        "many = ss.Segmentation(np.arange(1, 10**7) * 9, n=9 * 10**7)",
        "many.to_labels(), many.to_mask(), many.to_lengths(), many.to_intervals()",
    ),
    "segments": ("many = ss.Segmentation(np.arange(1, 10**6), n=n)", "many.segments, many.lengths, many.cuts"),
    "scores of labels": (
        "a, b = (ss.Segmentation(np.arange(1, 3 * 10**5), rng.integers(0, 3 * 10**5, 3 * 10**5), n=n) for _ in range(2))",
        "ss.compare(a, b)",
    ),
    "scores of labels in time": (
        "a, b = (ss.Segmentation(np.arange(1, 3 * 10**5), rng.integers(0, 3 * 10**5, 3 * 10**5), duration=n) for _ in range(2))",
        "ss.compare(a, b)",
    ),
    "timestamps": (
        "times = (np.arange(1, 10**7) * 1000).astype('datetime64[ns]'); ends = np.datetime64(0, 's'), np.datetime64(60, 's')",
        "ss.Segmentation.from_timestamps(times, *ends).to_timestamps()",
    ),
    "nearest of long ones": (
        "several = [ss.Segmentation(np.arange(k, 10**7) * 3, n=4 * 10**7) for k in (1, 2)]",
        "ss.nearest(several, several[:1])",
    ),
    "pairwise of long ones": (
        "several = [ss.Segmentation(np.arange(k, 10**7) * 3, n=4 * 10**7) for k in (1, 2, 3)]",
        "ss.pairwise(several)",
    ),
    "a dense draw": (
        "many = ss.Segmentation(np.arange(1, 10**7) * 3, n=3 * 10**7)",
        "ss.simulate.segmentations(2, many)",
    ),
    "a sparse draw": (
        "many = ss.Segmentation(np.arange(1, 10**7) * 16, n=16 * 10**7)",
        "ss.rand_test(many, many, draws=2)",
    ),
    "a draw of lengths": (
        "many = ss.Segmentation(np.arange(1, 10**7) * 16, n=16 * 10**7)",
        "ss.simulate.segmentations(2, many, null='shuffle')",
    ),
    "expected scores": (
        "many = ss.Segmentation(np.arange(1, 10**7) * 16, n=16 * 10**7)",
        "ss.expected_rand_index(many, 100), ss.expected_rand_index(many, 100, null='bernoulli')",
    ),
    "a signal": ("", "ss.simulate.signal('blocks', scale=20_000)"),
    "match": (
        "many = np.arange(1, 5 * 10**5) * 9; others = many + 1",
        "ss.match(many, others, n=n, margin=2)",
    ),
    "a curve over all margins": (
        "many = np.arange(1, 10**5); others = many + 10**5",
        "ss.f1_curve(many, others, n=n)",
    ),
    "a curve over all thresholds": (
        "a, b = (np.cumsum(rng.integers(1, 6, 10**6)) for _ in range(2)); sure = rng.random(b.size)",
        "ss.average_precision(a, b, confidence=sure, n=n, margin=3)",
    ),
    "a soft walk": (
        "many = np.arange(1, 3 * 10**6); soft = ss.SoftSegmentation(many, np.full(many.size, 0.5), n=n)",
        "ss.soft_rand_index(many, soft)",
    ),
    "a soft decoding": ("soft = ss.SoftSegmentation.from_probabilities(np.full(10**5, 1e-9))", "ss.soft_decode(soft)"),
    "a soft loss": ("logits = np.zeros(10**7)", "ss.soft_rand_loss(logits, logits=logits)"),
    "edits": (
        "a, b = (np.cumsum(rng.integers(1, 60, 2 * 10**6)) for _ in range(2))",
        "ss.boundary_similarity(a, b, n=n, n_t=9)",
    ),
    "one large text": (
        "many = str(list(range(1, 10**6)))\nlarge = pl.DataFrame({'truth': [many], 'pred': [many], 'n': [n]})",
        "ss.score(large, metrics=['rand_index'])",
    ),
    "one large row": (
        "many = pl.Series(np.arange(1, 2 * 10**7, dtype=np.int32)).implode()\n"
        "large = pl.DataFrame({'truth': many, 'pred': many, 'n': [n]})",
        "ss.score(large, metrics=['rand_index'])",
    ),
    "a leaderboard": (
        "scores = pl.DataFrame({'method': np.repeat(np.arange(300), 1000), 'series': np.tile(np.arange(1000), 300),"
        " 'f1': rng.random(300_000)}).cast({'method': str, 'series': str})",
        "ss.leaderboard(scores, 'f1')",
    ),
    "annotators": (
        "several = [ss.Segmentation(np.cumsum(rng.integers(1, 6, 10**6)), n=10**7) for _ in range(3)]",
        "ss.annotated(several, several[0], margin=3), ss.agreement(several)",
    ),
}


def cpu_time(process):
    """Processor time that a process has used: load of the machine does not count."""
    if sys.platform != "linux":
        return time.monotonic()
    return time.clock_gettime((~process << 3) | 2)  # the clock that clock_getcpuclockid(3) gives


def interrupted(works):
    """Yield each name with the processor times from each Ctrl-C to the end of the work that it interrupts."""
    clock = "time.process_time" if sys.platform == "linux" else "time.monotonic"
    script = f"{SETUP}\nmoments, cpu_time = {len(MOMENTS)}, {clock}\n{WATCH}"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", script], **pipes) as process:
        try:
            process.stdin.write(json.dumps(works))
            process.stdin.close()
            for name, _, _ in works:
                seconds = []
                for moment in MOMENTS:
                    assert process.stdout.readline() == "started\n", name
                    start = cpu_time(process.pid)
                    while cpu_time(process.pid) < start + moment:
                        assert process.poll() is None, f"{name}: the process ended with {process.returncode}"
                        time.sleep(0.002)
                    sent = cpu_time(process.pid)
                    process.send_signal(signal.SIGINT)
                    seconds.append(float(process.stdout.readline()) - sent)
                yield name, seconds
        finally:
            process.kill()


@pytest.mark.parametrize("group", [WORK, LARGE], ids=["work", "work on large input"])
def test_ctrl_c_ends_each_work_and_no_other(group):
    """An interrupt that outlives its work would end the next work before its own Ctrl-C, so in negative time."""
    works = [(name, *(work if isinstance(work, tuple) else ("", work))) for name, work in group.items()]
    seconds = dict(interrupted(works))
    for name, each in seconds.items():
        print(f"{name}: {', '.join(f'{one:.3f}' for one in each)} s")
    assert list(seconds) == list(group)
    late = {name: each for name, each in seconds.items() if min(each) > LIMIT or max(each) > LIMIT_OF_WORST}
    early = {name: each for name, each in seconds.items() if min(each) < 0}
    assert (late, early) == ({}, {})


def test_ctrl_c_ends_the_command_line(tmp_path):
    """The commands run at the same time, each in a folder of its own."""
    outs = ["out.parquet", "out.csv", "out.jsonl", "-"]
    folders = [tmp_path / out for out in outs]
    script = f"{SETUP}\nfor folder in {[str(folder) for folder in folders]}:\n    os.mkdir(folder)\n"
    script += "    table.write_parquet(folder + '/runs.parquet')"
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
    command = "from segscore.cli import main; print('started', flush=True); main(prog_name='segscore')"
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    processes = []
    try:
        for out, folder in zip(outs, folders, strict=True):
            arguments = ["score", "runs.parquet", "-o", out, "--metrics", "adjusted_mutual_information"]
            processes.append(subprocess.Popen([sys.executable, "-c", command, *arguments], cwd=folder, **pipes))
        for out, folder, process in zip(outs, folders, processes, strict=True):
            assert process.stdout.readline() == "started\n"
            start = cpu_time(process.pid)
            while cpu_time(process.pid) < start + 1:
                assert process.poll() is None, process.stderr.read()
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=60)
            assert (out, process.returncode, *said) == (out, 130, "", "segscore: interrupted\n")
            assert [path.name for path in folder.iterdir()] == ["runs.parquet"]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_a_second_ctrl_c_changes_nothing():
    script = """
import os, signal
import click
from segscore.cli import main

def interrupted(*arguments, echo=click.echo, **options):
    os.kill(os.getpid(), signal.SIGINT)
    echo(*arguments, **options)

click.echo = interrupted
main([])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "segscore: interrupted\n")


def test_an_interrupt_is_over_when_it_is_over():
    script = f"""{SETUP}
import contextlib
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
with contextlib.suppress(KeyboardInterrupt):  # of Python itself, after that of Polars
    with contextlib.suppress(KeyboardInterrupt):
        ss.score(table.lazy(), metrics=long).collect()
    time.sleep(0.1)
small = pl.DataFrame({{"truth": [[3, 8]] * 5000, "pred": [[4, 8]] * 5000, "n": [10] * 5000}})
for _ in range(20):
    scored = ss.score(small.lazy(), metrics=["rand_index"]).collect(engine="streaming")
print(scored["rand_index"].n_unique())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout == "1\n", done.stderr[-2000:]


def test_an_interrupt_leaves_the_work_of_other_threads_alone():
    script = f"""{SETUP}
from concurrent.futures import ThreadPoolExecutor
several = [ss.Segmentation(np.arange(k, 10**7) * 3, n=4 * 10**7) for k in (1, 2)]
expected = ss.entropies(*several)
with ThreadPoolExecutor() as pool:
    other = pool.submit(lambda: [ss.entropies(*several) for _ in range(3)])
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        ss.score(table, metrics=long)
    except KeyboardInterrupt:
        print(other.done(), other.result() == [expected] * 3)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout == "False True\n", done.stderr[-2000:]


def test_a_handler_of_ones_own_is_left_alone():
    script = f"""{SETUP}
seen = []
signal.signal(signal.SIGINT, lambda *_: seen.append(1))
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
small = table.with_columns(truth=pl.lit([3, 8]), pred=pl.lit([4, 8]), n=10)
many = pl.concat([small] * 50_000)
while not seen:  # an interrupt that is taken away is never seen
    ss.score(many.lazy(), metrics=["rand_index"]).collect(engine="streaming")
scored = ss.score(many.lazy(), metrics=["rand_index"]).collect(engine="streaming")
print(seen, scored["rand_index"].n_unique())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout == "[1] 1\n", done.stderr[-2000:]


def test_the_handler_is_put_back():
    script = f"""{SETUP}
small = table.with_columns(truth=pl.lit([3, 8]), pred=pl.lit([4, 8]), n=10)
for _ in range(2):
    ss.score(small, metrics=["rand_index"])
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(10)
    except KeyboardInterrupt:
        print("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "interrupted\ninterrupted\n"), done.stderr[-2000:]
