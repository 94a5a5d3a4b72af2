from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tests.exercise_fakes import git
from workbook.failure import Failure
from workbook.pages import comparison, figures, floor, numbers, placement, sources, timeline, waiting
from workbook.pages.figures import Missing
from workbook.pages.report import Report

# In the lab's format, made up in part: no figure in it says anything about a server.
REPORT = Path(__file__).parent / "site-report"

STAGE = "stage1-storage"

LIST = """package dht;

/** A list. */
final class SomeList {
    private final Map<String, List<String>> names = load();

    // region fields
    private int size;
    // endregion

    int size() {
        return size(0);
    }

    /** Grows. */
    @Deprecated
    private static <T> List<T> grow(
            List<T> list, int by) {
        if (by > 0) {
            // region loop
            for (int i = 0; i < by; i++) {
                list.add(null);
            }
            // endregion
        }
        return list;
    }
}
"""


@pytest.fixture
def report(tmp_path: Path) -> Report:
    shutil.copytree(REPORT, tmp_path / STAGE)
    found = Report.read(tmp_path, STAGE)
    assert found is not None
    return found


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "stage1-storage/src/main/java/dht/SomeList.java"
    path.parent.mkdir(parents=True)
    path.write_text(LIST)
    return path


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.01234, "0.0123"),
        (1, "1.00"),
        (12.345, "12.3"),
        (99.96, "100.0"),
        (999.7, "1000"),
        (12_345.6, "12 346"),
    ],
)
def test_figure_has_three_digits_that_mean_something(value: float, text: str) -> None:
    assert numbers.figure(value).replace(numbers.GAP, " ") == text


@pytest.mark.parametrize(
    ("least", "most", "text"),
    [
        (1.193, 49.3, "1.19 to 49.3"),
        (29468.0, 29532.0, "29 468 to 29 532"),
        (1990.1, 1990.4, "1990"),
        (0.0, 0.5, "0 to 0.500"),
    ],
)
def test_range_of_rounds_is_least_and_most(least: float, most: float, text: str) -> None:
    assert numbers.between(least, most).replace(numbers.GAP, " ") == text


def test_excerpt_of_a_method_runs_from_its_declaration_to_its_brace(source: Path) -> None:
    found = sources.excerpt(source, "grow")

    assert found.text.startswith("private static <T> List<T> grow(\n")
    assert found.text.endswith("    return list;\n}")
    assert "region" not in found.text
    assert LIST.splitlines()[found.first_line - 1].strip() == "private static <T> List<T> grow("


def test_excerpt_of_a_method_is_not_its_call(source: Path) -> None:
    assert sources.excerpt(source, "size").text == "int size() {\n    return size(0);\n}"


def test_excerpt_of_a_region_loses_markers_and_indent(source: Path) -> None:
    found = sources.excerpt(source, "loop")

    assert found.text == "for (int i = 0; i < by; i++) {\n    list.add(null);\n}"
    assert LIST.splitlines()[found.first_line - 1].strip() == found.text.splitlines()[0]


@pytest.mark.parametrize("name", ["shrink", "load"])
def test_excerpt_that_is_not_there_is_a_failure(source: Path, name: str) -> None:
    with pytest.raises(Failure, match=f"SomeList.java has 0 methods and regions named '{name}'"):
        sources.excerpt(source, name)


def test_source_is_found_in_any_module(source: Path, tmp_path: Path) -> None:
    assert sources.find_source(tmp_path, "dht.SomeList") == source
    with pytest.raises(Failure, match=r"class dht\.Other"):
        sources.find_source(tmp_path, "dht.Other")


def test_packages_have_what_their_package_info_says_first(source: Path, tmp_path: Path) -> None:
    (source.parent / "package-info.java").write_text(
        "/**\n * Lists, such as {@link\n * dht.SomeList}: many. And more.\n */\npackage dht;\n"
    )

    assert sources.packages(tmp_path / "stage1-storage") == [
        sources.JavaPackage("dht", "Lists, such as SomeList", 1, LIST.count("\n"))
    ]


def test_section_runs_from_its_heading_to_the_next_one(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A\n\none\n\n## B { #b }\n\ntwo\n```sh\n# not a heading\n```\n\n### C\nthree\n")

    assert sources.section(page, "B") == "two\n```sh\n# not a heading\n```"
    with pytest.raises(Failure, match=r"page\.md has 0 headings 'D'"):
        sources.section(page, "D")


def test_report_that_nobody_made_is_none(tmp_path: Path) -> None:
    assert Report.read(tmp_path, STAGE) is None


def test_report_of_another_format_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / STAGE).mkdir()
    (tmp_path / STAGE / "report.json").write_text('{"format": 2}')

    with pytest.raises(Failure, match="is of format=2; this site reads format=1"):
        Report.read(tmp_path, STAGE)


