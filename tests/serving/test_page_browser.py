"""The page in a real browser: type, see, step, switch, and nothing that users type is ever markup."""

from __future__ import annotations

import asyncio
import io
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs pip install 'pointree[serve]'")
pytest.importorskip("selenium", reason="needs selenium")

from selenium import webdriver
from selenium.webdriver.chrome.service import Service as DriverService
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from pointree.parser import Parser
from pointree.rendering import render
from pointree.rendering.display import script_language
from pointree.rendering.svg import draw_svg
from pointree.search.trace import Trace
from pointree.serving.app import create_app
from pointree.serving.registry import Registry, ServedModel
from pointree.serving.server import bind, new_server
from pointree.serving.service import Service
from pointree.transitions import ORDERS
from pointree.treebank.conllu import format_sentence
from pointree.treebank.formats import read_treebank
from pointree.treebank.sentence import Sentence

from ..helpers import tiny_config, tiny_parser
from .conftest import PATIENCE

CHROMIUM, DRIVER = shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None or DRIVER is None, reason="no browser: apt-get install chromium chromium-driver"
    ),
]

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage")
DESKTOP, PHONE = (1280, 900), (360, 740)
TEXT = "John and Mary play tennis together."
LONG = (
    "When the committee that had been asked to look into the matter met again in the small room behind the old town "
    "hall, its members, who had read the long report over the weekend, agreed that the bridge could not be saved, "
    "although the engineers from the city still hoped that a cheaper plan might be found before the winter."
)
CONLLU = (
    "# sent_id = a\n# text = don't sleep\n"
    "1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No|Odd\n"
    "1\tdo\tdo\tAUX\tVBP\tMood=Imp|VerbForm=Fin\t_\t_\t3:aux\t_\n"
    "2\tn't\tnot\tPART\tRB\t_\t_\t_\t_\t_\n"
    "3\tsleep\tsleep\tVERB\tVB\t_\t_\t_\t0:root|3.1:dep\tGloss=a b\n"
    "3.1\twell\twell\tADV\t_\t_\t_\t_\t3:advmod\t_\n\n"
)


@pytest.fixture(scope="module")
def parsers(parser: Parser) -> dict[str, Parser]:
    """A model for each of two orders, with one text model."""
    found = {}
    for name, combination in (
        ("first", ("left-to-right", "simple", "gate1")),
        ("second", ("outside-in", "full", "gate2")),
    ):
        found[name] = tiny_parser(tiny_config(combination), seed=3)
        found[name].text_model = parser.text_model
    return found


@pytest.fixture(scope="module")
def address(parsers: dict[str, Parser]) -> Iterator[str]:
    """A service of both models on a real socket."""
    with serving(parsers) as url:
        yield url


class serving:  # noqa: N801 - reads as a context
    """Runs a service for as long as the context lasts."""

    def __init__(self, parsers: dict[str, Parser], api_key: str | None = None) -> None:
        service = Service(Registry([ServedModel(name, parser) for name, parser in parsers.items()]))
        self.listener = bind("127.0.0.1", 0)
        self.server = new_server(create_app(service, api_key=api_key), service.limits)
        self.thread = threading.Thread(target=asyncio.run, args=[self.server._serve([self.listener])])

    def __enter__(self) -> str:
        self.thread.start()
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}/"

    def __exit__(self, *_: object) -> None:
        self.server.should_exit = True
        self.thread.join(PATIENCE)
        self.listener.close()


