"""The server in a real browser: a chemist's week by clicking, two browsers at once, small screens, no script, the keyboard.

Run by `cargo xtask test --only browser`, which installs what is needed and sets the variables: ELFVING_BROWSER (the browser's
program), ELFVING_PROGRAM (ours) and ELFVING_PICTURES (a folder for screenshots).
"""

import json
import os
import pathlib
import subprocess
import time

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

PICTURES = pathlib.Path(os.environ["ELFVING_PICTURES"])
WIDTHS = [1280, 400]
SOLVENTS, BASES = ["DMAc", "BuOAc", "p-xylene"], ["KOAc", "CsOAc"]
POOL = "id,temperature,solvent,base\n" + "".join(
    f"r{k},{90 + 15 * (k % 3)},{SOLVENTS[k // 3 % 3]},{BASES[k // 9]}\n" for k in range(18)
)


@pytest.fixture
def server(tmp_path):
    folder = tmp_path / "campaigns"
    folder.mkdir()
    command = [os.environ["ELFVING_PROGRAM"], "serve", "--listen", "127.0.0.1:0", "--json", "--dir", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        running.address = json.loads(running.stdout.readline())["address"]
        running.folder = folder
        yield running
        running.kill()


def elfving(server, *words):
    answer = subprocess.run([os.environ["ELFVING_PROGRAM"], *words], cwd=server.folder, capture_output=True, text=True)
    assert answer.returncode in (0, 10), answer.stderr
    return answer.stdout


@pytest.fixture
def opened(browser, server):
    """Opens a page; at the end nothing was asked of another host and nothing was complained of."""
    contexts, pages = [], []

    def open_page(width=1280, **options):
        context = browser.new_context(viewport={"width": width, "height": 900}, base_url=server.address, **options)
        page = context.new_page()
        page.foreign, page.complaints = [], []
        page.on("request", lambda request: page.foreign.append(request.url)
                if not request.url.startswith((server.address, "data:")) else None)
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        contexts.append(context)
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        # A refusal (409 and the like) that a test provokes is one line of the browser's own.
        complaints = [text for text in page.complaints if "Failed to load resource" not in text]
        assert (page.foreign, complaints) == ([], [])
    for context in contexts:
        context.close()


@pytest.fixture
def screen(server):
    """A campaign with some results, on a plate."""
    (server.folder / "pool.csv").write_text(POOL)
    elfving(server, "new", "screen", "pool.csv", "--id", "id", "--maximize", "yield", "--mode", "calibrated",
            "--batch", "6", "--plate", "2x3")
    for turn in range(2):
        rows = json.loads(elfving(server, "ask", "screen", "--json"))["rows"]
        lines = "".join(f"{row['slot']},{40 + 3 * (k % 5) + turn}\n" for k, row in enumerate(rows[: 6 - turn]))
        (server.folder / "results.csv").write_text("slot,yield\n" + lines)
        elfving(server, "tell", "screen", "results.csv")
    return server


def picture(page, name):
    page.screenshot(full_page=True, path=PICTURES / f"serve-{name}.png")


def create(page, pool):
    page.goto("/")
    page.get_by_role("link", name="New campaign").click()
    page.locator("[name=name]").fill("week")
    page.get_by_label("Table of candidates").set_input_files(pool)
    page.get_by_label("Column that names the candidates").fill("id")
    page.locator("[name=outcome]").fill("yield")
    page.locator("[name=batch]").fill("6")
    page.locator("[name=plate]").fill("2x3")
    page.get_by_role("button", name="Look at it").click()
    assert "18 candidates" in page.inner_text("main") and "category" in page.inner_text("main")
    picture(page, "new")
    page.get_by_role("button", name="Create week").click()
    page.wait_for_url("**/c/week")


@pytest.mark.parametrize("script", [True, False], ids=["script", "no-script"])
def test_a_chemists_week(opened, server, tmp_path, script):
    page = opened(java_script_enabled=script)
    pool = tmp_path / "pool.csv"
    pool.write_text(POOL)
    create(page, pool)
    page.get_by_role("link", name="ask for the next batch").click()
    page.get_by_role("button", name="Ask").click()
    assert "6 slots are open" in page.inner_text("main") and "Plate 1" in page.inner_text("main")
    picture(page, "batch")

    # A half-filled column from a spreadsheet.
    page.get_by_role("link", name="Record results").click()
    slots = page.locator("td code").all_inner_texts()
    column = "61,5\n\n48,0\nfailed\n\n70,25"
    if script:
        page.locator("input.cell").first.evaluate(
            """(cell, text) => { const data = new DataTransfer(); data.setData("text", text);
               cell.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })) }""",
            column,
        )
        assert [cell.input_value() for cell in page.locator("input.cell").all()] == column.split("\n")
    else:
        page.locator("#paste").fill(column)
    page.locator("#decimal").select_option(",")
    page.get_by_role("button", name="Look at it").click()
    words = page.inner_text("main")
    assert "Nothing is recorded yet" in words and "failed: asked again" in words, words
    picture(page, "look")
    page.get_by_role("button", name="Record").click()
    assert "Done." in page.inner_text("main")
    exported = json.loads(elfving(server, "export", "week", "--json"))["slots"]
    assert {slot["slot"]: slot["reading"] for slot in exported if slot["reading"]} == {
        slots[0]: 61.5, slots[2]: 48.0, slots[5]: 70.25}

    # Another value for a slot is a conflict, and with a reason a correction.
    page.goto("/c/week/tell")
    page.locator("#paste").fill(f"slot,yield\n{slots[0]},16.5\n{slots[1]},55")
    page.get_by_role("button", name="Look at it").click()
    assert "another outcome on record" in page.inner_text("main") and "61.5" in page.inner_text("main")
    picture(page, "conflict")
    page.get_by_label("Reason").fill("the digits were swapped")
    page.get_by_role("button", name="Replace and record").click()
    assert "1 corrected" in page.inner_text("main")

    # Late results as a file; then where it stands, and the report.
    page.goto("/c/week/tell")
    late = tmp_path / "late.csv"
    late.write_text(f"slot,yield\n{slots[4]},59\n")
    page.locator("#file").set_input_files(late)
    page.get_by_role("button", name="Look at it").click()
    page.get_by_role("button", name="Record").click()
    page.get_by_role("link", name="Where the campaign stands now").click()
    assert "Pick so far: r" in page.inner_text("main")
    picture(page, "campaign")
    page.get_by_role("link", name="Log").click()
    page.get_by_role("link", name="Check every seal").click()
    assert "Intact" in page.inner_text("main") and "the digits were swapped" in page.inner_text("main")
    page.get_by_role("link", name="Report", exact=True).click()
    assert page.locator("h2").first.inner_text() in ("Status", "Result")
    assert page.evaluate("getComputedStyle(document.querySelector('.now')).borderLeftStyle") == "solid" if script else True


def test_two_browsers_see_each_others_results_within_a_second(opened, screen):
    one, other = opened(), opened()
    other.goto("/c/screen")
    other.wait_for_timeout(500)
    one.goto("/c/screen/tell")
    one.locator("input.cell").first.fill("77")
    one.get_by_role("button", name="Look at it").click()
    before = other.locator(".numbers b").first.inner_text()
    one.get_by_role("button", name="Record").click()
    began = time.monotonic()
    # Not by evaluating a text, which the pages do not allow.
    expect(other.locator(".numbers b").first).not_to_have_text(before, timeout=5000)
    assert time.monotonic() - began < 1.0
    # Whoever types loses nothing: they are told that there is news.
    other.goto("/c/screen/tell")
    other.wait_for_timeout(500)
    other.locator("#paste").fill("1\n2")
    elfving(screen, "ask", "screen", "--json")
    elfving(screen, "change", "screen", "--batch", "7", "--reason", "more", "--json")
    other.wait_for_selector("#news:not([hidden])", timeout=5000)
    assert other.locator("#paste").input_value() == "1\n2"


PLACES = ["/", "/new", "/c/screen", "/c/screen/batch", "/c/screen/tell", "/c/screen/candidates", "/c/screen/candidates/r1", "/c/screen/log"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_can_be_read_and_used(opened, screen, width, scheme):
    page = opened(width, color_scheme=scheme)
    for place in PLACES:
        page.goto(place)
        page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, place
        found = Axe().run(page)
        problems = [(place, violation["id"], violation["nodes"][0]["html"]) for violation in found.response["violations"]]
        assert problems == []
        picture(page, f"{place.strip('/').replace('/', '-') or 'list'}-{width}-{scheme}")


def test_results_are_recorded_with_the_keyboard_alone(opened, screen):
    page = opened()
    page.goto("/c/screen/tell")
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('input.cell')"):
            break
    page.keyboard.type("51")
    page.keyboard.press("Enter")
    page.wait_for_url("**/tell")
    page.wait_for_selector("text=Nothing is recorded yet")
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.innerText") == "Record":
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Done.")


def test_people_log_in_with_their_token(opened, screen):
    token = json.loads(elfving(screen, "serve", "token", "new", "Ada", "--scope", "ask,tell", "--json"))["token"]
    page = opened()
    page.goto("/c/screen")
    page.wait_for_url("**/login")
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_selector("text=Ada")
    page.goto("/c/screen/batch")
    page.get_by_role("button", name="Ask").click()
    assert "Ada" in page.inner_text("main")
    cookie = page.context.cookies()[0]
    assert (cookie["name"], cookie["httpOnly"], cookie["secure"], cookie["sameSite"]) == ("__Host-elfving", True, True, "Strict")
    assert page.evaluate("document.cookie") == ""
    page.get_by_role("button", name="Log out").click()
    page.goto("/c/screen")
    assert page.url.endswith("/login")