def test_percentile_is_the_least_latency_that_so_many_did_not_exceed(report: Report) -> None:
    run = report.runs["put"]
    points = run.spectrum

    assert run.ms_at(0.5) == next(ms for at, ms in points if at >= 0.5)
    assert run.ms_at(1.0) == points[-1][1]
    assert run.ms_at(0.0) == points[0][1]


def test_percentile_chart_has_no_point_beyond_the_last_request(report: Report) -> None:
    chart = figures.percentiles(report, ["put", "get", "put-floor"])

    data = json.loads(chart.split('type="application/json">')[1].split("</script>")[0])
    fewest = min(report.runs["put-floor"].latency_count, report.runs["put"].latency_count)
    assert [series["label"] for series in data["series"]] == ["PUT", "GET", "floor of PUT"]
    assert [series["floor"] for series in data["series"]] == [False, False, True]
    assert all(len(series["ms"]) == len(data["nines"]) for series in data["series"])
    assert 10 ** data["nines"][-1] <= max(run.latency_count for run in report.runs.values() if run.entry["latency_ms"])
    assert (data["series"][2]["ms"][-1] is None) == (10 ** data["nines"][-1] > fewest)


def test_ladder_shows_each_rate_once_and_the_knee(report: Report) -> None:
    chart = figures.ladder(report, "put")

    data = json.loads(chart.split('type="application/json">')[1].split("</script>")[0])
    assert data["rates"] == sorted(set(data["rates"]))
    assert data["knee"] == report.index["sustainable_per_s"]["put"]
    assert data["held"] == [rate <= data["knee"] for rate in data["rates"]]
    assert "of the asked rate" in chart


def test_value_within_a_sentence_comes_with_its_unit(report: Report) -> None:
    cpu = report.runs["put"].entry["server_cpu_us_per_request"]

    assert figures.value(report, "put", "cpu") == numbers.figure(cpu, "µs")
    assert figures.value(report, "put", "p99.9").endswith(f"{numbers.GAP}ms")
    assert figures.value(report, "get", "hits") == numbers.share(1.0)
    with pytest.raises(Failure, match="'p9x9' is no percentile"):
        figures.value(report, "put", "p9x9")


def test_part_is_a_group_of_threads_or_a_package(report: Report) -> None:
    breakdown = report.runs["put-profile"].breakdown("cpu")
    assert breakdown is not None
    selector = next(group for group in breakdown.groups if group.name == "selector")

    assert figures.part(report, "put-profile", "cpu", "selector") == numbers.share(selector.share)
    assert figures.part(report, "get-profile", "cpu", "dht.nothing") == numbers.share(0)


def test_flame_graphs_are_linked_as_far_as_they_were_made(report: Report) -> None:
    links = figures.flamegraphs(report)

    assert "[PUT · lock waits](../reports/stage1-storage/put-profile/flame-lock.html)" in links
    assert "[PUT · heatmap](../reports/stage1-storage/put-profile/heatmap-cpu.html)" in links
    assert "[GET · CPU time, difference](../reports/stage1-storage/get-profile/diff-cpu.html)" in links
    assert "[GET · lock waits]" not in links


def test_flame_graph_that_is_to_be_open_must_exist(report: Report) -> None:
    text = figures.flamegraphs(report, "put-profile/flame-cpu", ["dht.storage"])

    assert 'data-opened="put-profile/flame-cpu.html" data-callouts="[&quot;dht.storage&quot;]"' in text
    with pytest.raises(Failure, match="stage1-storage has no graph put-profile/flame-gpu; it has put-profile/"):
        figures.flamegraphs(report, "put-profile/flame-gpu")


def test_breakdown_leaves_out_what_would_be_zero_percent(report: Report) -> None:
    run = report.runs["put-profile"]
    data = json.loads((run.folder / "breakdown.json").read_text())
    data["cpu"]["groups"].append({"name": "idle", "samples": 1, "share": 0.0004})
    (run.folder / "breakdown.json").write_text(json.dumps(data))

    table = figures.breakdown(report, "put-profile", "cpu")

    assert "selector" in table
    assert "idle" not in table
    assert f">0.0{numbers.GAP}%</td><td>" not in table


def test_breakdown_of_a_kind_without_samples_says_so(report: Report) -> None:
    assert figures.breakdown(report, "get-profile", "lock") == "*GET, lock waits: there is no sample.*"


@pytest.mark.parametrize("name", ["figures", "environment"])
def test_tables_name_their_rows(report: Report, name: str) -> None:
    table = figures.runs(report, []) if name == "figures" else figures.environment(report)

    assert table.count('<th scope="row">') == table.count("<tr>") - table.count("<thead>")


