"""The table of what each of several logs measured."""

from __future__ import annotations

import re

from trexreport import api
from trexreport.analyzer import analyze
from trexreport.reader import read_engine
from trexreport.renderer.summary_blocks import logs_summary


def write_logs(folder):
    statistic = "min = 2 ms, max = 2 ms, mean = 2 ms, median = 2 ms"
    for name, qps in (("net_fp16_bs2.log", 300), ("net.log", 200)):
        (folder / name).write_text(f"Throughput: {qps} qps\nGPU Compute Time: {statistic}\n")


def test_the_page_states_which_log_it_shows_and_has_the_table(tmp_path):
    write_logs(tmp_path)
    page = api.render(api.load(tmp_path)).html.decode()
    assert re.search(r'<a href="#timing" class="name">net_fp16_bs2.log</a>, 1 of 2 measurements', page)
    (table,) = re.findall(r"<h3>Logs</h3>.*?</table>", page, re.DOTALL)
    assert re.findall(r'<th scope="row" class="name">(.*?)</th>', table) == ["net.log", "net_fp16_bs2.log"]
    assert re.findall(r'<td class="number">(.*?)</td>', table)[6] == "300.0"


def test_each_log_is_a_row(tmp_path):
    write_logs(tmp_path)
    (section,) = logs_summary(analyze(read_engine(tmp_path)))
    assert section.blocks[0].entries == (
        ("net.log", "\u2013", "\u2013", "200.0", "\u2013", "2.00", "40.0"),
        ("net_fp16_bs2.log", "FP16", "2", "300.0", "600.0", "2.00", "60.0"),
    )


def test_transfers_of_both_directions_are_added(tmp_path):
    write_logs(tmp_path)
    copies = "".join(
        f"{way} Latency: min = 1 ms, max = 1 ms, mean = 1 ms, median = 1 ms\n" for way in ("H2D", "D2H")
    )
    with (tmp_path / "net.log").open("a") as log:
        log.write(copies)
    (section,) = logs_summary(analyze(read_engine(tmp_path)))
    table = section.blocks[0]
    column = [each.heading for each in table.columns].index("Transfers (ms)")
    assert [row[column] for row in table.entries] == ["2.00", "\u2013"]


def test_latencies_have_minimum_percentile_and_maximum(tmp_path):
    write_logs(tmp_path)
    metric = "Latency: min = 1 ms, max = 4 ms, mean = 2 ms, median = 2 ms, percentile(99%) = 3 ms"
    (tmp_path / "net.log").write_text(f"[I] Throughput: 200 qps\n[I] {metric}\n")
    (section,) = logs_summary(analyze(read_engine(tmp_path)))
    table = section.blocks[0]
    first = [each.heading for each in table.columns].index("Median latency (ms)")
    headings = [each.heading for each in table.columns[first : first + 4]]
    assert headings == ["Median latency (ms)", "Min (ms)", "p99 (ms)", "Max (ms)"]
    assert table.entries[0][first : first + 4] == ("2.00", "1.00", "3.00", "4.00")


def test_one_measurement_has_no_table(tmp_path):
    (tmp_path / "net.log").write_text("[I] Throughput: 3 qps\n")
    assert logs_summary(analyze(read_engine(tmp_path))) == []