class Page:
    """The page as its users handle it."""

    def __init__(self, driver: webdriver.Chrome, address: str) -> None:
        self.driver = driver
        self.address = address
        driver.get(address)

    def find(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def js(self, expression: str, *arguments: Any) -> Any:
        return self.driver.execute_script(f"return {expression}", *arguments)

    def until(self, condition: Callable[[], Any]) -> Any:
        return WebDriverWait(self.driver, PATIENCE, poll_frequency=0.05).until(lambda _driver: condition())

    def texts(self, selector: str) -> list[str]:
        return self.js("[...document.querySelectorAll(arguments[0])].map((each) => each.textContent)", selector)

    def parse(self, text: str = TEXT) -> None:
        """Type text and wait for the trees."""
        self.until(lambda: self.all("#model option"))
        self.find("#text").clear()
        self.find("#text").send_keys(text, Keys.CONTROL, Keys.ENTER)
        self.until(lambda: "sentence" in self.find("#message").text)

    def choose(self, selector: str, value: str) -> None:
        """Pick an option and wait for the new trees."""
        self.js("document.querySelector('#results .card').dataset.old = 'yes'")
        self.find(f"{selector} option[value='{value}']").click()
        self.until(lambda: not self.all("[data-old]"))

    def step_through(self) -> WebElement:
        """Open the first step-through."""
        self.find(".toggle").click()
        return self.until(lambda: next(iter(self.all(".player .count:not(:empty)")), None)) and self.find(".player")

    def resize(self, size: tuple[int, int]) -> None:
        metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == PHONE}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def prefer(self, **features: str) -> None:
        media = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=DriverService(DRIVER))
    try:
        yield driver
    finally:
        driver.quit()


@pytest.fixture
def page(driver: webdriver.Chrome, address: str) -> Iterator[Page]:
    """A fresh page, which must end without a complaint of the browser."""
    driver.get_log("browser")
    page = Page(driver, address)
    page.resize(DESKTOP)
    page.prefer()
    yield page
    assert [entry["message"] for entry in driver.get_log("browser")] == []


def described(sentence: Sentence) -> str:
    forms = ["ROOT", *sentence.forms]
    return "; ".join(f"{word.form} is {word.deprel} of {forms[word.head or 0]}" for word in sentence.words)


def trace_of(parser: Parser, **options: Any) -> Trace:
    [sentence] = parser.parse_text(TEXT)
    return parser.trace(sentence, **({"beam": 4} | options))


def test_typing_a_sentence_shows_its_tree(page: Page, parsers: dict[str, Parser]) -> None:
    page.parse(f"{TEXT} They won.")
    [first, second] = parsers["first"].parse_text(f"{TEXT} They won.", beam=4)
    assert page.texts(".card h2") == [first.text, second.text]
    assert page.find(".drawing").get_attribute("aria-label") == described(first)
    assert page.texts(".card:first-of-type .drawing .form") == list(first.forms)
    assert sorted(page.texts(".card:first-of-type .drawing .deprel")) == sorted(first.deprels)
    assert page.js("performance.getEntriesByType('resource').every((each) => each.name.startsWith(origin))")


def test_keys_step_through_the_trace(page: Page, parsers: dict[str, Parser]) -> None:
    trace = trace_of(parsers["first"])
    page.parse()
    player = page.step_through()
    assert page.driver.switch_to.active_element == player
    n = len(trace.steps)

    def shown() -> tuple[str, list[str]]:
        return page.find(".count").text, page.texts(".is-focus .form")

    for number in range(1, n + 1):
        step = trace.steps[number - 1]
        assert shown() == (f"{number} / {n}", [trace.forms[step.focus]])
        narration = page.find(".narration").get_attribute("textContent") or ""
        assert narration.startswith(f"Step {number} of {n}: “{trace.forms[step.focus]}” points at ")
        player.send_keys(Keys.ARROW_RIGHT)
    assert shown()[0] == f"{n} / {n}"
    player.send_keys(Keys.ARROW_LEFT)
    assert shown()[0] == f"{n - 1} / {n}"
    player.send_keys(Keys.HOME)
    assert shown()[0] == f"1 / {n}"
    player.send_keys(Keys.END)
    assert shown()[0] == f"{n} / {n}"
    player.send_keys(Keys.SPACE)  # plays from the start, as the end was shown
    assert page.find(".play").get_attribute("aria-label") == "Pause"
    page.until(lambda: shown()[0] == f"3 / {n}")
    player.send_keys(Keys.SPACE)
    assert page.find(".play").get_attribute("aria-label") == "Play"
    page.find(".next").click()
    page.find(".previous").click()
    assert page.find(".narration").get_attribute("aria-live") == "polite"


