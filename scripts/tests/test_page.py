from __future__ import annotations

import xml.etree.ElementTree as ET

from workbook.measure import chart
from workbook.measure.chart import Line


def test_chart_is_whole_and_names_its_lines() -> None:
    svg = chart.percentiles(
        [
            Line("put <1>", [(0.0, 0.05), (0.5, 1.0), (0.99, 10.0), (1.0, 99.0)]),
            Line("floor", [(0.5, 0.5)], dashed=True),
        ]
    )

    root = ET.fromstring(svg)
    texts = [element.text for element in root.iter("text")]
    assert {"put <1>", "floor", "99.99 %", "0.1 ms", "10 ms"} <= set(texts)
    assert [title.text for title in root.iter("title")][1] == "put <1>: 50.00000% within 1 ms"
    lines = list(root.iter("polyline"))
    assert [line.get("stroke-dasharray") for line in lines] == [None, "6 4"]
    assert lines[0].get("points", "").count(",") == 3  # The last point has no place on a logarithmic axis.


def test_chart_puts_slower_above_and_later_percentiles_to_the_right() -> None:
    root = ET.fromstring(chart.percentiles([Line("put", [(0.5, 1.0), (0.9, 2.0), (0.999, 50.0)])]))

    points = next(root.iter("polyline")).get("points", "").split()
    found = [tuple(map(float, point.split(","))) for point in points]
    assert found == sorted(found, key=lambda point: point[0])
    assert found == sorted(found, key=lambda point: -point[1])


def test_chart_without_a_point_is_drawn_all_the_same() -> None:
    assert ET.fromstring(chart.percentiles([Line("none", [])])).tag == "svg"