def test_places_without_data_say_which_command_makes_it() -> None:
    missing = Missing(STAGE)

    for block in (
        figures.percentiles(missing, ["put"]),
        figures.ladder(missing, "put"),
        figures.runs(missing, []),
        figures.breakdown(missing, "put-profile", "cpu"),
        figures.flamegraphs(missing),
        figures.environment(missing),
    ):
        assert "`./workbook lab 1` measures this stage" in block
    assert figures.value(missing, "put", "p99") == figures.NOT_MEASURED
    assert figures.sustainable(missing, "put") == figures.NOT_MEASURED


def test_environment_names_the_runs_that_were_measured_anew(report: Report, tmp_path: Path) -> None:
    assert "measured anew" not in figures.environment(report)
    file = tmp_path / STAGE / "put-profile/run.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "commit": "0123456789abcdef"}))
    later = Report.read(tmp_path, STAGE)
    assert later is not None

    row = '<th scope="row">measured anew</th><td>put-profile: commit 0123456789ab</td>'
    assert row in figures.environment(later)


def test_environment_names_the_selector_if_the_run_knows_it(report: Report, tmp_path: Path) -> None:
    assert "selector" not in figures.environment(report)
    for file in (tmp_path / STAGE).glob("*/run.json"):
        found = json.loads(file.read_text())
        found["server"] = {**found["server"], "selector": "java"}
        file.write_text(json.dumps(found))
    later = Report.read(tmp_path, STAGE)
    assert later is not None

    assert '<th scope="row">selector</th><td>Java&#x27;s</td>' in figures.environment(later)


def test_share_of_a_class_within_a_group_of_threads(report: Report, tmp_path: Path) -> None:
    assert (
        figures.within(report, "put-profile", "cpu", "selector", "LsmDao") == figures.NOT_MEASURED
    )  # An older report.
    file = tmp_path / STAGE / "put-profile/breakdown.json"
    found = json.loads(file.read_text())
    found["cpu"]["classes"] = [{"group": "selector", "class": "LsmDao", "samples": 30, "share": 0.3}]
    file.write_text(json.dumps(found))

    assert figures.within(report, "put-profile", "cpu", "selector", "LsmDao") == numbers.share(0.3)
    assert figures.within(report, "put-profile", "cpu", "worker", "LsmDao") == f"less than {numbers.share(0.01)}"


def test_memory_of_a_request_is_compared_with_the_stage_before(report: Report, tmp_path: Path) -> None:
    assert figures.allocated_times(report, "put-profile") == figures.NOT_MEASURED  # Stage 1 has no stage before it.
    shutil.copytree(tmp_path / STAGE / "put-profile", tmp_path / STAGE / "put-profile-before")
    breakdown, index = (tmp_path / STAGE / name for name in ("put-profile-before/breakdown.json", "report.json"))
    found = json.loads(breakdown.read_text())
    found["alloc"]["samples"] //= 2
    breakdown.write_text(json.dumps(found))
    runs = json.loads(index.read_text())
    own = next(run for run in runs["runs"] if run["name"] == "put-profile")
    runs["runs"].append({**own, "name": "put-profile-before", "folder": "put-profile-before"})
    index.write_text(json.dumps(runs))
    later = Report.read(tmp_path, STAGE)
    assert later is not None

    assert figures.allocated_times(later, "put-profile") == "2.0 times"
    assert figures.allocated_times(Missing(STAGE), "put-profile") == figures.NOT_MEASURED


def test_run_that_the_lab_left_out_is_not_measured(report: Report) -> None:
    assert figures.value(report, "delete", "p99") == figures.NOT_MEASURED
    assert "Not measured yet" in figures.ladder(report, "range")


def test_comparison_has_a_row_for_each_server_with_range_and_verdict(tmp_path: Path) -> None:
    def side(name: str, p99_ms: list[float], verdict: str | None) -> dict[str, object]:
        against = [{"name": "p99_ms", "verdict": verdict}] if verdict else []
        return {"name": name, "rounds": {"p99_ms": p99_ms}, "median": {"p99_ms": p99_ms[1]}, "against_a": against}

    sides = [side("stage2", [1.0, 2.0, 3.0], None), side("stage2 --workers 1", [3.5, 4.0, 4.5], "slower")]
    found = {
        "sides": sides,
        "rounds": 3,
        "disturbed": 1,
        "workload": {"name": "put"},
        "load": {"rate_per_s": 30_000},
        "commit": "0123456789abcdef",
        "dirty": False,
        "machine": {"cpu": "AMD EPYC"},
        "command": "./workbook compare 2 '2 …'",
    }
    (tmp_path / "workers").mkdir()
    (tmp_path / "workers/comparison.json").write_text(json.dumps(found))

    table = comparison.compared(tmp_path, "workers")

    assert '<th scope="row">stage2</th><td>2.00<small>1.00 to 3.00</small></td>' in table
    assert '<th scope="row">stage2 --workers 1</th><td>4.00, slower<small>3.50 to 4.50</small></td>' in table
    assert '<th scope="col">PUT, 30\N{NARROW NO-BREAK SPACE}000/s</th>' in table
    assert "./workbook compare 2 &#x27;2 …&#x27;</code>, commit 0123456789ab, AMD EPYC." in table
    assert "Medians of 3 rounds; below them, minimum and maximum." in table
    assert "Other programs disturbed 1 of 6 measurements." in table
    assert "compare … --report queue" in comparison.compared(tmp_path, "queue")


