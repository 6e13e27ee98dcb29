"""The page and the picture of measurements are those of their data, and slower rows name a limit."""

import json
import xml.etree.ElementTree as ElementTree

from tests.perf import page, reasons

DATA = json.loads(page.DATA.read_text("utf-8"))


def test_the_page_is_that_of_the_data():
    assert page.PAGE.read_text("utf-8") == page.page(DATA)
    assert page.PICTURE.read_text("utf-8") == page.picture(DATA)
    readme = page.README.read_text("utf-8")
    assert readme == page.readme(readme, DATA)


def test_rows_behind_another_library_name_their_limit():
    behind = [row["what"] for row in DATA["rows"] if (page.best(row) or 1) < page.NEAR]
    assert behind and not [what for what in behind if reasons.limit_of(what) not in reasons.LIMITS]


def test_every_bar_of_the_picture_is_a_measurement():
    svg = ElementTree.fromstring(page.picture(DATA))
    bars = [e for e in svg.iter("{http://www.w3.org/2000/svg}rect") if e.get("height") == "3.2"]
    assert len(bars) == sum(len(row["seconds"]) - 1 for row in DATA["rows"])
    assert all(float(bar.get("width")) >= 0 for bar in bars)
