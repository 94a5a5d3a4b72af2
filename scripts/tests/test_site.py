"""The site, built strictly from the checkout's own pages, and looked at in a browser.

Its figures are those of a made-up report, so that each kind of chart is there whatever was measured.
"""

from __future__ import annotations

import functools
import html
import re
import shutil
import signal
import threading
import urllib.request
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.error import URLError

import pytest

from tests import browser
from tests.browser import Browser
from tests.fakes import SCRIPTS, await_true, called, free_ports, taken_port
from tests.test_pages import REPORT, STAGE
from workbook import browsers
from workbook.cli import main
from workbook.exercises import catalog
from workbook.failure import Failure
from workbook.host import Host
from workbook.pages.builder import SiteBuilder
from workbook.project import Project

ROOT = SCRIPTS.parent
CHAPTER = f"stages/{STAGE}/"
MEASURED = "stages/stage1-measured/"
PAGE_BYTES_MAX = 1_500_000
SITE_BUILT_WITHIN_S = 180
RIGHT, END, ENTER = "\ue014", "\ue010", "\ue007"  # As WebDriver writes these keys.
PHONE, DESK = (390, 844), (1400, 900)
LOOKS = [("light", DESK), ("dark", PHONE)]
# The start, a chapter, its figures, stages side by side, an exercise, and a reference.
ONE_OF_EACH_KIND = ["", CHAPTER, MEASURED, "stages/compared/", "exercises/1.1-bloom-filter/", "reference/http/"]

# The headings of the three pages of each chapter, in this order.
IDEA = ["outcomes", "promise", "predict", "how", "run", "changes", "next"]
FIGURES = ["measure", "flame-graphs", "cost"]
EXPERIMENTS = ["questions", "experiments"]
WAITING = ["half", "knee", "wall", "recording"]


class Headings(HTMLParser):
    """The anchors of a page's second-level headings."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "h2":
            self.found.append(dict(attrs).get("id") or "")


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkout's pages and sources in a folder of their own, with the made-up report in place of the lab's."""
    root = tmp_path_factory.mktemp("checkout")
    try:
        SiteBuilder(Project(root)).prepare()
    except Failure as missing:
        pytest.skip(str(missing).splitlines()[0])
    stages = [module.name for module in Project(ROOT).modules if module.stage_number]
    poms = [f"{module.name}/pom.xml" for module in Project(ROOT).modules]
    for name in ("mkdocs.yml", "pom.xml", *poms, *(f"{stage}/README.md" for stage in stages)):
        (root / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(ROOT / name, root / name)
    sources = [f"{module}/src/main/java" for module in (*stages, "benchmarks")]
    exercises = [f"{stage}/exercises" for stage in stages]
    for name in ("docs", *sources, *exercises, "scripts/workbook/pages"):
        shutil.copytree(ROOT / name, root / name)
    shutil.rmtree(root / "docs/reports" / STAGE, ignore_errors=True)
    shutil.copytree(REPORT, root / "docs/reports" / STAGE)
    return root


@pytest.fixture(scope="module")
def site(checkout: Path) -> Path:
    assert main(["site", "--build"], checkout) == 0
    return checkout / "site"


GRAPH = re.compile("/(flame|heatmap|diff)-")


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def window(site: Path) -> Iterator[Browser]:  # noqa: ARG001 - Built first: it takes the time that a browser waits.
    found = browsers.find(Host())
    if isinstance(found, str):
        pytest.skip(found)
    chromium, driver = found
    with browser.opened(chromium, driver, free_ports()) as opened:
        yield opened


def pages(site: Path) -> list[str]:
    """Addresses of all pages, below the site's."""
    found = [str(path.parent.relative_to(site)) for path in site.rglob("index.html")]
    return sorted("" if name == "." else f"{name}/" for name in found)


# ---- building


@pytest.mark.long_by_nature
def test_site_of_this_checkout_can_be_built_strictly(tmp_path: Path, checkout: Path) -> None:  # noqa: ARG001
    SiteBuilder(Project(ROOT)).build(tmp_path / "site")

    assert (tmp_path / "site" / CHAPTER / "index.html").is_file()


def test_site_asks_no_other_machine_for_anything(site: Path) -> None:
    loaded = re.compile(
        r"""(?:<(?:script|img|iframe|source|video)[^>]+src|<link[^>]+href)=["']?(?:https?:)?//[^"'>]+"""
    )

    for page in site.rglob("*.html"):
        assert not loaded.findall(page.read_text()), page


def test_hints_and_solutions_are_in_no_page_and_not_in_the_search(site: Path) -> None:
    texts = [(site / "search" / "search_index.json").read_text(encoding="utf-8")]
    texts += [page.read_text(encoding="utf-8") for page in site.rglob("*.html")]
    shown = [_words(html.unescape(re.sub(r"<[^>]+>", " ", text.replace("\\n", " ")))) for text in texts]
    exercises = catalog.read(Project(ROOT)).exercises
    secret = {
        (each.id, _words(sentence))
        for each in exercises
        for text in (each.solution.read_text(encoding="utf-8"), *(hint for _, hint in each.hints))
        for sentence in re.split(r"(?<=[.:?])\s+", re.sub(r"[`*]", "", text))
        if len(sentence.split()) >= 8
    }
    assert len(secret) > 5 * len(exercises)

    found = sorted(each for each in secret if any(each[1] in text for text in shown))

    assert not found


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text))


