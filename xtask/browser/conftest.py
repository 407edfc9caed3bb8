"""One browser for all tests: two of them would share an event loop."""

import os

import pytest
from playwright.sync_api import sync_playwright


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
        browser = playwright.chromium.launch(executable_path=os.environ["ELFVING_BROWSER"], args=flags)
        yield browser
        browser.close()
