"""Damaged tables are refused by every command, with file and line, in our own words."""

import json
import os
import re
import subprocess
import sys
import threading

import polars as pl
import pytest
from click.testing import CliRunner

import segscore as ss
from segscore.cli import main
from segscore.files import text
from segscore.files.codecs import arrow
from segscore.tables import damage, files
from segscore.tables.options import Options

HEAD = b"series,method,truth,pred,n\n"
ROW = b'a,x,"[3, 8]",[4],10\n'
LINE = b'{"series": "a", "method": "x", "truth": [3, 8], "pred": [4], "n": 10}\n'


def run(*arguments, **more):
    return CliRunner().invoke(main, [str(argument) for argument in arguments], **more)


CSV = {
    "cut off": (HEAD + ROW + b"a,y", "line 3 has 2 cells; expected 5, as in the header"),
    "cut off in a quoted cell": (HEAD + ROW + b'a,y,"[3', "line 3: a quoted cell is not closed; expected CSV"),
    "one cell": (HEAD + b"a\n" + ROW, "line 2 has 1 cell; expected 5, as in the header"),
    "more cells": (HEAD + ROW + b"a,y,[3],[4],10,7\n", "line 3 has 6 cells; expected 5, as in the header"),
    "cuts without quotes": (HEAD + b"a,y,[3, 8],[4],10\n", "line 2 has 6 cells; expected 5, as in the header"),
    "blank line": (HEAD + ROW + b"\n" + ROW, "line 3 is empty; expected 5 cells, as in the header (remove the line)"),
    "blank end": (HEAD + ROW + b"\n", "line 3 is empty; expected 5 cells, as in the header (remove the line)"),
    "spaces": (HEAD + ROW + b"  \n" + ROW, "line 3 is empty; expected 5 cells, as in the header (remove the line)"),
    "blank start": (b"\n" + HEAD + ROW, "line 1 is empty; expected a header (remove the line)"),
    "repeated column": (
        b"series,n,truth,pred,n\na,9,[3],[4],10\n",
        "line 1: the column 'n' occurs twice; expected different names",
    ),
    "not UTF-8": (
        HEAD + ROW + b"\xff,y,[3],[4],9\n",
        "line 3: byte 0xff is not UTF-8; expected UTF-8 (save the file as UTF-8)",
    ),
    "UTF-16": (
        "series,truth\na,[3]\n".encode("utf-16"),
        "line 1 starts with a mark of UTF-16; expected UTF-8 (save the file as UTF-8)",
    ),
    "NUL": (HEAD + ROW + b"a\0,y,[3],[4],9\n", "line 3 holds a NUL character; expected text"),
    "quote in a cell": (
        HEAD + b'a,5" or 7" disk,[3],[4],10\n',
        "line 2: a cell has text next to a quote; expected quotes around the whole cell, and quotes inside it doubled",
    ),
    "one quote in a cell": (HEAD + b'a,5" disk,[3],[4],10\n', "line 2: a quoted cell is not closed; expected CSV"),
    "text after a quote": (
        HEAD + b'a,"x"y,[3],[4],10\n',
        "line 2: a cell has text next to a quote; expected quotes around the whole cell, and quotes inside it doubled",
    ),
    "after a cell of two lines": (
        HEAD + b'a,"x\ny",[3],[4],10\na,y\n',
        "line 4 has 2 cells; expected 5, as in the header",
    ),
    "old Mac": (
        (HEAD + ROW).replace(b"\n", b"\r"),
        "line 1 ends with a carriage return alone; expected line breaks of Unix or Windows",
    ),
    "one row of an old Mac": (
        HEAD + ROW + b'a,x,"[3, 8]",[4],10\r' + ROW,
        "line 3 ends with a carriage return alone; expected line breaks of Unix or Windows",
    ),
    "empty": (b"", "is empty; expected a header, such as series,method,truth,pred,n"),
}
JSONL = {
    "repeated key": (
        LINE + LINE.replace(b'"n": 10', b'"n": 10, "n": 11'),
        "line 2: the key 'n' occurs twice in one object; expected one JSON object per line",
    ),
    "repeated key, escaped": (
        LINE + LINE.replace(b'"n": 10', b'"n": 10, "\\u006e": 11'),
        "line 2: the key 'n' occurs twice in one object; expected one JSON object per line",
    ),
    "repeated inner key": (
        LINE.replace(b"}", b', "params": {"k": 1, "k": 2}}'),
        "line 1: the key 'k' occurs twice in one object; expected one JSON object per line",
    ),
    "cut off": (LINE + LINE[:40], "line 2, column 41: the text ends too early; expected one JSON object per line"),
    "two objects": (
        LINE[:-1] + LINE,
        'line 1, column 70: \'{"series": "a", "met\' is not JSON; expected one JSON object per line',
    ),
    "no object": (LINE + b"[3]\n", 'line 2 is [3]; expected an object like {"truth": [3], "pred": [4], "n": 10}'),
    "null": (LINE + b"null\n", 'line 2 is None; expected an object like {"truth": [3], "pred": [4], "n": 10}'),
    "NaN": (LINE.replace(b"10", b"NaN"), "line 1: NaN is not a number of JSON; expected one JSON object per line"),
    "not UTF-8": (
        LINE + LINE.replace(b'"x"', b'"\xff"'),
        "line 2: byte 0xff is not UTF-8; expected UTF-8 (save the file as UTF-8)",
    ),
    "NUL": (LINE + LINE.replace(b'"x"', b'"\0"'), "line 2 holds a NUL character; expected text"),
    "half a character": (
        LINE + LINE.replace(b'"x"', b'"\\ud800"'),
        "line 2: \\ud800 is half a character; expected one JSON object per line",
    ),
    "byte order mark": (
        b"\xef\xbb\xbf" + LINE,
        "line 1 starts with a byte order mark; expected UTF-8 without this mark",
    ),
    "two types": (
        LINE + LINE.replace(b"[3, 8]", b"3"),
        "line 2: column 'truth' holds 3, but [3, 8] above; expected one type per column",
    ),
    "old Mac": (
        (LINE * 2).replace(b"\n", b"\r"),
        "line 1 ends with a carriage return alone; expected line breaks of Unix or Windows",
    ),
    "empty": (b"", 'is empty; expected objects like {"truth": [3], "pred": [4], "n": 10}'),
    "blank": (b"\n\n", 'is empty; expected objects like {"truth": [3], "pred": [4], "n": 10}'),
}
CASES = [("csv", *case) for case in CSV.values()] + [("jsonl", *case) for case in JSONL.values()]
CASES += [
    ("tsv", case[0].replace(b",", b"\t").replace(b"3\t 8", b"3, 8"), case[1])
    for name, case in CSV.items()
    if name not in ("cuts without quotes", "UTF-16")
]