def test_a_step_shows_what_the_trace_says(page: Page, parsers: dict[str, Parser]) -> None:
    page.prefer(prefers_reduced_motion="reduce")
    page.parse()
    page.choose("#order", "outside-in")
    trace = trace_of(parsers["second"])
    player = page.step_through()
    for step in trace.steps:
        illegal = {head.position for head in step.illegal}
        rows = page.js("[...document.querySelectorAll('.heads tbody tr')].map((row) => row.className)")
        assert {position for position, names in enumerate(rows) if "is-illegal" in names} == illegal
        assert [position for position, names in enumerate(rows) if "is-head" in names] == [step.head]
        slots = {source.word for source in step.sources[1:] if source.word}
        assert {position for position, names in enumerate(rows) if "is-slot" in names} == slots
        reasons = page.texts(".heads .reason")
        for head in step.illegal:
            assert head.explanation in page.js(f"document.querySelectorAll('.heads .reason')[{head.position}].title")
        assert [bool(reason) for reason in reasons] == [position in illegal for position in range(len(trace.forms))]
        widths = page.js("[...document.querySelectorAll('.heads .bar')].map((bar) => parseFloat(bar.style.width))")
        assert widths == pytest.approx([100 * prob for prob in step.probs], abs=1e-3)
        struck = page.js(
            "[...document.querySelectorAll('.heads .form')].map((f) => getComputedStyle(f).textDecorationLine)"
        )
        assert {place for place, line in enumerate(struck) if line == "line-through"} == illegal - {step.focus}
        assert len(page.all(".arcs .arc")) == step.number
        assert page.texts(".labels .name") == [label.deprel for label in step.labels]
        assert len(page.texts(".sources .meter")) == len(step.sources) == 5
        assert len(page.all(".histogram span")) == 10
        fates = ["becomes the tree" if each.best else "kept" if each.kept else "dropped" for each in step.hypotheses]
        assert page.texts(".fate") == fates
        player.send_keys(Keys.ARROW_RIGHT)


def test_choosing_an_order_chooses_a_model_and_the_other_way_round(page: Page, parsers: dict[str, Parser]) -> None:
    page.parse()
    page.step_through()
    assert page.texts("#order option") == ["left-to-right", "outside-in"]
    page.choose("#order", "outside-in")
    assert page.find("#model").get_property("value") == "second"
    # What was open opens again, with the steps of the new order.
    page.until(lambda: page.all(".player .count:not(:empty)"))
    assert "outside-in" in (page.find(".player").get_attribute("aria-label") or "")
    forms = trace_of(parsers["second"]).forms
    for focus in ORDERS["outside-in"].focus_sequence(len(forms) - 1)[:3]:
        assert page.texts(".is-focus .form") == [forms[focus]]
        page.find(".next").click()
    page.choose("#model", "first")
    assert page.find("#order").get_property("value") == "left-to-right"


def test_a_beam_of_one_has_no_hypotheses_to_show(page: Page) -> None:
    page.parse()
    page.js("(document.querySelector('#beam').value = 1)")
    page.parse()
    page.step_through()
    assert not page.find(".beam").is_displayed()


def test_text_is_never_markup(page: Page) -> None:
    attack = '<img src=x onerror=hacked=1><script>hacked=1</script> "><svg/onload=hacked=1> &lt;b&gt; <b>bold</b> ]]>'
    scripts = page.js("document.scripts.length")
    page.parse(attack)
    for toggle in page.all(".toggle"):
        toggle.click()
    page.until(lambda: len(page.all(".player .count:not(:empty)")) == len(page.all(".card")))
    shown = "".join("".join(page.texts(".card h2")).split())
    assert shown == "".join(attack.split())
    assert page.js("typeof hacked") == "undefined"
    assert page.js("document.scripts.length") == scripts
    assert (
        page.js("document.querySelectorAll('#results b:not(.reason b), #results script, #results [onload]').length")
        == 0
    )
    assert page.js("document.querySelectorAll('#results img').length") == 0


@pytest.mark.parametrize("text", [TEXT, "Donau" + "dampfschifffahrt" * 12 + " fährt. " + "very " * 40 + "long."])
def test_a_phone_needs_no_sideways_scrolling(page: Page, text: str) -> None:
    page.resize(PHONE)
    page.parse(text)
    player = page.step_through()
    for _ in range(4):
        assert page.js("document.documentElement.scrollWidth") == PHONE[0], page.js(
            "[...document.querySelectorAll('body *')].filter((each) => !each.closest('.beam table, .view') &&"
            " each.getBoundingClientRect().right > 360).map((each) => each.outerHTML.slice(0, 200))"
        )
        player.send_keys(Keys.ARROW_RIGHT)
    boxes = page.js(
        "[...document.querySelectorAll('.player button')].map((each) => each.getBoundingClientRect().right)"
    )
    assert max(boxes) <= PHONE[0]


