"""How soon does the explorer answer while a slider is moved? In a real browser, from the move to what is drawn.

Adult with 8 columns (k-anonymity and t-closeness), then ten million invented people with 8 columns behind the page
(k-anonymity): the sliders go to places drawn at random, one move after the other, as a hand does. A move is answered in
the frame that shows the figures of the release that was searched for it; one that goes on as a job, after a second,
counts as not answered. The goal is that of 95% of the moves.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from time import perf_counter
from typing import Any

import numpy as np
import yaml
from pyarrow import parquet

from benchmarks.adult import adult
from benchmarks.measure import Findings, Options, Table
from discreet.cli.faults import told
from discreet.explorer.serving import Service, own_port
from discreet.explorer.starting import start
from discreet.samples.census import census_attributes, census_like

MOVES = 60
GOALS = {"Adult": 0.2, "ten million": 1.0}  # seconds
SLIDERS = ("how many look alike (k)", "largest distance (t)", "At most this share")
REQUIRE = [{"k_anonymity": {"k": 5}}, {"t_closeness": {"t": 0.4}}]
# The time of a move is taken in the page: from the event to the frame in which the answer is drawn.
MOVE = """
([label, place]) => new Promise((done) => {
  const sliders = [...document.querySelectorAll("input[type=range]")];
  const slider = sliders.find((one) => one.labels[0]?.textContent === label);
  const ask = window.fetch;
  const from = performance.now();
  window.fetch = async (...request) => {
    window.fetch = ask;
    const response = await ask(...request);
    const read = response.json.bind(response);
    response.json = async () => {
      const answer = await read();
      requestAnimationFrame(() => done([performance.now() - from, response.status === 200 && answer.kept !== null]));
      return answer;
    };
    return response;
  };
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(slider, String(place));
  slider.dispatchEvent(new Event("input", { bubbles: true }));
})
"""


def measure(options: Options) -> Findings:
    """Both tables, all sliders."""
    table = Table(
        f"{MOVES} moves of each slider, in the browser",
        ("table", "rows", "slider", "median ms", "95% ms", "slowest ms", "goal ms", "begins s"),
    )
    says = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        for which, (rows, words) in {"Adult": _adult(folder), "ten million": _many(folder, options.rows)}.items():
            begins, times = _moved(folder, words)
            goal = 1000 * GOALS[which]
            for slider, took in times.items():
                table.add(
                    which,
                    rows,
                    slider,
                    *(float(np.percentile(took, q, method="higher")) for q in (50, 95, 100)),
                    goal,
                    begins,
                )
            every = np.concatenate(list(times.values()))
            share = float((every <= goal).mean())
            met = "reached" if share >= 0.95 else "NOT REACHED"
            says.append(f"{which}, {rows:,} rows: {share:.1%} of the moves are answered within {goal:.0f} ms ({met})")
    return Findings(__doc__.splitlines()[0], [table], says)


def _adult(folder: Path) -> tuple[int, Mapping[str, object]]:
    """All its eight columns are known to others: the secret beside them is invented."""
    known = adult()
    rows = known.table.num_rows
    secret = census_like(rows, columns=["salary"]).column("salary")
    parquet.write_table(known.table.select(known.columns).append_column("salary", secret), folder / "adult.parquet")
    words: dict[str, Any] = known.words(8, REQUIRE, suppress=0.02, source="adult.parquet")
    return rows, words | {"attributes": {**words["attributes"], "salary": {"role": "sensitive"}}}


def _many(folder: Path, rows: int) -> tuple[int, Mapping[str, object]]:
    chunk = 5_000_000
    with parquet.ParquetWriter(folder / "many.parquet", census_like(1).schema) as writer:
        for seed, first in enumerate(range(0, rows, chunk)):
            writer.write_table(census_like(min(chunk, rows - first), seed))
    words = {"attributes": census_attributes(8), "require": REQUIRE[:1], "suppress": 0.02, "source": "many.parquet"}
    return rows, words


def _moved(folder: Path, words: Mapping[str, object]) -> tuple[float, dict[str, list[float]]]:
    """Seconds until the page shows a release, and milliseconds of each move."""
    from playwright.sync_api import sync_playwright

    (folder / "policy.yaml").write_text(yaml.safe_dump(dict(words), sort_keys=False), encoding="utf-8")
    private = folder / "private"
    private.mkdir(exist_ok=True)
    begin = perf_counter()
    with own_port(0) as listener, sync_playwright() as playwright:
        service = Service(start(str(folder / "policy.yaml")), listener, told, folder, private)
        server = Thread(target=service.run, daemon=True)
        server.start()
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.set_default_timeout(600_000)
        page.goto(service.guard.address)
        page.wait_for_selector(".candidate .state")
        begins = perf_counter() - begin
        page.locator('.steps-nav a[href="#promises"]').click()
        page.get_by_label(SLIDERS[0], exact=True).wait_for()
        random = np.random.default_rng(1)
        times: dict[str, list[float]] = {}
        for slider in filter(lambda label: page.get_by_label(label, exact=True).count(), SLIDERS):
            most = int(page.get_by_label(slider, exact=True).get_attribute("max") or 0)
            page.evaluate(MOVE, [slider, 1])  # compiled, and the page's code loaded
            places = random.integers(0, most + 1, MOVES)
            times[slider] = []
            for place in places.tolist():
                took, answered = page.evaluate(MOVE, [slider, place])
                times[slider].append(float(took) if answered else math.inf)  # it takes longer than a second
        browser.close()
        service.end()
        server.join(20)
    return begins, times