@pytest.mark.parametrize(("kind", "content", "problem"), CASES)
def test_damaged_tables_are_refused_with_file_and_line(tmp_path, monkeypatch, kind, content, problem):
    monkeypatch.chdir(tmp_path)
    (tmp_path / f"x.{kind}").write_bytes(content)
    between = " " if problem.startswith("is ") else ", "
    wanted = f"segscore: x.{kind}{between}{problem}\n"
    found = run("score", f"x.{kind}", "-o", f"out.{kind}", "--metrics", "rand_index")
    assert (found.output, found.exit_code) == (wanted, 2)
    assert not (tmp_path / f"out.{kind}").exists()
    assert run("score", f"x.{kind}", "-o", "-", "--on-error", "null").output == wanted
    assert run("summary", f"x.{kind}").output == wanted
    if kind != "tsv":
        found = run("score", "-", "-o", "-", input=content)
        wanted = wanted.replace(f"x.{kind}", "standard input")
        if content.strip() and content[:1] not in b"\n\xef\xff":  # else standard input is taken for another format
            assert found.output == wanted


def test_sound_tables_of_unusual_form_are_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [
        'a,"x ""1""",[3],[4],10',
        'b,"x\ny","[3, 8]","[4]",10',
        "c,,[3],[4],10",
        'd,"a,b",[3],[4],10',
        'é,"",[3],[4],10',
    ]
    for name, end in {"unix": "\n", "windows": "\r\n"}.items():
        text = end.join([HEAD.decode().strip(), *rows])
        for mark in ("", "\ufeff"):
            (tmp_path / "x.csv").write_bytes((mark + text).encode())
            found = run("score", "x.csv", "-o", "out.csv", "--metrics", "rand_index")
            assert (found.output, found.exit_code) == ("", 0), name
            assert pl.read_csv("out.csv")["series"].to_list() == ["a", "b", "c", "d", "é"]
    lines = LINE.decode().rstrip("}\n") + ', "params": {"n": 3, "series": "\\u00e9"}}\n'
    (tmp_path / "x.jsonl").write_text(lines + "\n" + lines)
    found = run("score", "x.jsonl", "-o", "out.jsonl", "--metrics", "rand_index")
    assert (found.output, found.exit_code) == ("", 0)
    scored = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [row["rand_index"] for row in scored] == [ss.rand_index([3, 8], [4], n=10)] * 2


