"""A report in a real browser: html_browser.py PAGE.html [FOLDER for pictures]. Chromium without a screen, spoken to over
its debugging pipe. Fails on a message of the console, a request for anything but the page, a picture that does not show,
a page wider than the screen of a phone or a desk, text too faint in light or dark, a table that the Enter key does not
sort, a link that leads into something closed, or a figure whose points do not tell their values. Ends with 77 where there is no chromium."""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


class Browser:
    def __init__(self, profile):
        to_child, self.to = os.pipe()
        self.fro, from_child = os.pipe()

        def keep():
            # In this order: the second may stand on 3.
            spare = os.dup(from_child)
            os.dup2(to_child, 3)
            os.dup2(spare, 4)
            for wanted in (3, 4):
                os.set_inheritable(wanted, True)

        self.process = subprocess.Popen(
            [shutil.which("chromium"), "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-background-networking", "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=keep, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.rest, self.count, self.session, self.events = b"", 0, None, []

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
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.count:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.read())

    def attach(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def look(self, width, height, scheme):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, address):
        self.events = [event for event in self.events if event.get("method") != "Page.loadEventFired"]
        self.call("Page.navigate", url=address)
        self.wait("Page.loadEventFired")

    def ask(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            sys.exit(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def press(self, key, code, text=""):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                      text=text if kind == "keyDown" else "")

    def shoot(self, path, everything=True):
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=everything)
        pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))

    def close(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait()


def complaints(events, page):
    """What the console said and what was asked of the network."""
    for event in events:
        what, given = event.get("method"), event.get("params", {})
        if what == "Runtime.exceptionThrown":
            yield f"exception: {given['exceptionDetails'].get('text')} {given['exceptionDetails'].get('exception')}"
        if what == "Runtime.consoleAPICalled":
            yield f"console.{given['type']}: {given['args']}"
        if what == "Log.entryAdded":
            yield f"console: {given['entry']['level']}: {given['entry']['text']}"
        if what == "Network.requestWillBeSent":
            address = given["request"]["url"]
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
  for (const each of document.querySelectorAll("p, li, td, th, h1, h2, h3, h4, a, code, summary, dt, dd, .badge, button")) {
    if (!each.offsetParent || !each.textContent.trim()) continue;
    const a = light(parts(getComputedStyle(each).color)), b = light(ground(each));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < worst[0]) worst = [ratio, each.tagName + "." + each.className + ": " + each.textContent.slice(0, 40)];
  }
  return worst;
})()"""

# Values of a column of the first table that has numbers, as its cells say them.
COLUMN = """(() => { const head = document.activeElement.closest("th");
  const table = head.closest("table"), column = Array.from(head.parentElement.children).indexOf(head);
  return [head.getAttribute("aria-sort"), Array.from(table.tBodies[0].rows, (row) => row.cells[column].dataset.v ?? null)];
})()"""


def check_sorting(browser, bad):
    browser.ask("for (const each of document.querySelectorAll('details')) each.open = true")
    # Of the heads above numbers the one whose numbers are least in order.
    focused = browser.ask("""(() => { let best = null, most = 0;
      for (const head of document.querySelectorAll("table.sortable tr.sorts > th")) {
        const column = Array.from(head.parentElement.children).indexOf(head);
        const values = Array.from(head.closest("table").tBodies[0].rows, (row) => row.cells[column].dataset.v)
          .filter((v) => v !== undefined).map(Number);
        const falls = values.filter((v, i) => i > 0 && v < values[i - 1]).length;
        if (falls > most) { best = head; most = falls; }
      }
      if (best) best.querySelector("button").focus();
      return best !== null; })()""")
    if not focused:
        bad.append("no table has a column to sort")
        return
    orders = [browser.ask(COLUMN)]
    for _ in range(3):
        browser.press("Enter", 13, "\r")
        orders.append(browser.ask(COLUMN))
    numbers = [[float(value) for value in values if value is not None] for _, values in orders]
    if [order for order, _ in orders] != ["none", "ascending", "descending", "none"]:
        bad.append(f"the Enter key: aria-sort goes {[order for order, _ in orders]}")
    if numbers[1] != sorted(numbers[0]) or numbers[2] != sorted(numbers[0], reverse=True) or orders[3] != orders[0]:
        bad.append(f"the Enter key does not sort: {numbers}")
    for _, values in orders[1:3]:
        if None in values and any(value is not None for value in values[values.index(None):]):
            bad.append("cells without a number are not last")


def check_links(browser, page, bad):
    lost = browser.ask("""Array.from(document.querySelectorAll('a[href^="#"]'))
      .map((a) => decodeURIComponent(a.getAttribute("href").slice(1))).filter((id) => !document.getElementById(id))""")
    bad += [f"a link leads nowhere: #{name}" for name in lost[:5]]
    target = browser.ask("document.querySelector('tr[id]')?.id ?? ''")
    if target:
        browser.open("about:blank")
        browser.open(f"{page}#{target}")
        if not browser.ask(f"document.getElementById({json.dumps(target)}).offsetParent !== null"):
            bad.append(f"#{target} leads into something closed")


# A point of a figure of ours in the middle of what can be seen, where nothing lies over it: its place and its value.
POINT = """(() => { for (const circle of document.querySelectorAll("svg.figure .values circle")) {
    circle.scrollIntoView({ block: "center" });
    const box = circle.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
    if (document.elementFromPoint(x, y) === circle)
      return [x, y, circle.querySelector("title").textContent, getComputedStyle(circle).stroke];
  }
  return null; })()"""


def check_values(browser, page, bad):
    browser.open("about:blank")
    browser.open(page)
    browser.ask("for (const each of document.querySelectorAll('details')) each.open = true")
    if not browser.ask("document.querySelectorAll('figure:not(.animation)').length"):
        return
    if not browser.ask("document.querySelectorAll('svg.figure').length"):
        bad.append("no figure is a part of the page")
        return
    mute = browser.ask("""Array.from(document.querySelectorAll("svg.figure")).filter((svg) =>
      !(svg.getAttribute("role") === "img" && svg.getAttribute("aria-label"))).length""")
    wordless = browser.ask("""Array.from(document.querySelectorAll(".values circle")).filter((circle) =>
      !/[0-9]/.test(circle.querySelector("title")?.textContent ?? "")).length""")
    if mute or wordless:
        bad.append(f"{mute} figures without a name, {wordless} points without a number")
    point = browser.ask(POINT)
    if not point:
        bad.append("no point of a figure lies under the pointer")
        return
    x, y, text, before = point
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    if browser.ask("getComputedStyle(document.querySelector('.values circle:hover')).stroke") == before:
        bad.append("nothing shows which point the pointer is on")
    for kind in ("mousePressed", "mouseReleased"):
        browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
    shown = "document.querySelector('.chosen')?.closest('figure').querySelector('output').textContent ?? ''"
    if browser.ask(shown) != text:
        bad.append(f"a tap shows {browser.ask(shown)!r} for {text!r}")
        return
    browser.ask("document.querySelector('.chosen').closest('svg').focus()")
    browser.press("ArrowRight", 39)
    if browser.ask(shown) in ("", text):
        bad.append("the arrow key shows no other value")
    browser.press("Escape", 27)
    if browser.ask(shown):
        bad.append("Escape leaves a value")


def check_looks(browser, page, pictures, bad):
    for width, scheme in ((1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")):
        browser.look(width, 900, scheme)
        browser.open(page)
        where = f"{width} pixels, {scheme}"
        wide = browser.ask("document.documentElement.scrollWidth")
        if wide > width:
            bad.append(f"{where}: the page is {wide} pixels wide")
        ratio, what = browser.ask(CONTRAST)
        if not ratio >= 4.5:
            bad.append(f"{where}: contrast {ratio:.2f} of {what}")
        broken = browser.ask("Array.from(document.images).filter((i) => i.offsetParent && !(i.naturalWidth > 0)).length")
        if broken:
            bad.append(f"{where}: {broken} pictures do not show")
        if pictures:
            browser.shoot(pathlib.Path(pictures) / f"{pathlib.Path(page).parent.name}_{width}_{scheme}.png")


def main():
    path, pictures = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2] if len(sys.argv) > 2 else None
    if not shutil.which("chromium"):
        print("no chromium here: not tested")
        return 77
    bad, page = [], path.as_uri()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(profile)
        browser.attach()
        check_looks(browser, page, pictures, bad)
        check_sorting(browser, bad)
        check_links(browser, page, bad)
        check_values(browser, page, bad)
        bad += complaints(browser.events, page)
        browser.close()
    print("\n".join(bad) if bad else f"{path}: no complaint")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
