# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/pictures/live.png, a page of `springbench live` in chromium: picture.py PROGRAM FILE.png. Made by hand, when the
page has changed."""
import base64
import sys
import tempfile
import time

sys.path.insert(0, __file__.rsplit("/", 1)[0])
sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/report")
from client import Live
from html_browser import Browser

program, picture = sys.argv[1:]
with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
    live = Live(program, "scene=cloth", "grid=20", "integrator=implicit_euler", "minimizer=local_global",
                "max_iterations=5", "h=0.01", folder=folder)
    browser = Browser(folder, "--use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader")
    browser.call("Emulation.setDeviceMetricsOverride", width=1280, height=720, deviceScaleFactor=1, mobile=False)
    browser.open(live.address)
    time.sleep(3)
    for k in range(12):  # a hand that rises
        browser.ask(f"live.send({{do: 'drag', vertex: 230, to: [0.1, {-0.5 - 0.03 * k}, {-0.6 + 0.05 * k}], by: 'pin'}})")
        time.sleep(0.25)
    time.sleep(1)
    with open(picture, "wb") as file:
        file.write(base64.b64decode(browser.call("Page.captureScreenshot", format="png")["data"]))
    browser.close()
    live.end()