def test_a_cut_off_arrow_file_does_not_abort_the_process(tmp_path):
    path = tmp_path / "x.arrow"
    pl.DataFrame({"truth": [[3]] * 100, "pred": [[4]] * 100, "n": [10] * 100}).write_ipc(path)
    path.write_bytes(path.read_bytes()[:-50])
    for _ in range(5):  # an abort depends on the moment at which Python ends
        found = subprocess.run(
            [sys.executable, "-m", "segscore", "score", "x.arrow", "-o", "-"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        expected = "segscore: x.arrow cannot be read as arrow; expected a whole Arrow file\n"
        assert (found.returncode, found.stdout, found.stderr) == (2, "", expected)


def test_a_part_of_an_arrow_file_that_claims_too_much_memory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"truth": [[3]] * 1000, "pred": [[4]] * 1000, "n": [9] * 1000}).write_ipc(
        "x.arrow", compression="zstd"
    )
    whole = (tmp_path / "x.arrow").read_bytes()
    size = (8000).to_bytes(8, "little")
    assert size in whole
    (tmp_path / "x.arrow").write_bytes(whole.replace(size, (2**58).to_bytes(8, "little")))
    found = run("score", "x.arrow", "-o", "out.arrow")
    assert found.output == (
        f"segscore: x.arrow: batch 0 has {2**58:,} bytes of values, and at most {2**29:,} are read at once; expected "
        f"smaller batches, {text.RAISE}\n"
    )
    monkeypatch.setenv("SEGSCORE_LIMITS", "999999999")
    found = run("score", "x.arrow", "-o", "out.arrow")
    assert (found.output, found.exit_code) == (
        "segscore: x.arrow cannot be read as arrow: a part of it does not fit in memory; expected a whole Arrow file, or "
        "a computer with more memory\n",
        2,
    )


@pytest.mark.parametrize("compression", ["zstd", "lz4"])
@pytest.mark.parametrize("writer", ["polars", "polars stream", "pyarrow", "pyarrow stream"])
def test_a_batch_of_arrow_that_is_far_larger_than_its_file_is_refused(tmp_path, monkeypatch, compression, writer):
    ipc = pytest.importorskip("pyarrow.ipc", reason="pyarrow is not installed")
    path = tmp_path / "x.arrow"
    words = pl.Series(["a", "b"] * 500, dtype=pl.Categorical)
    table = pl.DataFrame({"truth": [[3]] * 1000, "pred": [[4]] * 1000, "n": [10] * 1000, "group": words})
    if writer == "polars":
        table.write_ipc(path, compression=compression)
    elif writer == "polars stream":
        table.write_ipc_stream(path, compression=compression)
    else:
        options = ipc.IpcWriteOptions(compression=compression)
        with (ipc.new_stream if "stream" in writer else ipc.new_file)(
            path, table.to_arrow().schema, options=options
        ) as file:
            for part in (table[:0], table):
                file.write_table(part.to_arrow())
    arrow.refuse_damaged(path, "arrow", "x.arrow")
    for name, most, shown in (("VALUES", 999, "7,992"), ("BYTES", 20_000, "20,000")):
        with monkeypatch.context() as patch:
            patch.setattr(arrow, name, most)
            with pytest.raises(ValueError, match="are read at once") as caught:
                arrow.refuse_damaged(path, "arrow", "x.arrow")
        wanted = f"x.arrow: batch [0-9] has [0-9,]+ bytes of values, and at most {shown} are read at once; "
        assert re.fullmatch(f"{wanted}expected smaller batches, {text.RAISE}", str(caught.value))