def test_colours_follow_the_preference(page: Page) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    page.prefer(prefers_color_scheme="light")
    assert page.js(ground) == "rgb(244, 245, 247)"
    page.prefer(prefers_color_scheme="dark")
    assert page.js(ground) == "rgb(13, 16, 20)"


def test_the_keyboard_alone_is_enough(page: Page) -> None:
    page.until(lambda: page.all("#model option"))
    page.js("document.body.focus()")

    def tab_to(selector: str) -> None:
        for _ in range(30):
            page.driver.switch_to.active_element.send_keys(Keys.TAB)
            if page.js("document.activeElement.matches(arguments[0])", selector):
                return
        pytest.fail(f"{selector} cannot be reached with the tab key")

    tab_to("#text")
    tab_to("button.primary")
    page.driver.switch_to.active_element.send_keys(Keys.ENTER)
    page.until(lambda: page.all(".card"))
    tab_to(".toggle")
    page.driver.switch_to.active_element.send_keys(Keys.ENTER)
    page.until(lambda: page.js("document.activeElement.matches('.player')"))
    tab_to(".next")
    page.driver.switch_to.active_element.send_keys(Keys.SPACE)  # on a button, space presses it
    assert page.find(".count").text.startswith("2 / ")


def test_everything_has_a_name(page: Page) -> None:
    page.parse()
    page.step_through()
    nameless = page.js(
        "[...document.querySelectorAll('button, input, select, textarea, [role=group], [role=img], section')]"
        ".filter((each) => !(each.ariaLabel || each.textContent.trim() || each.labels?.length)).map((e) => e.outerHTML)"
    )
    assert nameless == []
    assert page.find(".controls .buttons").get_attribute("aria-label") == "Steps"