def test_comparison_shows_what_it_is_asked_for_and_causes_only_then(tmp_path: Path) -> None:
    figures_of = {"p99_ms": [1.0], "gc_pause_ms_max": [8.5]}
    sides = [{"name": "stage5", "rounds": figures_of, "median": {"p99_ms": 1.0, "gc_pause_ms_max": 8.5}}]
    found = {
        "rounds": 1,
        "disturbed": 0,
        "workload": {"name": "get"},
        "load": {"rate_per_s": 4_000},
        "commit": None,
        "command": "c",
    }
    (tmp_path / "pauses").mkdir()
    (tmp_path / "pauses/comparison.json").write_text(
        json.dumps({**found, "sides": [{**side, "against_a": []} for side in sides]})
    )

    usual = comparison.compared(tmp_path, "pauses")
    assert "p99, ms" in usual
    assert "disturbed" not in usual
    assert "longest GC pause" not in usual
    asked = comparison.compared(tmp_path, "pauses", ["gc_pause_ms_max"])
    assert '<th scope="col">longest GC pause, ms</th>' in asked
    assert "p99, ms" not in asked
    with pytest.raises(Failure, match="pauses has no p98_ms; it has p99_ms, gc_pause_ms_max"):
        comparison.compared(tmp_path, "pauses", ["p98_ms"])


def comparison_of(folder: Path, rate_per_s: int, *medians: Mapping[str, float]) -> None:
    """A report with one round of each server; the servers are a, b, and so on."""
    sides = [
        {
            "letter": letter,
            "name": f"server {letter}",
            "median": each,
            "rounds": {name: [value] for name, value in each.items()},
            "against_a": [],
        }
        for letter, each in zip("abc", medians, strict=False)
    ]
    found = {
        "rounds": 1,
        "workload": {"name": "get"},
        "load": {"rate_per_s": rate_per_s},
        "commit": None,
        "command": "c",
    }
    folder.mkdir()
    (folder / "comparison.json").write_text(json.dumps({**found, "sides": sides}))


@pytest.mark.parametrize(
    ("rate_per_s", "achieved_per_s", "title", "has_latency"),
    [
        (4_000, 3_900, "GET, 4000/s", True),
        (4_000, 3_500, "GET, 4000/s, overload", False),
        (1_000_000, 40_000, "GET, saturated", False),
    ],
)
def test_latency_under_overload_is_not_shown_unless_it_is_asked_for(
    tmp_path: Path, rate_per_s: int, achieved_per_s: int, title: str, has_latency: bool
) -> None:
    quick = {"rate_per_s": float(rate_per_s), "p50_ms": 1.0, "server_cpu_us_per_request": 50.0}
    slow = {"rate_per_s": float(achieved_per_s), "p50_ms": 4680.0, "server_cpu_us_per_request": 60.0}
    comparison_of(tmp_path / "two", rate_per_s, quick, slow)

    table = comparison.compared(tmp_path, "two")

    assert f'<th scope="col">{title}</th>' in table
    assert ("p50, ms" in table) == has_latency
    assert "rate, 1/s" in table
    assert "p50, ms" in comparison.compared(tmp_path, "two", ["p50_ms"])


def test_two_servers_are_compared_within_a_sentence(tmp_path: Path) -> None:
    cpu = "server_cpu_us_per_request"
    comparison_of(tmp_path / "two", 4_000, {cpu: 60.0}, {cpu: 126.0})

    assert comparison.times(tmp_path, "two", cpu, "b", "a") == "2.1 times"
    assert comparison.difference(tmp_path, "two", cpu, "b", "a").replace(numbers.GAP, " ") == "110 % more"
    assert comparison.difference(tmp_path, "two", cpu, "a", "b").replace(numbers.GAP, " ") == "52 % less"
    assert comparison.times(tmp_path, "three", cpu, "b", "a") == figures.NOT_MEASURED
    assert comparison.difference(tmp_path, "three", cpu, "b", "a") == figures.NOT_MEASURED
    with pytest.raises(Failure, match="two has no server c; it has a, b"):
        comparison.times(tmp_path, "two", cpu, "c", "a")
    with pytest.raises(Failure, match="two has no p50_ms"):
        comparison.times(tmp_path, "two", "p50_ms", "b", "a")


