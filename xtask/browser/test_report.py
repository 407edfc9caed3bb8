"""The report of a campaign in a real browser: it loads nothing, complains of nothing, and can be read.

Run by `cargo xtask test --only browser`, which installs what is needed and sets two variables:
ELFVING_BROWSER (the browser's program) and ELFVING_REPORTS (a folder of reports).
"""

import os
import pathlib

import pytest
from axe_playwright_python.sync_playwright import Axe

REPORTS = sorted(pathlib.Path(os.environ["ELFVING_REPORTS"]).glob("*.html"))
WIDTHS = [1280, 400]


@pytest.fixture(params=REPORTS, ids=lambda path: path.stem)
def report(request):
    return request.param


@pytest.fixture
def opened(browser, report):
    """Opens the report at a width; the page keeps what it asked for and what it complained of."""
    pages = []

    def open_at(width):
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.requests, page.complaints = [], []
        page.on("request", lambda request: page.requests.append(request.url))
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.goto(report.as_uri())
        pages.append(page)
        return page

    yield open_at
    for page in pages:
        page.close()


def test_there_are_reports():
    assert len(REPORTS) >= 3, REPORTS


def test_it_asks_for_nothing_but_itself_and_complains_of_nothing(opened, report):
    page = opened(1280)
    assert [url for url in page.requests if not url.startswith("data:")] == [report.as_uri()]
    assert page.complaints == []


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_sticks_out_and_the_letters_can_be_read(opened, width):
    page = opened(width)
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    smallest = page.evaluate(
        """Math.min(...[...document.querySelectorAll('p, td, th, li, summary, figcaption')]
               .map(element => parseFloat(getComputedStyle(element).fontSize)))"""
    )
    assert smallest >= 13
    # Words inside pictures shrink with them: a picture keeps a width at which they can be read.
    letters = page.evaluate(
        """Math.min(...[...document.querySelectorAll('svg text')].map(text => {
               const svg = text.ownerSVGElement;
               const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
               return parseFloat(getComputedStyle(text).fontSize) * scale;
           }), 99)"""
    )
    assert letters >= 7


def test_the_keyboard_reaches_everything_that_scrolls_or_unfolds(opened):
    page = opened(400)
    wanted = page.evaluate("document.querySelectorAll('.scroll:not(details .scroll), summary').length")
    reached = set()
    for _ in range(wanted + 10):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("(() => { const e = document.activeElement; return e.matches('.scroll, summary') "
                                  "? [...document.querySelectorAll('.scroll, summary')].indexOf(e) : -1 })()"))
    assert len(reached - {-1}) == wanted
    # The first stop leads past the head of the page.
    page.reload()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#now"


def test_a_summary_unfolds_with_the_enter_key(opened):
    page = opened(1280)
    page.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.querySelector('summary').parentElement.open")


@pytest.mark.parametrize("width", WIDTHS)
def test_those_who_do_not_see_it_can_use_it(opened, width):
    page = opened(width)
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    found = Axe().run(page)
    problems = [(violation["id"], violation["nodes"][0]["html"]) for violation in found.response["violations"]]
    assert problems == []
    # Every picture says in words what it shows.
    pictures = page.locator("[role=img]")
    for k in range(pictures.count()):
        assert len(pictures.nth(k).get_attribute("aria-label")) > 20


def test_a_picture_of_the_page_is_not_blank(opened, report, tmp_path):
    page = opened(1280)
    screenshot = page.screenshot(full_page=True, path=tmp_path / f"{report.stem}.png")
    assert len(screenshot) > 20_000
