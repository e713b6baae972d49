# SPDX-License-Identifier: GPL-3.0-or-later
"""A report in a real browser: html_browser.py PAGE.html. Chromium without a screen, spoken to over its debugging pipe.
Fails on a message of the console, a request for anything but the page, a picture that does not show, a page wider than
the screen of a phone or a desk, text too faint in light or dark, a link that leads into something closed, a wide table
whose first column does not stay, a table that a click does not sort or a word does not filter, a verdict of the overview
that a phone does not show, or a test of a claim that is not folded. Ends with 77 where there is no chromium."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time


class Browser:
    """It reads commands from descriptor 3 and answers on 4."""

    def __init__(self, profile, graphics="--disable-gpu"):
        ours, theirs = os.pipe(), os.pipe()
        self.to, self.fro = ours[1], theirs[0]
        command = (f"exec chromium --headless=new --no-sandbox {graphics} --no-first-run --disable-background-networking "
                   f"--remote-debugging-pipe --user-data-dir={profile} about:blank 3<&{ours[0]} 4>&{theirs[1]}")
        self.process = subprocess.Popen(["bash", "-c", command], pass_fds=(ours[0], theirs[1]),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(ours[0])
        os.close(theirs[1])
        self.rest, self.count, self.session, self.events = b"", 0, {}, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = {"sessionId": self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]}
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def read(self):
        while b"\0" not in self.rest:
            some = os.read(self.fro, 1 << 20)
            if not some:
                sys.exit("chromium ended")
            self.rest += some
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters, **self.session}
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while (answer := self.read()).get("id") != self.count:
            self.events.append(answer)
        if "error" in answer:
            sys.exit(f"{method}: {answer['error']}")
        return answer["result"]

    def look(self, width, scheme):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, address):
        self.events = [event for event in self.events if event.get("method") != "Page.loadEventFired"]
        self.call("Page.navigate", url=address)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.read())

    def ask(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            sys.exit(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def saved(self, folder, click):
        """The file that a click leaves in an empty folder."""
        folder.mkdir()
        self.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
        self.ask(click)
        end = time.monotonic() + 60
        while not (found := list(folder.glob("*.png"))) or list(folder.glob("*.crdownload")):
            assert time.monotonic() < end, "nothing was saved"
            time.sleep(0.05)
        return found[0]

    def close(self):
        self.session = {}
        self.call("Browser.close")
        self.process.wait()


def complaints(events, page):
    """Returns the messages of the console and the requests to the network."""
    for event in events:
        what, given = event.get("method"), event.get("params", {})
        address = given.get("request", {}).get("url", "") if what == "Network.requestWillBeSent" else "data:"
        if what in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"):
            yield f"{what}: {json.dumps(given)[:200]}"
        if not address.startswith("data:") and address.split("#")[0] not in (page, "about:blank"):
            yield f"asks for {address[:120]}"


# The contrast of WCAG 2 between each piece of text and what it stands on.
CONTRAST = """(() => {
  const parts = (colour) => (colour.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (at) => { for (; at; at = at.parentElement) { const c = parts(getComputedStyle(at).backgroundColor);
    if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
  let worst = [99, ""];
  for (const each of document.querySelectorAll("p, li, td, th, h1, h2, h3, h4, a, code, summary, strong, small, em")) {
    if (!each.offsetParent || !each.textContent.trim()) continue;
    const a = light(parts(getComputedStyle(each).color)), b = light(ground(each));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < worst[0]) worst = [ratio, each.tagName + "." + each.className + ": " + each.textContent.slice(0, 40)];
  }
  return worst;
})()"""


def check_looks(browser, page):
    for width, scheme in ((1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")):
        browser.look(width, scheme)
        browser.open(page)
        wide = browser.ask("document.documentElement.scrollWidth")
        if wide > width:
            yield f"{width} pixels, {scheme}: the page is {wide} pixels wide"
        ratio, what = browser.ask(CONTRAST)
        if not ratio >= 4.5:
            yield f"{width} pixels, {scheme}: contrast {ratio:.2f} of {what}"
        broken = browser.ask("Array.from(document.images).filter((i) => i.offsetParent && !(i.naturalWidth > 0)).length")
        if broken:
            yield f"{width} pixels, {scheme}: {broken} pictures do not show"


def check_links(browser, page):
    lost = browser.ask("""Array.from(document.querySelectorAll('a[href^="#"]'))
      .map((a) => decodeURIComponent(a.getAttribute("href").slice(1))).filter((id) => !document.getElementById(id))""")
    yield from (f"a link leads nowhere: #{name}" for name in lost[:5])
    target = browser.ask("document.querySelector('td > a[id]')?.id ?? ''")
    if target:
        browser.open("about:blank")
        browser.open(f"{page}#{target}")
        if not browser.ask(f"document.getElementById({json.dumps(target)}).offsetParent !== null"):
            yield f"#{target} leads into something closed"


def check_wide_tables(browser):
    """The first column of a table that is wider than a phone stays where it is while the others move."""
    browser.look(390, "light")
    moved = browser.ask("""(() => { for (const each of document.querySelectorAll("details")) each.open = true;
      for (const frame of document.querySelectorAll(".scroll")) {
        if (frame.scrollWidth < frame.clientWidth + 60) continue;
        const cells = frame.querySelectorAll("tbody tr:first-child > *");
        const left = () => [0, 1].map((i) => cells[i].getBoundingClientRect().x);
        const before = left();
        frame.scrollLeft = 50;
        return left().map((x, i) => Math.round(x - before[i]));
      }
      return null; })()""")
    if moved not in (None, [0, -50]):
        yield f"a wide table scrolls by 50 pixels: its first two columns move by {moved}"


# Clicks each heading of a table twice and compares with an order found here; then filters by a word of the first line.
TABLES = """(() => {
  const bad = [], clean = (cell) => cell.textContent.trim();
  const number = (cell) => parseFloat(clean(cell).replace(/^[~‡†§\\s]+/, ""));
  for (const table of document.querySelectorAll("main table")) {
    const rows = () => Array.from(table.tBodies[0].rows), before = rows();
    if (before.length < 2) continue;
    Array.from(table.tHead.rows[0].cells).forEach((heading, c) => {
      const say = (what) => bad.push(`${what}: column ${clean(heading)} of a table of ${before.length} lines`);
      for (const sign of [1, -1]) {
        heading.click();
        const cells = rows().map((row) => row.cells[c]), numbers = cells.map(number).filter((n) => !isNaN(n));
        if (numbers.some((n, i) => i > 0 && sign * (n - numbers[i - 1]) < 0)) say("not sorted");
        if (isNaN(number(cells[0])) && numbers.length) say("a word stands before numbers");
        if (heading.getAttribute("aria-sort") !== (sign > 0 ? "ascending" : "descending")) say("no sign of the order");
        if (new Set(cells).size !== before.length) say("lines lost");
      }
      heading.click();
      if (rows().some((row, i) => row !== before[i])) say("the third click does not restore");
    });
  }
  for (const field of document.querySelectorAll("input[type=search]")) {
    const tables = field.closest("[id='index.md']")?.querySelectorAll("table")
      ?? [field.nextElementSibling.querySelector("table")];
    const lines = Array.from(tables).flatMap((table) => Array.from(table.tBodies[0].rows));
    const word = clean(lines[0].cells[0]).split(/\\s/)[0].toUpperCase();
    field.value = word;
    field.dispatchEvent(new Event("input"));
    if (lines.some((line) => line.hidden === line.textContent.toUpperCase().includes(word))) bad.push(`filter ${word}`);
    field.value = "";
    field.dispatchEvent(new Event("input"));
    if (lines.some((line) => line.hidden)) bad.push("lines stay hidden");
  }
  const sorted = document.querySelectorAll("th[tabindex]").length, filters = document.querySelectorAll("input").length;
  return [bad.slice(0, 5), sorted, filters];
})()"""


def check_tables(browser, page):
    browser.look(1280, "light")
    browser.open(page)
    bad, sorted_by, filters = browser.ask(TABLES)
    yield from bad
    overview = browser.ask("document.getElementById('index.md') !== null")
    if not sorted_by or (overview and not filters):
        yield f"{sorted_by} headings sort, {filters} fields filter"


def check_overview(browser, page):
    """On a phone every verdict, answer and thumbnail of the overview is within the screen without scrolling sideways; the
    tests of claims are folded everywhere."""
    browser.look(390, "light")
    browser.open(page)
    browser.ask("document.querySelectorAll(\"[id='index.md'] details\").forEach((each) => { each.open = true; })")
    yield from browser.ask("""Array.from(document.querySelectorAll("[id='index.md'] td :is(strong, img)"))
      .filter((each) => { const box = each.getBoundingClientRect(); return !(box.width > 0 && box.left >= 0 && box.right <= 390); })
      .map((each) => `beyond the edge of a phone: ${each.textContent || each.alt}`).slice(0, 5)""")
    if browser.ask("document.querySelectorAll('li details[open]').length"):
        yield "a test of a claim is not folded"


def main():
    path = pathlib.Path(sys.argv[1]).resolve()
    if not shutil.which("chromium"):
        print("no chromium here: not tested")
        return 77
    page = path.as_uri()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(profile)
        bad = [*check_looks(browser, page), *check_links(browser, page), *check_wide_tables(browser),
               *check_tables(browser, page), *check_overview(browser, page), *complaints(browser.events, page)]
        browser.close()
    print("\n".join(bad) if bad else f"{path}: no complaint")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