def test_report_of_a_commit_that_is_not_in_the_history_says_so(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    git(
        tmp_path, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "--allow-empty", "-m", "a"
    )
    commit = git(tmp_path, "rev-parse", "HEAD").strip()
    known = {"commit": commit, "command": "c"}

    assert figures.origin(known, tmp_path).endswith(f"commit {commit[:12]}")
    lost = figures.origin({**known, "commit": "0" * 40}, tmp_path)
    assert lost.endswith("commit 000000000000 (no longer in this repository: to be measured anew)")

    (tmp_path / "rebased.txt").write_text(f"# before, now\n{'1' * 40} {'2' * 40}\n{'0' * 40} {commit}\n")
    rebased = figures.origin({**known, "commit": "0" * 40}, tmp_path)
    assert rebased.endswith(f"commit 000000000000 (now in {commit[:12]})")


@pytest.mark.parametrize(("name", "why"), [("dirty", "with changes that are in no commit"), ("quick", "with --quick")])
def test_report_that_nobody_can_repeat_is_refused(tmp_path: Path, name: str, why: str) -> None:
    (tmp_path / "workers").mkdir()
    (tmp_path / "workers/comparison.json").write_text(json.dumps({"sides": [], name: True}))
    (tmp_path / STAGE).mkdir()
    (tmp_path / STAGE / "report.json").write_text(json.dumps({"runs": [], name: True}))

    with pytest.raises(Failure, match=f"workers/comparison.json cannot be shown: it was measured {why}"):
        comparison.compared(tmp_path, "workers")
    with pytest.raises(Failure, match=f"report.json cannot be shown: it was measured {why}"):
        Report.read(tmp_path, STAGE)


def test_experiment_that_nobody_can_repeat_is_refused(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("replica-lost", "fan-out-floor", "cold-start")]
    for folder in folders:
        folder.mkdir()
        (folder / "runs.jsonl").write_text("")
        (folder / "machine.json").write_text('{"dirty": true}')
    results = folders[-1] / "results.md"
    results.write_text("## Machine\n\nx\n")

    why = "machine.json cannot be shown: it was measured with changes that are in no commit"
    with pytest.raises(Failure, match=why):
        timeline.timeline(tmp_path, "put", "paused")
    with pytest.raises(Failure, match=why):
        floor.floor(tmp_path)
    with pytest.raises(Failure, match=why):
        figures.measured_section(results, "cold-start/results.md", "Machine")

    for known in ("{}", '{"dirty": false}', '{"dirty": null}'):  # The first: of an earlier version.
        (results.parent / "machine.json").write_text(known)
        assert figures.measured_section(results, "cold-start/results.md", "Machine") == "x"
    (results.parent / "machine.json").unlink()
    assert figures.measured_section(results, "cold-start/results.md", "Machine") == "x"
    results.unlink()
    assert "There is no `cold-start/results.md` yet" in figures.measured_section(results, "cold-start/results.md", "x")


def test_spectra_of_a_comparison_are_the_medians_of_its_rounds(tmp_path: Path) -> None:
    text = """Running 1m test @ http://127.0.0.1:8080
       Value   Percentile   TotalCount 1/(1-Percentile)
       {:.3f}     0.500000           50         2.00
       {:.3f}     1.000000          100          inf
#[Max     = {:.3f}, Total count    =          100]
  100 requests in 1.00s, 1.00MB read
Requests/sec:   100.00
"""
    (tmp_path / "stages/raw").mkdir(parents=True)
    sides = [{"letter": "a", "name": "stage1", "median": {}}, {"letter": "b", "name": "stage2", "median": {}}]
    found = {"workload": {"name": "put"}, "load": {"rate_per_s": 2000}, "sides": sides}
    (tmp_path / "stages/comparison.json").write_text(json.dumps(found))
    for letter, latencies in (("a", (1, 9, 2)), ("b", (4, 5, 6))):
        for number, ms in enumerate(latencies, 1):
            (tmp_path / f"stages/raw/{letter}-{number}.txt").write_text(text.format(ms, ms * 10, ms * 10))

    chart = comparison.spectra(tmp_path, "stages")

    assert "Latency by percentile of PUT, 2000/s: stage1 and stage2" in chart.replace(numbers.GAP, " ")
    data = json.loads(chart.split('type="application/json">')[1].split("</script>")[0])
    assert [each["label"] for each in data["series"]] == ["stage1", "stage2"]
    assert [(each["ms"][0], each["ms"][-1]) for each in data["series"]] == [(2.0, 20.0), (5.0, 50.0)]
    assert "<td>90.0" in chart.replace(numbers.GAP, " ")
    assert "compare … --report others" in comparison.spectra(tmp_path, "others")
    (tmp_path / "stages/raw/b-1.txt").rename(tmp_path / "stages/b-1.txt")
    for number in (2, 3):
        (tmp_path / f"stages/raw/b-{number}.txt").unlink()
    with pytest.raises(Failure, match="has no round of b"):
        comparison.spectra(tmp_path, "stages")


def test_percentile_table_joins_comparisons_and_says_which_is_missing(tmp_path: Path) -> None:
    text = """Running 1m test @ http://127.0.0.1:8080
       Value   Percentile   TotalCount 1/(1-Percentile)
       1.000     0.500000           50         2.00
       {0}.000     0.990000        19800       100.00
       {0}.500     0.999900        19998     10000.00
       9.000     1.000000        {1}          inf
#[Max     = {2}.000, Total count    = {1}]
  {1} requests in 1.00s, 1.00MB read
Requests/sec:   100.00
"""
    for name, workload in (("stages-put", "put"), ("stages-get", "get")):
        (tmp_path / name / "raw").mkdir(parents=True)
        names = {"a": "stage1", "b": "stage2 --nodes 3"}
        sides = [{"letter": letter, "name": side, "median": {}} for letter, side in names.items()]
        asked = {"workload": {"name": workload}, "load": {"rate_per_s": 2000}, "rounds": 3, "command": "./workbook …"}
        comparison_json = {**asked, "commit": "0123456789abcdef", "sides": sides}
        (tmp_path / name / "comparison.json").write_text(json.dumps(comparison_json))
        for letter, count in (("a", 20_000), ("b", 1_000)):
            for number, ms in enumerate((2, 4, 3), 1):
                (tmp_path / name / f"raw/{letter}-{number}.txt").write_text(text.format(ms, count, 10 + number))

    table = comparison.percentiles(tmp_path, ["stages-put", "stages-get", "stages-status"]).replace(numbers.GAP, " ")

    heads = "".join(
        f'<th scope="col">{each}</th>' for each in ("p50", "p75", "p90", "p95", "p99", "p99.9", "p99.99", "max")
    )
    assert heads in table
    cells = [f"<td>{each}</td>" for each in ("1.00", "3.00", "3.00", "3.00", "3.00", "3.50", "3.50", "13.0")]
    assert f'<th scope="row">PUT, 2000/s: stage1</th>{"".join(cells)}</tr>' in table
    cells[-2] = f"<td>{figures.NONE}</td>"  # Of 1000 requests, none is beyond p99.99.
    assert f'<th scope="row">GET, 2000/s: stage2 --nodes 3</th>{"".join(cells)}</tr>' in table
    assert f'<th scope="row">stages-status</th>{"<td>not measured yet</td>" * 8}</tr>' in table
    assert "3 rounds: <code>./workbook …</code>, commit 0123456789ab." in table
    assert "compare … --report stages-long-put" in comparison.percentiles(tmp_path, ["stages-long-put"])


def test_timeline_has_the_median_of_the_rounds_of_each_second_and_all_failures(tmp_path: Path) -> None:
    def run(stage: str, p99_micros: int, errors: int) -> dict[str, object]:
        seconds = [{"answered": 2000, "errors": 0, "p99Micros": 1000}]
        seconds.append({"answered": 1990, "errors": errors, "p99Micros": p99_micros})
        asked = {"stage": stage, "workload": "put", "fault": "paused", "lost_s": [1, 2]}
        return {**asked, "seconds": seconds}

    runs = [run("5", 2000, 0), *(run("4", p99, 1) for p99 in (9000, 3000, 4000))]
    (tmp_path / "replica-lost").mkdir()
    (tmp_path / "replica-lost/runs.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in runs))

    chart = timeline.timeline(tmp_path, "put", "paused")

    data = json.loads(chart.split('type="application/json">')[1].split("</script>")[0])
    assert (data["seconds"], data["lost"]) == ([0, 1], [1, 2])
    assert [(each["ms"], each["failed"]) for each in data["series"]] == [([1.0, 4.0], [0, 3]), ([1.0, 2.0], [0, 0])]
    assert [each["per_s"] for each in data["answered"]] == [[2000, 1990]] * 2
    row = '<th scope="row">1</th><td>1990/s</td><td>4.00 ms</td><td>3</td><td>1990/s</td><td>2.00 ms</td><td>0</td>'
    assert row in chart.replace(numbers.GAP, " ")
    with pytest.raises(Failure, match="has no get with a replica paused"):
        timeline.timeline(tmp_path, "get", "paused")
    assert "Not measured yet" in timeline.timeline(tmp_path / "none", "put", "paused")


def test_layers_are_what_a_request_costs_a_column_a_stage(report: Report) -> None:
    run = report.runs["put-profile"]
    data = json.loads((run.folder / "breakdown.json").read_text())
    data["cpu"]["layers"] = [{"name": "dht.storage", "samples": 1, "share": 0.25}]
    (run.folder / "breakdown.json").write_text(json.dumps(data))
    record = json.loads((run.folder / "run.json").read_text())
    record["cpu"] = {"server_us_per_request": 44.0, "server_us_per_request_by_node": [40.0, 3.0, 1.0]}
    record["machine"]["cpu"] = "Intel(R) Xeon(R) Processor"
    (run.folder / "run.json").write_text(json.dumps(record))

    table = figures.layers([report, Missing("stage2-async")], "put-profile").replace(numbers.GAP, " ")

    assert '<th scope="col">stage1: storage, 100 000 keys, Intel Xeon</th>' in table
    assert table.count('<th scope="col">') == 2
    assert '<th scope="row">dht.storage</th><td>10.0 µs</td>' in table
    assert '<th scope="row">all other nodes</th><td>4.00 µs</td>' in table
    assert "<caption>PUT: server CPU per request, by layer</caption>" in table
    assert "`./workbook lab 2`" in figures.layers([Missing("stage2-async")], "put-profile")


def test_allocation_is_a_row_a_stage_and_says_what_was_not_measured(report: Report) -> None:
    assert "`./workbook lab 1`" in figures.allocated([report])  # An older report.
    run = report.runs["get-profile"]
    record = json.loads((run.folder / "run.json").read_text())
    record |= {"allocated_bytes_per_request": 350.5, "allocated_bytes_per_request_by_node": [300.0, 50.5]}
    (run.folder / "run.json").write_text(json.dumps(record))
    later = Report.read(run.folder.parents[1], STAGE)
    assert later is not None

    table = figures.allocated([later, Missing("stage2-async")]).replace(numbers.GAP, " ")

    not_yet = "<td>not measured yet</td>"
    assert f'<th scope="row">stage1: storage</th><td>350 B</td><td>300 B</td>{not_yet * 2}</tr>' in table
    assert f'<th scope="row">stage2: async</th>{not_yet * 4}</tr>' in table


def test_differences_are_those_of_the_processor_time(report: Report) -> None:
    found = figures.differences([report, Missing("stage2-async")])

    assert "[stage1-storage, GET](../reports/stage1-storage/get-profile/diff-cpu.html)" in found
    assert "diff-alloc" not in found
    assert "`./workbook lab 2`" in figures.differences([Missing("stage2-async")])


def test_waiting_is_drawn_for_the_traced_runs_of_a_report(report: Report) -> None:
    section = waiting.section(report, []).replace(numbers.GAP, " ")

    assert section.count("<h4>") == 1
    assert "<h4>PUT at 19000/s, half of the sustained rate, traced</h4>" in section
    p99 = report.runs["put-trace"].entry["latency_ms"]["p99"]
    assert f"99 % up to {p99:.2f} ms: from the moment when a request was due" in section
    assert '<th scope="row">other nodes</th><td>0.127</td><td>55%</td>' in section
    assert "The 3 slowest, as time lines</summary>" in section
    assert "node1: garbage collection for 0.15 ms" in section
    assert waiting.section(report, ["put-trace"]) == waiting.section(report, [])
    assert waiting.waited(report, "put-trace", "slowest", "queue") == numbers.share(0.1)
    with pytest.raises(Failure, match="'fastest' must be one of median, slowest, 'queue' one of queue, own storage"):
        waiting.waited(report, "put-trace", "fastest", "queue")


def test_wall_graphs_of_a_traced_run_are_tabs_and_the_slowest_are_open(report: Report, tmp_path: Path) -> None:
    run = report.runs["put-trace"]
    folder = tmp_path / "put-trace"
    folder.mkdir()
    for name in ("flame-wall-all", "flame-wall-slowest", "diff-wall", "flame-cpu"):
        (folder / f"{name}.html").write_text("<html>")
    traced = replace(report, runs={"put-trace": replace(run, folder=folder)})

    tabs = waiting.wall_graphs(traced, "put-trace", ["Worker.run"])

    assert re.findall(r"- \[(.*?)\]\(../reports/[^)]*/(put-trace/.*?)\)", tabs) == [
        ("PUT · what all requests did", "put-trace/flame-wall-all.html"),
        ("PUT · what the slowest 1 % did", "put-trace/flame-wall-slowest.html"),
        ("PUT · the difference", "put-trace/diff-wall.html"),
    ]
    assert 'data-opened="put-trace/flame-wall-slowest.html"' in tabs
    assert "Worker.run" in tabs


def test_wall_graphs_that_nobody_has_made_are_not_measured(report: Report) -> None:
    for found in (
        waiting.wall_graphs(Missing(STAGE), "put-trace", []),
        waiting.wall_graphs(report, "get-trace", []),
        waiting.wall_graphs(report, "put-trace", []),
    ):
        assert "`./workbook lab 1` measures this stage" in found


def test_waiting_of_a_report_without_traced_runs_is_not_measured(report: Report, tmp_path: Path) -> None:
    for section in (waiting.section(Missing(STAGE), []), waiting.section(report, ["get-trace"])):
        assert "`./workbook lab 1` measures this stage" in section
    assert waiting.waited(report, "get-trace", "median", "queue") == figures.NOT_MEASURED
    assert "`./workbook lab 1` measures this stage" in waiting.cost(tmp_path, STAGE)


def test_cost_of_tracing_is_a_table_and_what_it_says(tmp_path: Path) -> None:
    verdict = {"name": "rate_per_s", "verdict": "within noise", "change_share": -0.03}
    side = {"rounds": {"rate_per_s": [100.0]}, "median": {"rate_per_s": 100.0}}
    traced = {**side, "name": "stage1-storage, traced", "against_a": [verdict]}
    found = {
        "sides": [{**side, "name": "stage1-storage", "against_a": []}, traced],
        "rounds": 3,
        "workload": {"name": "get"},
        "load": {"rate_per_s": 1_000_000},
        "commit": None,
        "dirty": False,
        "command": "./workbook lab 1",
    }
    (tmp_path / STAGE / "trace-cost").mkdir(parents=True)
    (tmp_path / STAGE / "trace-cost/comparison.json").write_text(json.dumps(found))

    cost = waiting.cost(tmp_path, STAGE)

    assert '<th scope="row">stage1-storage, traced</th>' in cost
    assert "<p>With tracing, the rate is 3.0% lower (within the noise).</p>" in cost


def test_placement_is_a_line_a_kind_with_shares_and_moves(tmp_path: Path) -> None:
    def spread(kind: Mapping[str, object], held: list[int]) -> list[dict[str, object]]:
        return [{**kind, "nodes": 10, "keySet": keys, "held": held} for keys in ("random", "sequential")]

    even, ring = {"placement": "rendezvous"}, {"placement": "consistent", "virtualNodes": 3}
    found = {
        "keys": 100_000,
        "spread": [*spread(even, [10_000] * 10), *spread(ring, [13_000, 7_000] + [10_000] * 8)],
        "movement": [{**kind, "from": 10, "to": 11, "moved": 9_000} for kind in (even, ring)],
    }
    assert "Not measured yet" in placement.placement(tmp_path)
    (tmp_path / "placement").mkdir()
    (tmp_path / "placement/placement.json").write_text(json.dumps(found))

    table = placement.placement(tmp_path)

    gap = numbers.GAP
    assert (
        f'<th scope="row">consistent, 3 virtual nodes</th><td><div class="shares" role="img" aria-label="13.0{gap}%'
        in table
    )
    assert f'<td>30.0{gap}%</td><td class="bar" style="--share:0.0900">9.0{gap}%</td>' in table
    assert 'an equal share for the new node</th><td></td><td></td><td class="bar" style="--share:0.0909">' in table


def test_floor_is_a_line_a_server_beside_the_bare_one(tmp_path: Path) -> None:
    def run(side: str, workload: str, number: int, rate_per_s: float, cpu_us: float) -> str:
        what = {"side": side, "workload": workload, "round": number, "connections": 16, "warmup_s": 20}
        return json.dumps({**what, "rate_per_s": rate_per_s, "cpu_us": cpu_us})

    assert "Not measured yet" in floor.floor(tmp_path)
    (tmp_path / "fan-out-floor").mkdir()
    lines = [
        run(side, workload, number, rate_per_s, cpu_us)
        for number, off in ((1, 0), (2, 2))
        for workload in ("get", "put")
        for side, rate_per_s, cpu_us in (("bare server", 99_999 + off, 9 + off), ("to <two>", 24_999 + off, 39 + off))
    ]
    (tmp_path / "fan-out-floor/runs.jsonl").write_text("\n".join(lines))

    table = floor.floor(tmp_path)

    gap = numbers.GAP
    assert "16 connections, after a warm-up of 20 s" in table
    assert "Medians of 2 rounds" in table
    cells = (
        f'<td>25{gap}000/s</td><td class="bar" style="--share:0.2500">25.0{gap}%</td>'
        f'<td class="bar" style="--share:1.0000">40.0{gap}µs</td>'
    )
    assert f'<th scope="row">to &lt;two&gt;</th>{cells}{cells}</tr>' in table
    assert f'<td class="bar" style="--share:1.0000">100.0{gap}%</td><td class="bar" style="--share:0.2500">' in table