def test_chapters_have_their_parts_in_the_agreed_order(site: Path) -> None:
    chapters = sorted((site / "stages").glob("stage*/index.html"))

    assert site / CHAPTER / "index.html" in chapters
    waiting = [chapter for chapter in chapters if chapter.parent.name.endswith("-waiting")]
    stages = sum(module.stage_number is not None for module in Project(ROOT).modules)
    assert len(chapters) == 3 * stages + len(waiting)
    known = {"measured": FIGURES, "waiting": WAITING, "experiments": EXPERIMENTS}
    for chapter in chapters:
        parts = known.get(chapter.parent.name.partition("-")[2], IDEA)
        assert Headings(chapter.read_text()).found == parts, chapter


def test_index_of_the_stages_links_to_each_page_of_each_chapter() -> None:
    stages = ROOT / "docs" / "stages"
    index = (stages / "index.md").read_text()
    pages = sorted(stages.glob("stage*.md"))

    assert len(pages) >= 15
    assert [page.name for page in pages if f"]({page.name})" not in index] == []


def test_chapter_holds_its_code_its_figures_and_nothing_unfilled(site: Path) -> None:
    assert "dht.storage.lsm.NewestVersion, lines " in (site / CHAPTER / "index.html").read_text()
    page = (site / MEASURED / "index.html").read_text()
    assert page.count('<figure class="chart"') == page.count("The figures of this chart") == 5
    for left_over in ("{{ ", " }}", "Not measured yet", "(not measured yet)", "wzxhzdk"):
        assert left_over not in page


@pytest.mark.long_by_nature
def test_chapter_without_a_report_says_how_to_make_it(checkout: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    shutil.copytree(checkout, bare, ignore=shutil.ignore_patterns("site"))
    shutil.rmtree(bare / "docs/reports" / STAGE)

    SiteBuilder(Project(bare)).build(tmp_path / "site")

    page = (tmp_path / "site" / MEASURED / "index.html").read_text()
    assert "<code>./workbook lab 1</code> measures this stage" in page
    assert '<figure class="chart"' not in page


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{{ code dht.storage.lsm.LsmDao sing }}", "LsmDao.java has 0 methods and regions named 'sing'"),
        ("It says {{ code dht.storage.lsm.LsmDao\nput }} here.", "a place must end on its own line"),
        ("{{ charts stage1-storage }}", "{{ charts stage1-storage }}: there are "),
        ("{{ ladder stage1-storage }}", "{{ ladder stage1-storage }}:"),
        ("[nowhere](nowhere.md)", "nowhere.md"),
    ],
)
def test_page_that_cannot_be_filled_in_breaks_the_build_and_is_named(
    checkout: Path, tmp_path: Path, text: str, complaint: str
) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(checkout, broken, ignore=shutil.ignore_patterns("site"))
    (broken / "docs/start.md").write_text(f"# Start\n\n{text}\n")

    with pytest.raises(Failure, match=re.escape(complaint)) as failure:
        SiteBuilder(Project(broken)).build(tmp_path / "site")
    assert "start.md" in str(failure.value)
    assert "Traceback" not in str(failure.value)


# ---- serving


@pytest.mark.long_by_nature
def test_site_is_served_until_it_is_interrupted(checkout: Path) -> None:
    port = free_ports()
    url = f"http://127.0.0.1:{port}/{CHAPTER}"

    def answers() -> bool:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return bool(answer.status == 200)
        except URLError:
            return False

    with called(Project(checkout), "site", "--port", str(port), env=dict(Host().env)) as command:
        await_true(answers, SITE_BUILT_WITHIN_S)

        command.send(signal.SIGINT)

        assert command.await_exit() == 130
        assert "Traceback" not in command.output
        await_true(lambda: not answers())


