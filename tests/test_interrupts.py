"""Ctrl-C ends whatever takes long, at once, in whichever thread it runs.

The work of each case would take much longer than is waited for. A case runs in a process of its own.
"""

import signal
import subprocess
import sys
import time

import pytest

SETUP = """
import os, signal, threading, time
import numpy as np, polars as pl
import segscore as ss

n = 10**12
rng = np.random.default_rng(0)
cuts = [np.sort(rng.integers(1, n, 300)).tolist() for _ in range(32)]
table = pl.DataFrame({"truth": cuts[:16], "pred": cuts[16:], "n": [n] * 16})
long = ["adjusted_mutual_information"]
"""

WATCH = """
print("started", flush=True)
try:
    try:
        work()
        print("finished")
    except BaseException:
        time.sleep(0)  # Polars raises KeyboardInterrupt, and leaves Python's own to be raised here
        raise
except KeyboardInterrupt:
    print("interrupted")
"""

WORK = {
    "one score": "ss.adjusted_mutual_information(cuts[0], cuts[1], n=n)",
    "compare": "ss.compare(cuts[0], cuts[1], n=n, metrics=long)",
    "a table": "ss.score(table, metrics=long)",
    "a table, one thread": "ss.score(table, metrics=long, threads=1)",
    "a pandas table": "ss.score(table.to_pandas(), metrics=long)",
    "an Arrow table": "ss.score(table.to_arrow(), metrics=long)",
    "a lazy table": "ss.score(table.lazy(), metrics=long).collect()",
    "a lazy table, streamed": "ss.score(table.lazy(), metrics=long).collect(engine='streaming')",
    "pairwise": "ss.pairwise(cuts, n=n, metric=long[0])",
    "pairwise, one thread": "ss.pairwise(cuts, n=n, metric=long[0], threads=1)",
    "cross": "ss.cross(cuts[:2], cuts[2:], n=n, metric=long[0])",
    "rand_test": "ss.rand_test(cuts[0], cuts[1], n=n, metric='rand_index', draws=10**9)",
    "rand_test, long": "ss.rand_test(cuts[0], cuts[1], n=n, metric=long[0], draws=10)",
    "many small rows": "[ss.pairwise(cuts * 40, n=n) for _ in range(10**6)]",
    "one row of many": "ss.cross(cuts[:1], cuts * 10**5, n=n, metric='covering')",
    "entropies": "[ss.entropies(many, many + 1, n=n) for many in [np.arange(1, 10**7) * 3] * 10**6]",
    "a pairing of many": "[ss.generalized_hamming(many, many + 1, n=n) for many in [np.arange(1, 10**7) * 3] * 10**6]",
    "a matching of many": "[ss._core.match(many, many + 1, n, None, 9, None) for many in [np.arange(1, 10**7) * 3] * 10**6]",
    "neighbours": "ss.nearest([[k] for k in range(1, 10**6)], [[n - k] for k in range(1, 10**6)], n=n)",
}


@pytest.mark.parametrize("name", WORK)
def test_ctrl_c_ends_it(name):
    script = f"{SETUP}\ndef work():\n    {WORK[name]}\n{WATCH}"
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "started\n"
            time.sleep(0.7)
            process.send_signal(signal.SIGINT)
            sent = time.monotonic()
            said = process.communicate(timeout=20)[0]
        finally:
            process.kill()
    elapsed = time.monotonic() - sent  # with the end of Python itself
    print(f"{name}: {elapsed:.3f} s")
    assert said == "interrupted\n"
    assert elapsed < 3  # 0.05 to 0.3 s on a quiet machine


@pytest.mark.parametrize("out", ["out.parquet", "out.csv", "out.jsonl", "-"])
def test_ctrl_c_ends_the_command_line(tmp_path, out):
    script = f"{SETUP}\ntable.write_parquet('runs.parquet')"
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True, timeout=60)
    command = "from segscore.cli import main; print('started', flush=True); main(prog_name='segscore')"
    arguments = ["score", "runs.parquet", "-o", out, "--metrics", "adjusted_mutual_information"]
    with subprocess.Popen(
        [sys.executable, "-c", command, *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout.readline() == "started\n"
            time.sleep(2)
            process.send_signal(signal.SIGINT)
            sent = time.monotonic()
            said = process.communicate(timeout=20)
        finally:
            process.kill()
    print(f"segscore score -o {out}: {time.monotonic() - sent:.3f} s")
    assert (process.returncode, *said) == (130, "", "segscore: interrupted\n")
    assert [path.name for path in tmp_path.iterdir()] == ["runs.parquet"]


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


def test_a_handler_of_ones_own_is_left_alone():
    script = f"""{SETUP}
seen = []
signal.signal(signal.SIGINT, lambda *_: seen.append(1))
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
small = table.with_columns(truth=pl.lit([3, 8]), pred=pl.lit([4, 8]), n=10)
many = pl.concat([small] * 50_000)
end = time.monotonic() + 1
while time.monotonic() < end:
    scored = ss.score(many.lazy(), metrics=["rand_index"]).collect(engine="streaming")
print(seen, scored["rand_index"].n_unique())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout == "[1] 1\n", done.stderr[-2000:]
