"""The graph of a large engine: blocks that open, finding, following, the map, the address, the keys."""

from __future__ import annotations

import re

import pytest
from page_helpers import choose, expect_selected, scroll_to, wait_for_frames
from playwright.sync_api import expect
from waiting import wait_until

from trexreport import load
from trexreport.analyzer import analyze

LAYERS = 400


@pytest.fixture(scope="module")
def capture(tmp_path_factory):
    from generator.large import llm_like

    folder = tmp_path_factory.mktemp("plan")
    for name, content in llm_like(LAYERS).items():
        (folder / name).write_bytes(content)
    return folder


@pytest.fixture(scope="module")
def plan_facts(capture):
    return analyze(load(capture))


@pytest.fixture(scope="module")
def large_report(report_of, capture):
    return report_of(capture)


@pytest.fixture
def plan(open_report, large_report):
    page = open_report(large_report, reduced_motion="reduce")
    scroll_to(page, "#graph-view")
    return page


def boxes(page):
    return page.locator(".plan-svg .node").evaluate_all(
        "all => all.map((each) => Number(each.dataset.layer))"
    )


def lit(page):
    return page.locator(".plan-svg .node.is-lit").evaluate_all(
        "all => all.map((each) => Number(each.dataset.layer))"
    )


def middle_layer(facts):
    """Return a layer in the middle that reads and writes and is a module of its own."""
    return next(layer for layer in facts.layers[LAYERS // 2 :] if layer.type == "gemm")


def test_a_block_opens_and_closes_by_a_click(plan):
    before = plan.locator(".plan-block").count()
    plan.locator("#plan-close-all").click()
    block = plan.locator(".plan-block").first
    number = block.get_attribute("data-block")
    block.click()
    head = plan.locator(f".plan-head[data-block='{number}']")
    expect(head).to_be_visible()
    head.click()
    expect(head).to_have_count(0)
    expect(plan.locator(f".plan-block[data-block='{number}']")).to_be_visible()
    assert before > 1


def test_levels_open_one_after_the_other(plan):
    plan.locator("#plan-close-all").click()
    closed = plan.locator(".plan-block").count()
    plan.locator("#plan-deeper").click()
    expect(plan.locator(".plan-head").first).to_be_visible()
    assert plan.locator(".plan-block").count() > closed


def test_blocks_that_cost_little_are_taken_together(plan):
    plan.locator("#plan-close-all").click()
    plan.locator("#plan-deeper").click()
    choose(plan, "#plan-least", "5")
    few = plan.locator(".plan-few").first
    expect(few).to_contain_text("of little time")
    assert re.search(r"graph=2_5", plan.evaluate("location.hash"))


def test_finding_counts_steps_on_and_back_and_lights_closed_blocks(plan, plan_facts):
    plan.locator("#plan-close-all").click()
    wanted = [layer.index for layer in plan_facts.layers if "down_proj" in layer.name]
    plan.locator("#graph-find").fill("down_proj")
    expect(plan.locator("#find-count")).to_have_text(f"{len(wanted)} found")
    expect(plan.locator(".plan-block.is-match .match-count").first).to_contain_text("found")
    plan.locator("#find-next").click()
    expect(plan.locator("#find-count")).to_have_text(f"1 of {len(wanted)}")
    expect(plan.locator(".node.is-selected")).to_have_attribute("data-layer", str(wanted[0]))
    plan.locator("#find-next").click()
    expect(plan.locator(".node.is-selected")).to_have_attribute("data-layer", str(wanted[1]))
    plan.locator("#find-previous").click()
    plan.locator("#find-previous").click()
    expect(plan.locator(".node.is-selected")).to_have_attribute("data-layer", str(wanted[-1]))
    plan.locator("#graph-find").fill("no such layer")
    expect(plan.locator("#find-count")).to_have_text("none found")
    expect(plan.locator("#find-next")).to_be_disabled()


def test_following_lights_what_feeds_a_layer_and_what_it_feeds(plan, plan_facts):
    layer = middle_layer(plan_facts)
    plan.evaluate(f"location.hash = '#L{layer.index}'")
    expect(plan.locator(f".node.is-selected[data-layer='{layer.index}']")).to_be_in_viewport()
    near = {layer.index}
    for use in layer.inputs:
        near |= set(plan_facts.tensors[use.tensor].producers)
    for use in layer.outputs:
        near |= set(plan_facts.tensors[use.tensor].consumers)
    assert set(lit(plan)) == near & set(boxes(plan))
    choose(plan, "#graph-steps", "4")
    assert set(lit(plan)) > near & set(boxes(plan))


def test_a_tensor_lights_its_ends(plan, plan_facts):
    layer = middle_layer(plan_facts)
    plan.evaluate(f"location.hash = '#L{layer.index}'")
    tensor = layer.outputs[0].tensor
    plan.locator(f".edge[data-tensor='{tensor}'] path").first.dispatch_event("click", {"bubbles": True})
    expect_selected(plan, plan_facts.tensors[tensor].name)
    ends = {*plan_facts.tensors[tensor].producers, *plan_facts.tensors[tensor].consumers}
    assert set(lit(plan)) == ends & set(boxes(plan))


def test_a_stub_leads_to_where_its_tensor_is_written_or_read(plan, plan_facts):
    plan.locator("#plan-open-all").click()
    scroll_to(plan, "#graph-view")
    stub = plan.locator(".port-stub[data-jump]").first
    kind, goal, tensor = stub.get_attribute("data-jump").split()
    facts = plan_facts.tensors[int(tensor)]
    assert kind == "layer"
    assert int(goal) in (*facts.producers, *facts.consumers)
    stub.click()
    expect(plan.locator(f".node[data-layer='{goal}']")).to_be_in_viewport()


def test_a_wait_leads_to_what_it_waits_for(plan, plan_facts):
    assert len({layer.stream for layer in plan_facts.layers}) > 1
    wait = next(layer.index for layer in plan_facts.layers[LAYERS // 2 :] if layer.type == "wait")
    plan.evaluate(f"location.hash = '#L{wait + 1}'")
    end = plan.locator(".sync[data-jump]").first
    expect(end.locator("title")).to_contain_text("stream")
    goal = end.get_attribute("data-jump").split()[1]
    end.dispatch_event("click", {"bubbles": True})
    expect(plan.locator(f".node[data-layer='{goal}']")).to_be_in_viewport()


def test_the_address_says_what_is_open(plan, open_report, large_report):
    plan.locator("#plan-close-all").click()
    plan.locator(".plan-block").nth(1).click()
    heads = "all => all.map((each) => each.dataset.block)"
    opened = plan.locator(".plan-head").evaluate_all(heads)
    address = plan.evaluate("location.hash")
    assert "graph=" in address
    other = open_report(large_report)
    other.evaluate("(hash) => { location.hash = hash; }", address)
    expect(other.locator(f".plan-head[data-block='{opened[0]}']")).to_have_count(1)
    assert other.locator(".plan-head").evaluate_all(heads) == opened


def test_an_address_that_says_nothing_of_this_plan_changes_nothing(plan):
    before = plan.locator(".plan-svg").inner_html()
    plan.evaluate(
        """() => {
          location.hash = "#graph=99999.zz.!<_9e9";
          return new Promise((done) => addEventListener("hashchange", () => done(), { once: true }));
        }"""
    )
    wait_for_frames(plan)
    assert plan.locator(".plan-svg").inner_html() == before


def test_the_map_goes_to_where_it_is_clicked(plan):
    plan.locator("#plan-open-all").click()
    card = plan.locator("#graph-map")
    expect(card).to_be_visible()
    scroll_to(plan, "#graph-view")
    box = card.bounding_box()
    plan.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.6)
    view = plan.locator("#graph-view")
    assert view.evaluate("each => each.scrollTop") > 0
    expect(plan.locator(".plan-svg .node").first).to_be_attached()


def test_arrow_keys_walk_blocks_and_layers(plan):
    plan.locator("#plan-close-all").click()
    first, second = (plan.locator(".plan-block").nth(number) for number in (0, 1))
    first.focus()
    plan.keyboard.press("ArrowDown")
    expect(second).to_be_focused()
    plan.keyboard.press("ArrowUp")
    expect(first).to_be_focused()
    number = first.get_attribute("data-block")
    plan.keyboard.press("ArrowRight")
    expect(plan.locator(f"[data-block='{number}'][aria-expanded]:focus")).to_have_count(1)
    plan.evaluate("location.hash = '#L350'")
    plan.locator(".node").first.focus()
    before = plan.evaluate("document.activeElement.dataset.layer")
    plan.keyboard.press("ArrowRight")
    after = plan.evaluate("document.activeElement.dataset.layer")
    assert int(after) > int(before)


def test_shapes_stand_at_the_lines_when_there_is_room(plan, plan_facts):
    layer = middle_layer(plan_facts)
    plan.evaluate(f"location.hash = '#L{layer.index}'")
    expect(plan.locator(".plan-svg .edge-text")).to_have_count(0)
    for _ in range(3):
        plan.locator("#graph-in").click()
    expect(plan.locator(".plan-svg .edge-text", has_text=re.compile("\u00d7")).first).to_be_attached()


def test_the_wheel_stretches_and_then_settles(plan):
    view, drawing = plan.locator("#graph-view"), plan.locator(".plan-svg")
    box = view.bounding_box()
    plan.mouse.move(box["x"] + 300, box["y"] + 200)
    start = drawing.bounding_box()["width"]
    plan.keyboard.down("Control")
    plan.mouse.wheel(0, -60)
    plan.keyboard.up("Control")
    expect(drawing).to_have_attribute("style", re.compile(r"^width: [\d.]+px; height: [\d.]+px;$"))
    assert drawing.bounding_box()["width"] == pytest.approx(start * 1.2214, rel=0.01)


def test_colors_show_streams_and_the_legend_says_so(plan):
    plan.locator("#graph-color").select_option("stream")
    expect(plan.locator("#graph-legend")).to_contain_text("stream 0")
    plan.locator(".marks summary").click()
    expect(plan.locator(".graph-mark-wait")).to_be_visible()


def focused(page):
    """What has the focus: the kind of element and the number of its block or layer."""
    return page.evaluate(
        """() => {
          const { classList, dataset } = document.activeElement;
          return [classList[0] ?? "", dataset.block ?? dataset.layer ?? ""];
        }"""
    )


def test_the_tab_key_reaches_the_blocks_past_the_pane(plan):
    plan.locator(".marks summary").focus()
    plan.keyboard.press("Tab")
    assert plan.evaluate("document.activeElement.id") == "graph-view"
    plan.keyboard.press("Tab")
    assert focused(plan)[0] in ("plan-head", "plan-block")


def test_backspace_keeps_the_focus_when_its_block_was_out_of_view(plan):
    plan.locator("#plan-open-all").click()
    scroll_to(plan, "#graph-view")
    wanted = plan.evaluate("[...document.querySelectorAll('.plan-svg .node')].at(-1).dataset.layer")
    plan.locator(f".node[data-layer='{wanted}']").focus()
    for _ in range(12):
        plan.keyboard.press("ArrowRight")
    assert focused(plan)[0] == "node"
    plan.locator("#graph-view").evaluate("each => { each.scrollTop += 1500; }")
    plan.keyboard.press("Backspace")
    assert focused(plan)[0] == "plan-block"


def test_arrow_keys_lead_out_of_an_open_block(plan):
    plan.locator("#plan-close-all").click()
    while not plan.locator(".plan-svg .node").count():
        plan.locator(".plan-block").first.click()
    plan.locator(".plan-svg .node").first.focus()
    for _ in range(LAYERS):
        plan.keyboard.press("ArrowRight")
        if focused(plan)[0] != "node":
            break
    assert focused(plan)[0] == "plan-block"


def test_paper_shows_the_whole_plan_and_no_map(plan):
    shown = plan.locator(".plan-block").count()
    stacked = "Math.max(...[...document.querySelectorAll('.plan-block')].map((e) => +e.dataset.item))"
    plan.evaluate("document.querySelector('#graph-view').style.height = '150px'")
    plan.locator("#graph-in").click()
    plan.locator("#graph-in").click()
    plan.locator("#graph-in").click()
    plan.locator("#graph-view").evaluate("each => { each.scrollTop = 0; each.scrollLeft = 0; }")
    wait_for_frames(plan)
    assert plan.locator(".plan-block").count() < shown
    plan.emulate_media(media="print")
    plan.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert plan.locator(".plan-block").count() == plan.evaluate(stacked) + 1
    expect(plan.locator("#graph-map")).to_be_hidden()
    expect(plan.get_by_text("Ctrl and the wheel zoom")).to_be_hidden()
    plan.evaluate("dispatchEvent(new Event('afterprint'))")
    plan.emulate_media(media="screen")
    expect(plan.locator("#graph-map")).to_be_visible()


def test_the_map_takes_the_colors_of_the_theme(open_report, large_report):
    page = open_report(large_report, color_scheme="light")
    page.locator("#plan-open-all").click()
    picture = "document.querySelector('#graph-map').toDataURL()"
    light = page.evaluate(picture)
    page.keyboard.press("t")
    page.keyboard.press("t")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    wait_until(lambda: page.evaluate(picture) != light)


def test_blocks_taken_together_say_how_many_were_found_in_them(plan):
    plan.locator("#plan-close-all").click()
    plan.locator("#plan-deeper").click()
    choose(plan, "#plan-least", "5")
    plan.locator("#graph-find").fill("norm")
    few = plan.locator(".plan-few.is-match").first
    expect(few.locator(".match-count")).to_contain_text("found")
    assert few.evaluate("each => getComputedStyle(each).opacity") == "1"
    plan.locator("#find-next").click()
    expect(plan.locator(".plan-few.is-selected")).to_have_count(1)


def test_an_address_chooses_only_what_can_be_chosen(plan):
    plan.evaluate("location.hash = '#graph=2_99'")
    expect(plan.locator(".plan-head").first).to_be_visible()
    expect(plan.locator("#plan-least")).to_have_value("0")
    expect(plan.locator(".plan-few")).to_have_count(0)
    plan.evaluate("location.hash = '#graph=2_5'")
    expect(plan.locator("#plan-least")).to_have_value("5")


def test_fit_shows_all_however_large_it_is(plan):
    plan.locator("#plan-open-all").click()
    plan.evaluate("document.querySelector('#graph-view').style.height = '60px'")
    plan.locator("#graph-fit").click()
    rest = plan.locator("#graph-view").evaluate("each => each.scrollHeight - each.clientHeight")
    assert rest <= 0


def test_finding_says_what_is_wrong_with_a_pattern(plan):
    plan.locator("#graph-find").fill("norm")
    expect(plan.locator("#find-count")).to_contain_text("found")
    plan.locator("#graph-find").fill("/(/")
    expect(plan.locator("#find-count")).to_have_text("/(/: not a regular expression")
    expect(plan.locator("#find-next")).to_be_disabled()
    plan.locator("#graph-find").fill("")
    expect(plan.locator("#find-count")).to_have_text("")
    expect(plan.locator("#graph-find[aria-invalid]")).to_have_count(0)