def test_site_on_a_taken_port_says_so(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with taken_port() as port:
        assert main(["site", "--port", str(port)], checkout) == 1
        assert f"port {port} cannot be used" in capsys.readouterr().err


# ---- in a browser


@pytest.mark.parametrize(("scheme", "size"), LOOKS)
def test_page_of_each_kind_opens_fits_and_complains_of_nothing(
    window: Browser, address: str, site: Path, scheme: str, size: tuple[int, int]
) -> None:
    assert set(ONE_OF_EACH_KIND) <= set(pages(site))
    check_pages(ONE_OF_EACH_KIND, window, address, scheme, size)


@pytest.mark.long_by_nature
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("scheme", "size"), LOOKS)
def test_each_page_opens_fits_and_complains_of_nothing(
    window: Browser, address: str, site: Path, scheme: str, size: tuple[int, int]
) -> None:
    check_pages(pages(site), window, address, scheme, size)


def check_pages(wanted: Iterable[str], window: Browser, address: str, scheme: str, size: tuple[int, int]) -> None:
    window.prefer(scheme)
    window.resize(*size)
    window.requested()
    for page in wanted:
        window.open(address + page)
        width = window.run("return document.documentElement.scrollWidth")

        assert window.console_errors() == [], page
        assert width <= size[0], f"{page} is {width} pixels wide"
        outside = [url for url in window.requested() if not url.startswith((address, "data:", "blob:"))]
        assert outside == [], page


@pytest.mark.long_by_nature
def test_chapter_is_light_enough(window: Browser, address: str) -> None:
    window.forget()
    window.open(address + MEASURED)

    weight = window.run(
        "return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
        ".reduce((sum, each) => sum + each.encodedBodySize, 0)"
    )
    assert 400_000 < weight < PAGE_BYTES_MAX


@pytest.mark.long_by_nature
@pytest.mark.parametrize(("old", "new"), [("#cost", "#cost"), ("#cpu", "#cpu")])
def test_old_address_of_a_heading_leads_to_the_page_that_has_it_now(
    window: Browser, address: str, old: str, new: str
) -> None:
    window.open(address)
    window.open(address + CHAPTER + old)

    assert window.wait_for("return location.pathname.includes('measured') && location.href") == address + MEASURED + new


@pytest.mark.long_by_nature
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_follow_the_system(window: Browser, address: str, scheme: str) -> None:
    window.prefer(scheme)
    window.open(address)

    background = window.run("return getComputedStyle(document.body).backgroundColor")
    brightness = sum(int(part) for part in re.findall(r"\d+", background)[:3]) / 3
    assert (brightness > 128) == (scheme == "light")


@pytest.mark.long_by_nature
@pytest.mark.parametrize("page", [MEASURED, "stages/stage5-measured/"])
def test_charts_draw_every_series(window: Browser, address: str, page: str) -> None:
    window.prefer("light")
    window.resize(*DESK)
    window.open(address + page)

    missing = window.run("""
        const colour = (name) => {
            const probe = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
            probe.fillStyle = getComputedStyle(document.body).getPropertyValue(name).trim();
            probe.fillRect(0, 0, 1, 1);
            return [...probe.getImageData(0, 0, 1, 1).data].join();
        };
        return [...document.querySelectorAll('figure.chart')].flatMap((figure, at) => {
            const canvas = figure.querySelector('canvas');
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            const seen = new Map();
            for (let i = 0; i < data.length; i += 4) {
                const key = [data[i], data[i + 1], data[i + 2], data[i + 3]].join();
                seen.set(key, (seen.get(key) ?? 0) + 1);
            }
            const { series } = JSON.parse(figure.querySelector('script').textContent);
            return series
                .map((each, i) => [each.label, colour(each.floor ? '--chart-floor' : `--chart-${i + 1}`)])
                .map(([label, drawn]) => [label, seen.get(drawn) ?? 0])
                .filter(([, pixels]) => pixels < 50)
                .map(([label, pixels]) => `chart ${at}: ${label} has ${pixels} pixels`);
        });
    """)
    assert missing == []


@pytest.mark.long_by_nature
def test_chart_is_read_with_the_keyboard(window: Browser, address: str) -> None:
    window.open(address + MEASURED)
    window.run("document.querySelector('.chart-plot').focus()")

    window.press(RIGHT)
    first = window.run("return document.querySelector('.chart-words').textContent")
    window.press(END)
    last = window.run("return document.querySelector('.chart-words').textContent")

    assert re.fullmatch(r"25\s%: PUT \S+\sms, floor of PUT \S+\sms", first)
    assert re.match(r"99\.99\d*\s%: PUT ", last)