@pytest.mark.parametrize("name", ["csv", "tsv", "jsonl", "json", "parquet", "arrow"])
def test_a_table_in_a_named_pipe_is_refused_and_nothing_waits_for_it(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    path, found = f"pipe.{name}", []
    os.mkfifo(path)
    calls = (
        lambda: files.read(path),
        lambda: files.read_truths(path),
        lambda: files.score_files([path], tmp_path / "out.csv", Options(metrics=["rand_index"])),
    )

    def read_all():
        for call in calls:
            with pytest.raises(ValueError, match="pipe") as caught:
                call()
            found.append(str(caught.value))

    thread = threading.Thread(target=read_all, daemon=True)
    thread.start()
    thread.join(20)
    message = f"{path} can be read only once, as it is a pipe or a device; expected a file for the format {name}"
    assert found == [message] * 3
    assert files.count_rows([path]) is None


def test_rows_that_cannot_be_used_are_named_with_their_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    decreasing = ROW.replace(b"[3, 8]", b"[8, 3]")
    for name, rows, wanted in (
        ("a", ROW + decreasing, "row 1: truth[1] = 3 does not exceed truth[0] = 8; cuts must strictly increase"),
        ("b", ROW + ROW.replace(b",10", b",1O"), "row 1: column 'n' holds '1O'; expected a number"),
    ):
        (tmp_path / f"{name}.csv").write_bytes(HEAD + rows)
        for command in ("score", "report"):
            found = run(command, f"{name}.csv", "-o", "out.html" if command == "report" else "out.csv")
            assert (found.exit_code, found.output.startswith(f"segscore: {name}.csv, {wanted}")) == (2, True), (
                found.output
            )
    scores = "series,method,f1,n,seconds\na,x,0.5,none,1\nb,x,{},none,{}\n"
    (tmp_path / "c.csv").write_text(scores.format("0.6", "nan"))
    assert run("summary", "c.csv", "--metrics", "f1").exit_code == 0  # lengths without cuts are not needed
    (tmp_path / "c.csv").write_text(scores.format("O.6", "2"))
    wanted = "segscore: c.csv, row 1: column 'f1' holds 'O.6'; expected a number\n"
    assert run("summary", "c.csv", "--metrics", "f1").output == wanted
    (tmp_path / "c.csv").write_text(scores.format("0.6", "2s"))
    wanted = "segscore: c.csv: column 'seconds' holds '2s'; expected numbers\n"
    assert run("report", "c.csv", "-o", "out.html").output == wanted


def test_a_parquet_file_that_only_pyarrow_reads(tmp_path, monkeypatch):
    """pyarrow checks neither texts nor checksums, so Polars meets the damage after the check, perhaps in the data."""
    monkeypatch.chdir(tmp_path)
    table = pl.DataFrame({"series": ["abcdef"], "method": ["x"], "truth": [[3]], "pred": [[4]], "n": [9]})
    table.write_parquet("whole.parquet", compression="uncompressed", statistics=False)
    whole = (tmp_path / "whole.parquet").read_bytes()
    wanted = "segscore: x.parquet cannot be read as parquet; expected a whole Parquet file\n"
    for name in (b"abcdef", b"method"):  # in a page, and in the names of columns
        assert name in whole
        (tmp_path / "x.parquet").write_bytes(whole.replace(name, b"\xff" + name[1:]))
        for arguments in (("score", "-o", "-"), ("score", "-o", "out.csv"), ("summary",), ("report", "-o", "r.html")):
            found = run(arguments[0], "x.parquet", *arguments[1:])
            assert (found.output, found.exit_code) == (wanted, 2), (name, arguments)


def test_an_unclosed_quote_in_a_large_file_is_a_short_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.csv").write_bytes(HEAD + b'a,"x,[3],[4],10\n' + ROW.replace(b'"', b"") * 200_000)
    found = run("score", "x.csv", "-o", "out.csv")
    assert found.output == "segscore: x.csv, line 2: a quoted cell is not closed; expected CSV\n"


RAISE = "or a larger SEGSCORE_LIMITS in the environment"


def test_tables_of_text_have_the_limits_of_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.csv").write_bytes(b"," * 2**23)
    found = run("score", "x.csv", "-o", "out.csv")
    assert found.output == (
        "segscore: x.csv, line 1 has 8,388,609 columns, and a table of text may have 16,384; expected fewer columns, "
        f"{RAISE}\n"
    )
    for keys in (
        [{f"k{number}": 1} for number in range(2**14 + 1)],
        [{f"k{number}": 1 for number in range(2**14 + 1)}],
    ):
        (tmp_path / "x.jsonl").write_text("".join(json.dumps(record) + "\n" for record in keys))
        found = run("score", "x.jsonl", "-o", "out.jsonl")
        message = "segscore: x.jsonl has 16,385 columns, and a table of text may have 16,384; expected fewer columns, "
        assert found.output == f"{message}{RAISE}\n"
    for kind, first in (("csv", HEAD), ("tsv", HEAD.replace(b",", b"\t")), ("jsonl", b'{"truth": [3]}\n')):
        for content, line in ((b"\0" * 2**25, 1), (first + b"x" * 2**24 + b"x\n", 2), (first + b"x" * 2**26, 2)):
            (tmp_path / f"x.{kind}").write_bytes(content)
            found = run("score", f"x.{kind}", "-o", f"out.{kind}")
            assert found.output == (
                f"segscore: x.{kind}, line {line} has more than 16,777,216 characters; expected shorter lines, {RAISE}\n"
            )


def test_many_columns_of_one_row_group_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(arrow, "VALUES", 2**8)
    monkeypatch.setattr(arrow, "GROUP", 2**10)
    cuts = pl.Series([[7] * 2**8])
    pl.DataFrame({f"c{k}": cuts for k in range(4)} | {"truth": [[3]], "pred": [[4]], "n": [9]}).write_parquet(
        "x.parquet"
    )
    assert run("score", "x.parquet", "-o", "out.parquet").output == (
        "segscore: x.parquet: row group 0 has 1,027 values, and at most 1,024 are read at once; expected smaller row "
        f"groups, {RAISE}\n"
    )
    monkeypatch.setenv("SEGSCORE_LIMITS", "2")
    assert run("score", "x.parquet", "-o", "out.parquet").exit_code == 0


def test_a_long_text_that_is_repeated_takes_little_memory(tmp_path, monkeypatch):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    texts = pa.array(["x" * 2**16]).dictionary_encode().take(pa.array([0] * 2**15))
    table = pa.table({"series": texts, "truth": pa.array([[3]] * 2**15)})
    pytest.importorskip("pyarrow.parquet").write_table(table, tmp_path / "x.parquet", store_schema=False)
    assert (tmp_path / "x.parquet").stat().st_size < 2**20
    before, used = pa.default_memory_pool(), pa.proxy_memory_pool(pa.default_memory_pool())
    pa.set_memory_pool(used)
    try:
        arrow.refuse_damaged(tmp_path / "x.parquet", "parquet", "x.parquet")
    finally:
        pa.set_memory_pool(before)
    assert 0 < used.max_memory() < 2**28  # as a whole, the texts take 2**31 bytes
    monkeypatch.setattr(arrow, "BYTES", 2**30)
    with pytest.raises(ValueError, match="expected") as caught:
        arrow.refuse_damaged(tmp_path / "x.parquet", "parquet", "x.parquet")
    assert str(caught.value) == (
        "x.parquet: row group 0 has more than 1,073,741,824 bytes of values; expected smaller row groups, " + RAISE
    )


def test_limits_are_raised_in_the_environment(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(arrow, "VALUES", 1500)
    monkeypatch.setattr(text, "LONGEST", 1500)
    monkeypatch.setattr(damage, "LONGEST", 1500)
    monkeypatch.setattr(text, "LARGEST", 2**20)
    cuts = list(range(1, 2000))
    table = pl.DataFrame({"truth": [cuts], "pred": [[4]], "n": [2000]})
    table.write_parquet("x.parquet")
    table.write_ndjson("x.jsonl")
    document = json.dumps([{"series": f"s{k}", "n": 10, "change_points": [3]} for k in range(25_000)])
    (tmp_path / "x.json").write_text(document)
    for name, wrong in (
        ("x.parquet", "x.parquet: column 'truth' has 1,999 values in row group 0, and at most 1,500 are read at once; "
         f"expected smaller row groups, {RAISE}"),
        ("x.jsonl", f"x.jsonl, line 1 has more than 1,500 characters; expected shorter lines, {RAISE}"),
    ):  # fmt: skip
        assert run("score", name, "-o", f"out.{name}").output == f"segscore: {wrong}\n"
    with pytest.raises(ValueError, match=f"larger than 1 MiB, .*, {RAISE}"):
        ss.read("x.json")
    monkeypatch.setenv("SEGSCORE_LIMITS", "10")
    for name in ("x.parquet", "x.jsonl"):
        assert run("score", name, "-o", f"out.{name}").exit_code == 0
    assert len(ss.read("x.json")) == 25_000
    for given in ("many", "0", "1.5", "-1", "", "1e3", "9" * 5000):
        monkeypatch.setenv("SEGSCORE_LIMITS", given)
        for name in ("x.parquet", "x.jsonl"):
            assert run("score", name, "-o", f"out.{name}").output == (
                f"segscore: the environment variable SEGSCORE_LIMITS is {given!r:.40}; expected a whole number, by which "
                "the usual limits of size are multiplied\n"
            )