def test_conllu_is_copied_and_drawings_are_saved(page: Page, parsers: dict[str, Parser], tmp_path: Path) -> None:
    permissions = {"origin": page.address, "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    page.driver.execute_cdp_cmd("Browser.grantPermissions", permissions)
    page.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    page.parse()
    [sentence] = parsers["first"].parse_text(TEXT, beam=4)
    page.find(".copy").click()
    page.until(lambda: page.find(".copy").text == "Copied")
    assert page.js("navigator.clipboard.readText()") == format_sentence(sentence)
    page.find(".download").click()
    saved = tmp_path / "sentence-1.svg"
    page.until(saved.exists)
    page.until(lambda: saved.read_text(encoding="utf-8") == draw_svg(sentence))


def test_a_service_with_a_key_asks_for_it(driver: webdriver.Chrome, parsers: dict[str, Parser]) -> None:
    with serving(parsers, api_key="secret") as address:
        page = Page(driver, address)
        page.until(lambda: page.find("#key").is_displayed())
        assert page.find("#message").text == "This service needs an API key. Enter it beside the settings."
        page.find("#key").send_keys("secret", Keys.TAB)
        page.until(lambda: page.texts(".card h2") == [TEXT])
        driver.get("about:blank")
        page = Page(driver, f"{address}#text=They+won.")
        page.until(lambda: page.find("#key").is_displayed())
        page.find("#key").send_keys("secret", Keys.TAB)
        page.until(lambda: page.texts(".card h2") == ["They won."])
        driver.get("about:blank")
    driver.get_log("browser")


def test_a_failed_request_greys_the_results_and_says_why(driver: webdriver.Chrome, address: str) -> None:
    page = Page(driver, address)
    page.resize(DESKTOP)
    page.parse()
    page.js("(document.querySelector('#beam').value = 99)")
    page.find("#text").send_keys(Keys.CONTROL, Keys.ENTER)
    page.until(lambda: page.find("#message").text == "Beam and trees can be at most 32.")
    assert page.find("#message").get_attribute("role") == "status"
    assert float(page.js("getComputedStyle(document.querySelector('#cards')).opacity")) < 0.5
    assert page.find("#outdated").is_displayed()
    page.js("(document.querySelector('#beam').value = 2)")
    page.parse()
    assert not page.find("#outdated").is_displayed()
    assert page.js("getComputedStyle(document.querySelector('#cards')).opacity") == "1"
    driver.get_log("browser")


def test_errors_are_in_words_for_people(driver: webdriver.Chrome, address: str) -> None:
    page = Page(driver, address)
    page.parse()
    page.find("#input option[value='conllu']").click()
    page.js("(document.querySelector('#text').value = '1\\tJohn\\n')")
    page.find("button.primary").click()
    page.until(lambda: page.find("#message").text.startswith("The input is not valid CoNLL-U. Line 1: "))
    page.find("#input option[value='text']").click()
    page.js("(window.fetch = () => Promise.reject(new TypeError('Failed to fetch')))")
    page.find("button.primary").click()
    page.until(lambda: page.find("#message").text == "The service does not answer. Check that it runs, then try again.")
    driver.get_log("browser")


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_controls_and_focus_row_stay_in_view(page: Page, size: tuple[int, int]) -> None:
    page.resize(size)
    page.parse(LONG)
    player = page.step_through()
    n = int(page.find(".count").text.split("/")[1])
    assert n >= 65
    for _ in range(39):
        player.send_keys(Keys.ARROW_RIGHT)
    assert page.find(".count").text == f"40 / {n}"
    for selector in (".controls", ".narration", ".is-focus", ".heads tr.is-focus .form"):
        box = page.js("document.querySelector(arguments[0]).getBoundingClientRect().toJSON()", selector)
        assert 0 <= box["top"] <= box["bottom"] <= size[1], selector
    # The sticky controls do not cover the row.
    assert page.js(
        "document.querySelector('.sticky').getBoundingClientRect().bottom <="
        " document.querySelector('tr.is-focus').getBoundingClientRect().top + 1"
    )
    # Whoever scrolls away and steps on is brought back.
    page.js("window.scrollTo({top: 0, behavior: 'instant'})")
    player.send_keys(Keys.ARROW_RIGHT)
    box = page.js("document.querySelector('tr.is-focus').getBoundingClientRect().toJSON()")
    assert 0 <= box["top"] <= box["bottom"] <= size[1]


def test_the_arc_of_the_step_is_marked_in_the_drawing(page: Page) -> None:
    page.parse(LONG)
    player = page.step_through()
    for _ in range(4):
        player.send_keys(Keys.ARROW_RIGHT)
    focus = page.texts("tr.is-focus .form")
    for drawing in (".trees", ".strip"):
        assert page.texts(f"{drawing} .focus-word .form") == focus
        titles = set(page.texts(f"{drawing} .arc.is-current title"))
        assert len(titles) == 1
        assert titles.pop().startswith(f"{focus[0]} is ")
        assert len(set(page.texts(f"{drawing} .arc:not(.is-later) title"))) <= 5
    page.find(".toggle").click()
    assert page.all(".trees .is-current, .trees .is-later") == []


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_long_drawing_fits_the_width(page: Page, size: tuple[int, int]) -> None:
    page.resize(size)
    page.parse(LONG)
    wide = "((frame) => [frame.scrollWidth, frame.clientWidth])(document.querySelector('.tree .view'))"
    scrolled, shown = page.js(wide)
    assert scrolled <= shown
    size_of_words = page.js("document.querySelector('.drawing .form').getAttribute('font-size')")
    assert size_of_words == "15", "a sentence of 40 words is drawn compactly"
    grounds = {page.js("arguments[0].getAttribute('y')", each) for each in page.all(".tree .drawing .form")}
    assert len(grounds) > 2
    page.js("document.querySelector('input[value=line]').click()")
    scrolled, shown = page.js(wide)
    assert scrolled > 2 * shown


def test_arcs_between_lines_have_one_tip_and_one_label(page: Page, parsers: dict[str, Parser]) -> None:
    page.resize(PHONE)
    page.parse(LONG)
    [sentence] = parsers["first"].parse_text(LONG, beam=4)
    assert len(page.all(".drawing .tip")) == len(sentence)
    assert sorted(page.texts(".drawing .deprel")) == sorted(sentence.deprels)
    assert len(page.all(".drawing .arc")) > len(sentence)


def test_the_table_shows_the_columns(page: Page, parsers: dict[str, Parser]) -> None:
    page.parse()
    page.js("document.querySelector('input[value=table]').click()")
    [sentence] = parsers["first"].parse_text(TEXT, beam=4)
    assert page.texts(".analysis thead th") == ["ID", "Form", "Lemma", "UPOS", "XPOS", "Features", "Head", "Relation"]
    forms = ["ROOT", *sentence.forms]
    expected = [
        [
            word.id,
            word.form,
            *("" if value == "_" else value for value in (word.lemma, word.upos, word.xpos)),
            "" if word.feats == "_" else word.feats.replace("|", " ") + " ",
            f"{word.head} {forms[word.head or 0]}",
            word.deprel,
        ]
        for word in sentence.words
    ]
    rows = "[...document.querySelectorAll('.analysis tbody tr')].map((r) => [...r.cells].map((c) => c.textContent))"
    assert page.js(rows) == expected


def test_words_and_conllu_can_be_given(page: Page) -> None:
    page.until(lambda: page.all("#model option"))
    page.find("#input option[value='words']").click()
    page.parse("Do n't panic !")
    assert page.texts(".drawing .form") == ["Do", "n't", "panic", "!"]
    page.find("#input option[value='conllu']").click()
    page.js("(document.querySelector('#text').value = arguments[0])", CONLLU)
    page.find("button.primary").click()
    page.until(lambda: page.texts(".drawing .form") == ["do", "n't", "sleep"])
    page.js("document.querySelector('input[value=table]').click()")
    assert page.texts(".analysis tbody td:first-child") == ["1-2", "1", "2", "3", "3.1"]


def test_pasted_conllu_is_recognised(page: Page) -> None:
    page.until(lambda: page.all("#model option"))
    page.js("(document.querySelector('#text').value = arguments[0])", CONLLU)
    page.js(
        "document.querySelector('#text').dispatchEvent(new InputEvent('input', {inputType: 'insertFromPaste'}))",
    )
    assert page.find("#input").get_property("value") == "conllu"


def test_examples_parse_with_a_click(page: Page) -> None:
    page.until(lambda: page.all("#model option"))
    for button in page.all("#examples button"):
        page.js("(document.querySelector('#message').textContent = '')")
        button.click()
        page.until(lambda: "sentence" in page.find("#message").text)
        assert not page.all(".message.error")
        assert page.all(".card .drawing .deprel")
    assert page.find("#input").get_property("value") == "conllu"


def test_n_best_trees_stand_side_by_side(page: Page, parsers: dict[str, Parser]) -> None:
    page.js("(document.querySelector('#trees').value = 3)")
    page.parse()
    trees = list(parsers["first"].stream(parsers["first"].parse_text(TEXT), beam=4, n_best=3))
    assert [each.get_attribute("aria-label") for each in page.all(".drawing")] == [described(tree) for tree in trees]
    assert len(page.all(".card")) == 1
    boxes = [each.rect for each in page.all("figure.tree")]
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[0]["x"] < boxes[1]["x"]
    assert page.texts("figcaption")[1].startswith("Tree 2")
    arcs = [list(zip(tree.heads, tree.deprels, strict=True)) for tree in trees]
    n_differing = [sum(a != b for a, b in zip(each, arcs[0], strict=True)) for each in arcs]
    assert len(page.all(".arc.differs .tip")) == sum(n_differing)
    page.step_through()  # traces with a beam that leads to the first of these trees
    page.js("document.querySelector('input[value=table]').click()")
    assert page.texts(".analysis thead th")[6:] == [
        f"{name} {rank}" for rank in (1, 2, 3) for name in ("Head", "Relation")
    ]
    assert len(page.all(".analysis td.differs")) == 2 * sum(n_differing)


def test_a_link_restores_text_and_settings(page: Page) -> None:
    page.parse("They won. <b>Él</b> & Söhne+1%")
    page.choose("#order", "outside-in")
    page.js("(document.querySelector('#beam').value = 3)")
    page.js("(document.querySelector('#trees').value = 2)")
    page.js("document.querySelector('#projective').click()")
    page.until(lambda: page.all("figcaption"))
    page.js("document.querySelector('input[value=table]').click()")
    page.find("#copy-link").click()
    page.until(lambda: "ink" in page.find("#message").text)
    link = page.driver.current_url
    assert "#" in link
    page.driver.get("about:blank")
    page.driver.get(link)
    page.until(lambda: page.all(".analysis"))
    assert page.find("#text").get_property("value") == "They won. <b>Él</b> & Söhne+1%"
    shown = {name: page.find(f"#{name}").get_property("value") for name in ("model", "order", "beam", "trees")}
    assert shown == {"model": "second", "order": "outside-in", "beam": "3", "trees": "2"}
    assert page.find("#projective").get_property("checked") is True
    assert page.find("#single-root").get_property("checked") is True
    page.until(lambda: "sentence" in page.find("#message").text)


def test_a_text_too_long_for_a_link_is_said_to_be(page: Page) -> None:
    page.until(lambda: page.all("#model option"))
    page.parse()
    page.js("(document.querySelector('#text').value = 'word '.repeat(3000))")
    page.find("#copy-link").click()
    page.until(lambda: page.find("#message").text.startswith("The text is too long for a link."))
    assert "#" not in page.driver.current_url


def test_a_damaged_link_does_no_harm(page: Page) -> None:
    page.until(lambda: page.all("#model option"))
    page.js("(location.hash = '#text=They+won.&beam=-5&trees=x&input=__proto__&model=none&view=%3Cb%3E')")
    page.until(lambda: page.find("#message").text == "This service has no model none; first parsed the text.")
    assert page.find("#beam").get_property("value") == "4"
    assert page.find("#input").get_property("value") == "text"
    assert page.texts(".card h2") == ["They won."]


DROP = """
    const transfer = new DataTransfer();
    transfer.items.add(new File([arguments[0]], arguments[1]));
    for (const name of ["dragover", "drop"]) {
      document.body.dispatchEvent(new DragEvent(name, {dataTransfer: transfer, bubbles: true, cancelable: true}));
    }
"""


def test_a_file_can_be_dropped(page: Page) -> None:
    page.until(lambda: page.all("#model option"))
    page.driver.execute_script(DROP, "They won. We lost.", "two.txt")
    page.until(lambda: page.find("#message").text == "two.txt: 2 sentences.")
    assert page.texts(".card h2") == ["They won.", "We lost."]
    page.driver.execute_script(DROP, CONLLU, "one.conllu")
    page.until(lambda: page.find("#message").text == "one.conllu: 1 sentence.")
    assert page.find("#input").get_property("value") == "conllu"
    assert "2 MB" in page.find("#hint").text
    page.driver.execute_script(DROP, "x" * (2**21 + 1), "big.txt")
    page.until(lambda: page.find("#message").text.startswith("big.txt has 2.0 MB; the page takes files of up to 2 MB."))
    page.driver.execute_script(DROP, "\0\0", "picture.png")
    page.until(lambda: page.find("#message").text == "picture.png is not a text file in UTF-8.")


def test_everything_can_be_downloaded(page: Page, parsers: dict[str, Parser], tmp_path: Path) -> None:
    page.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    text = "They don't know. " * 30
    page.parse(text)
    sentences = list(parsers["first"].parse_text(text, beam=4))
    assert len(page.all(".card")) < len(sentences) == 30
    for name, expected in (("conllu", "".join(map(format_sentence, sentences))), ("json", render(sentences, "json"))):
        page.find(f"#save-{name}").click()
        saved = tmp_path / f"parsed.{name}"
        page.until(saved.exists)
        page.until(lambda saved=saved, expected=expected: saved.read_text(encoding="utf-8") == expected)


def test_conllu_of_the_page_is_that_of_the_service(page: Page, parsers: dict[str, Parser], tmp_path: Path) -> None:
    page.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    page.until(lambda: page.all("#model option"))
    page.driver.execute_script(DROP, CONLLU, "one.conllu")
    page.until(lambda: page.find("#message").text == "one.conllu: 1 sentence.")
    [sentence] = parsers["first"].parse(list(read_treebank(io.BytesIO(CONLLU.encode()), format="conllu")), beam=4)
    page.find("#save-conllu").click()
    saved = tmp_path / "parsed.conllu"
    page.until(saved.exists)
    page.until(lambda: saved.read_text(encoding="utf-8") == format_sentence(sentence))


def test_cards_load_as_one_scrolls(page: Page) -> None:
    page.parse("They won. " * 200)
    assert page.find("#message").text == "200 sentences."
    few = len(page.all(".card"))
    assert 8 <= few < 40
    assert page.find(".card").get_attribute("aria-setsize") == "200"
    page.js("window.scrollTo({top: document.body.scrollHeight, behavior: 'instant'})")
    page.until(lambda: len(page.all(".card")) > few)
    while len(page.all(".card")) < 200:
        before = len(page.all(".card"))
        page.js("window.scrollTo({top: document.body.scrollHeight, behavior: 'instant'})")
        page.until(lambda before=before: len(page.all(".card")) > before)
    assert not page.find("#more").is_displayed()


def test_what_came_before_a_fault_is_shown(driver: webdriver.Chrome, address: str) -> None:
    page = Page(driver, address)
    page.until(lambda: page.all("#model option"))
    lines = "They won.\n" * 600 + "very " * 1200
    page.js("(document.querySelector('#text').value = arguments[0])", lines)
    page.find("#input option[value='lines']").click()
    page.find("button.primary").click()
    page.until(lambda: page.find("#message").text.startswith("A sentence has more than 1,000 words"))
    assert page.find("#message").text.endswith("Shown are the 600 sentences before it.")
    assert not page.find("#outdated").is_displayed()
    assert page.all(".card")
    driver.get_log("browser")


def test_right_to_left_scripts_run_from_right_to_left(page: Page) -> None:
    page.until(lambda: page.all("#model option"))
    page.find("#input option[value='words']").click()
    page.parse("הילד קורא ספר")
    xs = [float(page.js("arguments[0].getAttribute('x')", each)) for each in page.all(".drawing .form")]
    assert xs == sorted(xs, reverse=True)


def test_models_without_a_tokeniser_take_words(driver: webdriver.Chrome) -> None:
    with serving({"bare": tiny_parser(tiny_config(), seed=3)}) as address:
        page = Page(driver, address)
        page.until(lambda: page.find("#input").get_property("value") == "words")
        assert page.find("#message").text == "No model of this service reads raw text. Enter words or CoNLL-U."
        page.parse("They won .")
        assert page.texts(".drawing .form") == ["They", "won", "."]
        driver.get("about:blank")
    driver.get_log("browser")


def test_a_top_down_trace_can_be_stepped_through(driver: webdriver.Chrome) -> None:
    parser = tiny_parser(tiny_config(("top-down", "parent-sibling", "gate1")), seed=3)
    forms = ["They", "won", "it", "."]
    trace = parser.trace(Sentence.from_words(forms), beam=4)
    with serving({"top": parser}) as address:
        page = Page(driver, address)
        page.until(lambda: page.find("#input").get_property("value") == "words")
        page.parse(" ".join(forms))
        player = page.step_through()
        assert page.find(".count").text == f"1 / {2 * len(forms) - 1}"
        for number, step in enumerate(trace.steps, 1):
            assert page.find(".count").text.startswith(f"{number} /")
            assert page.texts("tr.is-focus .form") == [trace.forms[step.focus]]
            assert page.texts("tr.is-focus .tag.head") == (["popped"] if step.dependent is None else [])
            target = [] if step.dependent is None else [trace.forms[step.dependent]]
            assert page.texts("tr.is-head .form") == target
            assert ("is popped" in page.find(".narration").text) == (step.dependent is None)
            player.send_keys(Keys.ARROW_RIGHT)
        driver.get("about:blank")
    driver.get_log("browser")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("她 昨天 在 圖書館 看 了 一 本 書 。", "zh"),
        ("猫 は 窓 の そば で 眠る 。", "ja"),
        ("고양이가 창가에서 조용히 잔다 .", "ko"),
        ("Кошка тихо спит у окна .", ""),
    ],
)
def test_words_name_the_language_whose_fonts_they_need(page: Page, text: str, language: str) -> None:
    page.until(lambda: page.all("#model option"))
    page.find("#input option[value='words']").click()
    page.parse(text)
    page.step_through()
    assert page.texts(".drawing .form") == text.split()
    for selector in ("#text", ".card h2", ".drawing .form", ".positions tr:nth-child(2) .form"):
        assert page.find(selector).get_attribute("lang") == language, selector
    assert script_language(text.split()) == (language or None)
    page.find("input[value='table']").click()
    assert page.find(".analysis tbody").get_attribute("lang") == language