@pytest.mark.long_by_nature
def test_chart_changes_its_scale(window: Browser, address: str) -> None:
    window.open(address + MEASURED)
    before = window.run("return document.querySelector('figure.chart canvas').toDataURL()")

    window.run("document.querySelector('.chart-scale').click()")
    window.wait_for("return document.querySelector('figure.chart canvas').toDataURL() !== arguments[0]", before)

    assert window.run("return document.querySelector('.chart-scale').textContent") == "logarithmic scale"


@pytest.mark.long_by_nature
def test_flame_graphs_are_loaded_when_they_are_opened_and_show_frames(window: Browser, address: str) -> None:
    window.prefer("dark")
    window.open(address + MEASURED)
    window.run("document.querySelector('.flamegraphs').scrollIntoView()")
    window.wait_for("return document.querySelector('.flamegraphs iframe')?.style.height")
    window.requested()
    count = window.run("return document.querySelectorAll('.flamegraphs [role=tab]').length")
    assert count == len(list(REPORT.rglob("*.html")))

    for i in range(count):
        window.run("document.querySelectorAll('.flamegraphs [role=tab]')[arguments[0]].click()", i)
        window.wait_for("return document.querySelector('.flamegraphs iframe')?.style.height")
        requested = [url for url in window.requested() if GRAPH.search(url)]
        assert len(requested) == 1
        with window.frame(".flamegraphs iframe"):
            if "heatmap-" in requested[0]:
                assert window.run("return document.querySelector('canvas').width") > 100
            else:
                assert window.run("return levels.flat().length") > 10
                assert window.run("return document.documentElement.classList.contains('dark')")
    assert window.console_errors() == []


@pytest.mark.long_by_nature
@pytest.mark.parametrize("stage", [1, 2, 3, 4, 5])
def test_flame_graph_is_open_and_numbers_every_frame_that_the_text_names(
    window: Browser, address: str, stage: int
) -> None:
    window.prefer("light")
    window.resize(*DESK)
    window.open(f"{address}stages/stage{stage}-measured/")
    named = window.run(
        "return [...document.querySelectorAll('.md-content .callout')].map((each) => each.textContent).sort()"
    )
    window.run("document.querySelector('.flamegraphs').scrollIntoView()")
    window.wait_for("return document.querySelector('.flamegraphs iframe')?.style.height")

    with window.frame(".flamegraphs iframe"):
        drawn = window.run("return [...document.querySelectorAll('.callout')].map((each) => each.textContent)")
        rows = window.run("return [...document.querySelectorAll('.callout')].map((each) => parseInt(each.style.top))")
    assert len(drawn) > 1
    assert drawn == sorted(set(named))
    assert all(row >= 0 for row in rows)


@pytest.mark.long_by_nature
def test_flame_graph_has_its_title_above_its_buttons_on_a_phone(window: Browser, address: str) -> None:
    window.resize(*PHONE)
    window.open(address + MEASURED)
    window.run("document.querySelector('.flamegraphs').scrollIntoView()")
    window.wait_for("return document.querySelector('.flamegraphs iframe')?.style.height")

    with window.frame(".flamegraphs iframe"):
        bottom = window.run("return document.querySelector('h1').getBoundingClientRect().bottom")
        top = window.run("return document.querySelector('header').getBoundingClientRect().top")
    assert bottom <= top


@pytest.mark.long_by_nature
def test_flame_graph_tabs_are_walked_with_the_keyboard(window: Browser, address: str) -> None:
    window.open(address + MEASURED)
    window.run("document.querySelector('.flamegraphs [role=tab]').focus()")

    window.press(RIGHT)
    window.press(ENTER)

    selected = window.run("return document.querySelector('.flamegraphs [aria-selected=true]').textContent")
    assert selected == window.run("return document.querySelectorAll('.flamegraphs [role=tab]')[1].textContent")
    assert selected == window.run("return document.activeElement.textContent")


@pytest.mark.long_by_nature
def test_copy_button_takes_the_commands_of_a_console_alone(window: Browser, address: str) -> None:
    window.open(f"{address}/start/")
    window.run("document.execCommand = () => { window.copied = document.activeElement.value; return true }")
    button = "document.querySelector('.highlight:has(.gp):has(.go) button')"
    window.wait_for(f"return {button} !== null")
    window.run(f"{button}.click()")
    copied = str(window.wait_for("return window.copied")).splitlines()
    assert copied == ["./workbook run 1"]


@pytest.mark.long_by_nature
def test_search_finds_tombstone(window: Browser, address: str) -> None:
    window.resize(*DESK)
    window.open(address)
    window.run("const box = document.querySelector('[data-md-component=search-query]'); box.focus()")

    window.press("tombstone")

    window.wait_for(
        "return [...document.querySelectorAll('.md-search-result__link')]"
        ".some((each) => each.href.includes('reference/glossary'))"
    )
