"""Links that another server process follows, and files: what is shared shows what was seen."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit, urlunsplit

import pytest
from explorer import Stage, open_page, seek
from playwright.sync_api import Browser, BrowserContext, Page, expect

from blockbatch.chrome import chrome_json
from blockbatch.reading import load_trace
from ui.bench.server import serve
from ui.library import bundled_runs
from ui.settings import Settings
from ui.store import ENDING, trace_id

pytestmark = pytest.mark.browser
SHOWN = ("count", "sentence", "titleA", "titleB", "cellTitle", "candidates", "why", "history", "compareSays", "text",
         "promptText", "scale", "figures")  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def keeping(folder: Path) -> Iterator[Stage]:
    """A server that keeps its runs in `folder`."""
    stage = Stage(str(folder))
    yield stage
    stage.page.close()


@pytest.fixture(scope="module")
def other_url(folder: Path) -> Iterator[str]:
    """The address of another server process with the same store."""
    with serve((str(Path(__file__).with_name("second_server.py")), str(folder))) as server:
        yield server.url


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    with chromium.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce") as made:
        yield made


def run(page: Page, prompt: str = "any prompt", pace: str = "0") -> None:
    page.fill("#bb-prompt textarea", prompt)
    page.check(f"#bb-pace input[value='{pace}']")
    page.click("#bb-run")
    expect(page.locator("[data-part=promptText]")).to_have_text(prompt, timeout=30_000)
    if pace == "0":
        expect(page.locator("[data-part=status]")).to_have_text("finished", timeout=60_000)


def say(page: Page) -> str:
    """What the menu says once it has done what was asked."""
    expect(page.locator("[data-part=shareSays]")).not_to_be_empty(timeout=15_000)
    return page.inner_text("[data-part=shareSays]")


def copy_link(page: Page) -> str:
    page.click("[data-part=share] summary")
    page.click("[data-part=copyLink]")
    expect(page.locator("[data-part=link]")).to_be_visible(timeout=15_000)
    link = page.input_value("[data-part=link]")
    page.keyboard.press("Escape")
    expect(page.locator("[data-part=copyLink]")).to_be_hidden()
    return link


def saved(page: Page, part: str, path: Path) -> Path:
    """The file that an item of the menu gives."""
    if page.locator("[data-part=share][open]").count() == 0:
        page.click("[data-part=share] summary")
    with page.expect_download() as download:
        page.click(f"[data-part={part}]")
    download.value.save_as(path)
    return path


def shown(page: Page) -> dict[str, str]:
    page.wait_for_timeout(400)  # the panels are drawn with the next frame
    return {part: page.locator(f"[data-part={part}]").text_content() or "" for part in SHOWN}


def at(link: str, url: str) -> str:
    """The same link at another server."""
    return urlunsplit((*urlsplit(url)[:2], *urlsplit(link)[2:]))


def query(link: str) -> dict[str, str]:
    return {name: value for name, (value,) in parse_qs(urlsplit(link).query).items()}


def test_a_link_to_two_runs_restores_them_in_another_server_process(
    context: BrowserContext, keeping: Stage, other_url: str
) -> None:
    page = context.new_page()
    open_page(page, keeping.url)
    run(page)
    page.click("[data-part=againstFast]")
    expect(page.locator("[data-part=titleB]")).to_be_visible(timeout=30_000)
    expect(page.locator("[data-part=status]")).to_have_text("finished", timeout=30_000)
    seek(page, 7)
    page.select_option("[data-part=fill]", "entropy")
    page.locator("[data-part=canvasB]").click(position={"x": 40, "y": 40})
    address = page.url
    link = copy_link(page)
    assert page.url == address, "the address bar is left alone"
    assert query(link).keys() == {"run", "against", "step", "branch", "position", "cell", "fill"}
    before = shown(page)
    assert before["cellTitle"].startswith("B")
    other = context.new_page()
    other.goto(at(link, other_url))
    expect(other.locator("[data-part=titleB]")).to_be_visible(timeout=30_000)
    after = shown(other)
    assert before.pop("titleA") == "A \u00b7 live run"
    assert after.pop("titleA") == "A \u00b7 shared run"
    assert after == before
    expect(other.locator("[data-part=fill]")).to_have_value("entropy")
    expect(other.locator("[data-part=notice]")).to_be_hidden()
    seek(other, 3)
    assert other.url == at(link, other_url)
    assert copy_link(other).replace("step=4", "step=8") == at(link, other_url), "a link makes the same link again"


def test_a_finished_run_is_kept_before_its_link_is_copied_and_not_twice(
    context: BrowserContext, keeping: Stage, folder: Path
) -> None:
    page = context.new_page()
    open_page(page, keeping.url)
    before = set(folder.iterdir())
    run(page, "kept at once")
    (path,) = kept_since(page, folder, before)
    written = path.stat().st_mtime_ns
    assert path.name == f"{query(copy_link(page))['run']}{ENDING}"
    assert path.stat().st_mtime_ns == written
    page.click("[data-part=share] summary")
    expect(page.locator("[data-part=shareKeeps]")).to_have_text(
        "Every finished run is kept here, its prompt included, for 90 days, or until newer ones need the room."
    )


def kept_since(page: Page, folder: Path, before: set[Path]) -> set[Path]:
    """The whole files that were not there before, once there are any."""
    for _ in range(100):
        if found := {path for path in folder.iterdir() if path.name.endswith(ENDING)} - before:
            return found
        page.wait_for_timeout(100)
    raise AssertionError("no run was kept")


def test_an_event_inside_a_step_of_a_bundled_run_is_restored(
    context: BrowserContext, keeping: Stage, other_url: str
) -> None:
    bundled = bundled_runs(Settings().traces)[0]
    page = context.new_page()
    open_page(page, keeping.url)
    seek(page, 3)
    page.keyboard.press(".")
    page.keyboard.press(".")
    page.wait_for_timeout(300)
    link = copy_link(page)
    assert query(link)["run"] == trace_id(bundled.path.read_text(encoding="utf-8"))
    assert query(link)["event"] == "2"
    before = shown(page)
    other = context.new_page()
    open_page(other, at(link, other_url))
    expect(other.locator("[data-part=status]")).to_have_text(f"recorded \u00b7 {bundled.title}")
    assert shown(other) == before


def test_the_link_is_on_the_clipboard_or_selected(context: BrowserContext, keeping: Stage) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    open_page(page, keeping.url)
    page.click("[data-part=share] summary")
    page.click("[data-part=copyLink]")
    expect(page.locator("[data-part=shareSays]")).to_contain_text("Link copied.", timeout=15_000)
    assert page.evaluate("navigator.clipboard.readText()") == page.input_value("[data-part=link]")
    plain = context.new_page()
    plain.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    open_page(plain, keeping.url)
    plain.click("[data-part=share] summary")
    plain.click("[data-part=copyLink]")
    expect(plain.locator("[data-part=shareSays]")).to_contain_text("ready to be copied", timeout=15_000)
    assert plain.evaluate("getSelection().toString()") == plain.input_value("[data-part=link]")


def test_a_run_that_goes_on_cannot_be_shared_until_it_has_ended(context: BrowserContext, keeping: Stage) -> None:
    page = context.new_page()
    open_page(page, keeping.url)
    run(page, pace="2")
    expect(page.locator("[data-part=status]")).to_have_text("live", timeout=30_000)
    page.wait_for_timeout(1000)
    page.click("[data-part=share] summary")
    assert "still going on cannot be shared" in say(page)
    for part in ("copyLink", "savePage", "saveChrome", "download"):
        expect(page.locator(f"[data-part={part}]")).to_be_disabled()
    page.click("#bb-stop")
    expect(page.locator("[data-part=status]")).to_have_text("stopped", timeout=30_000)
    assert query(copy_link(page))["run"]


@pytest.mark.parametrize(
    ("search", "says"),
    [
        ("?run=0123", "its run is not the name of a run"),
        ("?run=..%2F..%2Fetc%2Fpasswd", "its run is not the name of a run"),
        ("?run=%3Cimg%20src%3Dx%20onerror%3Dwindow.broken%3D1%3E", "its run is not the name of a run"),
        (f"?run={'0' * 32}", "no longer kept here"),
        (f"?run={'0' * 32}&step=last", "its step is not a number"),
        ("?step=5", "names no run"),
    ],
)
def test_a_link_that_leads_nowhere_is_one_sentence_and_the_page_opens(
    page: Page, stage: Stage, search: str, says: str
) -> None:
    open_page(page, stage.url.rstrip("/") + "/" + search)
    expect(page.locator("[data-part=noticeSays]")).to_contain_text(says)
    expect(page.locator("[data-part=status]")).to_contain_text(bundled_runs(Settings().traces)[0].title)
    assert page.evaluate("window.broken") is None
    page.click("[data-part=noticeClose]")
    expect(page.locator("[data-part=notice]")).to_be_hidden()


def test_a_step_beyond_the_end_is_the_last_one(page: Page, stage: Stage) -> None:
    bundled = bundled_runs(Settings().traces)[0]
    count = len(load_trace(bundled.path).steps)
    run_id = trace_id(bundled.path.read_text(encoding="utf-8"))
    open_page(page, f"{stage.url.rstrip('/')}/?run={run_id}&step=9999&position=3&utm_source=x")
    expect(page.locator("[data-part=count]")).to_have_text(f"step {count} of {count}")
    expect(page.locator("[data-part=noticeSays]")).to_have_text(
        f"The link goes to step 9999, but there are {count}: the last is shown."
    )
    expect(page.locator("[data-part=cellTitle]")).to_contain_text("Position 3,")


def test_a_damaged_run_and_a_newer_one_are_one_sentence(context: BrowserContext, keeping: Stage, folder: Path) -> None:
    page = context.new_page()
    open_page(page, keeping.url)
    run(page, "soon damaged")
    link = copy_link(page)
    (folder / f"{query(link)['run']}.ndjson.gz").write_bytes(b"damaged")
    open_page(page, link)
    expect(page.locator("[data-part=noticeSays]")).to_contain_text("is damaged")


def test_a_store_out_of_reach_is_a_sentence_and_runs_go_on(context: BrowserContext) -> None:
    stage = Stage("/proc/nothing/here")
    page = context.new_page()
    open_page(page, stage.url)
    run(page)
    page.click("[data-part=share] summary")
    page.click("[data-part=copyLink]")
    expect(page.locator("[data-part=shareSays]")).to_contain_text("cannot be reached: no such file", timeout=15_000)
    expect(page.locator("[data-part=link]")).to_be_hidden()
    run(page, "another prompt")
    stage.page.close()


def test_a_saved_page_replays_offline_and_its_text_stays_text(
    context: BrowserContext, keeping: Stage, tmp_path: Path
) -> None:
    page = context.new_page()
    open_page(page, keeping.url)
    run(page, "markup </script><img src=x onerror=window.broken=1>")
    page.click("[data-part=againstOne]")
    expect(page.locator("[data-part=titleB]")).to_be_visible(timeout=30_000)
    expect(page.locator("[data-part=status]")).to_have_text("finished", timeout=30_000)
    seek(page, 5)
    before = shown(page)
    path = saved(page, "savePage", tmp_path / "saved.html")
    alone = context.new_page()
    requests, errors = list[str](), list[str]()
    alone.on("request", lambda request: requests.append(request.url))
    alone.on("pageerror", lambda error: errors.append(str(error)))
    alone.goto(path.as_uri())
    expect(alone.locator("[data-part=count]")).to_have_text(before["count"])
    after = shown(alone)
    for part in ("titleA", "titleB"):  # a live run has no name of its own once it is saved
        before.pop(part), after.pop(part)
    assert after == before
    alone.keyboard.press("ArrowRight")
    expect(alone.locator("[data-part=count]")).to_contain_text("step 7 of")
    alone.locator("[data-part=canvas]").click(position={"x": 20, "y": 40})
    expect(alone.locator("[data-part=cellTitle]")).to_contain_text(re.compile(r"Position \d+, block 4"))
    expect(alone.locator("[data-part=promptText]")).to_contain_text("</script><img src=x onerror=window.broken=1>")
    assert alone.locator("#bb-viewer img").count() == 0
    assert alone.evaluate("window.broken") is None
    alone.click("[data-part=share] summary")
    assert "This is a saved page" in say(alone)
    for part in ("shareKeeps", "lab"):
        expect(alone.locator(f"[data-part={part}]")).to_be_hidden()
    for part in ("copyLink", "savePage", "saveChrome", "runFrom", "againstFast"):
        expect(alone.locator(f"[data-part={part}]")).to_be_disabled()
        assert "saved page" in (alone.get_attribute(f"[data-part={part}]", "title") or "")
    trace = load_trace(saved(alone, "download", tmp_path / "again.ndjson"))
    assert trace.header.prompt == "markup </script><img src=x onerror=window.broken=1>"
    assert saved(alone, "savePicture", tmp_path / "again.png").read_bytes().startswith(b"\x89PNG")
    assert [url for url in requests if not url.startswith("blob:")] == [path.as_uri()]
    assert errors == []


def test_a_picture_holds_what_is_on_screen_at_twice_the_size(page: Page, tmp_path: Path) -> None:
    seek(page, 6)
    path = saved(page, "savePicture", tmp_path / "picture.png")
    width, height = struct.unpack(">II", path.read_bytes()[16:24])
    wide, high = page.locator("[data-part=scroll]").evaluate("node => [node.clientWidth, node.clientHeight]")
    assert width == 2 * (wide + 132)
    assert height > 2 * (high + 60)
    colours = page.evaluate(
        """async (bytes) => {
          const picture = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: "image/png" }));
          const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
          context.drawImage(picture, 0, 0);
          const row = (y) => new Uint32Array(context.getImageData(0, y, picture.width, 1).data.buffer);
          return Array.from({ length: picture.height }, (_, y) => new Set(row(y)).size);
        }""",
        list(path.read_bytes()),
    )
    inked = [number for number, count in enumerate(colours) if count > 1]
    assert inked[0] < 60, "the title stands at the top"
    assert inked[-1] > height - 80, "the legend stands at the foot"
    assert max(colours) > 20


def test_a_chrome_trace_is_the_one_of_the_run(page: Page, tmp_path: Path) -> None:
    text = saved(page, "saveChrome", tmp_path / "run.json").read_text(encoding="utf-8")
    assert text == chrome_json([load_trace(bundled_runs(Settings().traces)[0].path)])
    assert json.loads(text)["traceEvents"]


@pytest.mark.parametrize("width", [360, 1280])
def test_the_menu_fits_and_closes(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.click("[data-part=share] summary")
    box = page.locator(".bb-menu-list").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.mouse.click(3, 3)
    expect(page.locator(".bb-menu-list")).to_be_hidden()
    page.locator("[data-part=share] summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.locator("[data-part=copyLink]")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("[data-part=share] summary")).to_be_focused()
