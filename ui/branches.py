"""The card of branches: which block sizes decode, new ones, and a branch that goes on with another size."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import gradio as gr

from blockbatch.config import DEFAULT_BLOCK_SIZES, MAX_BLOCK_SIZE, DecodeConfig, typed_integer
from blockbatch.errors import BlockBatchError, ConfigError
from ui.parts import AT_ONCE, IN_TURN, KNOB, card, note, warn
from ui.session import ControlStore

Updates = tuple[Any, ...]


class BranchCard(NamedTuple):
    """The components of the card; `known` holds all sizes that have a chip, on or off."""

    known: gr.State
    sizes: gr.CheckboxGroup
    new_size: gr.Textbox
    add: gr.Button
    resized: gr.Dropdown
    resized_to: gr.Textbox
    resize: gr.Button


def branch_card() -> BranchCard:
    """Build the card."""
    sizes = [str(size) for size in DEFAULT_BLOCK_SIZES]
    with card("Branches, one per block size", "On or off; during a run this acts at the next step."):
        known = gr.State(list(DEFAULT_BLOCK_SIZES))
        chips = gr.CheckboxGroup(
            sizes, value=sizes, show_label=False, label="Block sizes", container=False, elem_id="bb-sizes",
            elem_classes="bb-chips",
        )  # fmt: skip
        with gr.Row(elem_classes="bb-inline"):
            new_size = size_field("New block size", "", "bb-new-size")
            add = gr.Button("Add", min_width=0, scale=0, elem_id="bb-add")
        with gr.Accordion("Resize a branch", open=False, elem_classes="bb-fold"):
            note("It keeps its tokens and goes on with another block size, from the next step.")
            with gr.Row(elem_classes="bb-inline"):
                resized = gr.Dropdown(sizes, value="32", label="Block", show_label=False, container=False,
                                      min_width=0, elem_id="bb-resized")  # fmt: skip
                resized_to = size_field("Its new block size", "48", "bb-resized-to")
                resize = gr.Button("Resize", min_width=0, scale=0, elem_id="bb-resize")
    return BranchCard(known, chips, new_size, add, resized, resized_to, resize)


def size_field(label: str, value: str, elem_id: str) -> gr.Textbox:
    """A field for a block size; a text, because it may be empty."""
    return gr.Textbox(
        value, label=label, show_label=False, container=False, placeholder=f"new size, 1 to {MAX_BLOCK_SIZE}",
        min_width=0, max_lines=1, elem_id=elem_id,
    )  # fmt: skip


def picked(chips: Sequence[str]) -> list[int]:
    """The block sizes of the chips that are on, ascending."""
    return sorted(int(chip) for chip in chips)


def new_block_size(known: Sequence[int], text: str) -> int:
    """`text` as a block size that has no chip yet, else a ConfigError."""
    size = typed_integer("The block size", text, 1, MAX_BLOCK_SIZE)
    if size in known:
        raise ConfigError("The block size", size, "one that is not there yet; switch its chip on")
    return size


def wire_branches(store: ControlStore, card: BranchCard, preset: gr.Radio, key: gr.State) -> None:
    """Chips, Add and Resize act on the visitor's run and on the next one; a preset switches its own chips on."""
    shown = [card.known, card.sizes, card.resized]
    given = [key, card.known, card.sizes]
    card.sizes.input(partial(choose, store), [key, card.sizes], card.resized, **KNOB)
    for trigger in (card.add.click, card.new_size.submit):
        trigger(partial(add, store), [*given, card.new_size], [*shown, card.new_size], **IN_TURN)
    card.resize.click(partial(resize, store), [*given, card.resized, card.resized_to], shown, **IN_TURN)
    preset.input(of_preset, [preset, card.known], shown, **AT_ONCE)


def of_preset(name: str, known: list[int]) -> Updates:
    """The chips of a preset's branches on, all others off."""
    sizes = DecodeConfig.preset(name).block_sizes
    return show(sorted({*known, *sizes}), list(sizes))


def choose(store: ControlStore, run: str | None, chips: list[str]) -> gr.Dropdown:
    """Decode with the branches whose chips are on."""
    store.change(run, settings={"block_sizes": picked(chips)})
    return resizable(chips)


def add(store: ControlStore, run: str | None, known: list[int], chips: list[str], text: str) -> Updates:
    """A new chip for the size in `text`, switched on; a warning where there can be none."""
    try:
        size = new_block_size(known, text)
    except ConfigError as error:
        warn(error)
        return (gr.skip(),) * 4
    sizes = picked([*chips, str(size)])
    store.change(run, settings={"block_sizes": sizes})
    return *show(sorted([*known, size]), sizes), ""


def resize(
    store: ControlStore, run: str | None, known: list[int], chips: list[str], old: str | None, text: str
) -> Updates:
    """Let the branch `old` go on with the size in `text`; a warning where that cannot be, as when all chips are off."""
    try:
        size = new_block_size(known, text)
        if old is None or old not in chips:
            raise BlockBatchError("Only a branch that is on can be resized; switch its chip on first.")
    except BlockBatchError as error:
        warn(error)
        return (gr.skip(),) * 3
    sizes = picked([str(size) if chip == old else chip for chip in chips])
    store.resize(run, int(old), size, {"block_sizes": sizes})
    return show(sorted(size if each == int(old) else each for each in known), sizes)


def show(known: list[int], sizes: list[int]) -> Updates:
    """Updates of `known`, the chips and the list of branches that can be resized."""
    chips = [str(size) for size in sizes]
    return known, gr.CheckboxGroup(choices=[str(size) for size in known], value=chips), resizable(chips)


def resizable(chips: Sequence[str]) -> gr.Dropdown:
    """An update: only branches that are on can be resized."""
    return gr.Dropdown(choices=list(chips), value=chips[-1] if chips else None)
