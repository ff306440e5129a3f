"""The look of Gradio's own components, matched to the viewer's, and the style sheets of the page."""

from __future__ import annotations

import gradio as gr

from ui.viewer import FOLDER, asset

SANS = ("system-ui", "-apple-system", "Segoe UI", "Inter", "Roboto", "sans-serif")
MONO = ("ui-monospace", "SF Mono", "JetBrains Mono", "Menlo", "Consolas", "DejaVu Sans Mono", "monospace")
FAVICON = FOLDER / "favicon.svg"
STYLE_SHEETS = (
    *("tokens.css", "page.css", "rail.css", "viewer.css", "plots.css", "panels.css", "canvas.css", "share.css"),
    *("layout.css", "teach.css", "lab.css"),
)

# The same in both schemes, for the variables of tokens.css differ between them.
SIZES = {"block_title_text_weight": "500", "block_padding": "0px"}
COLOURS = {
    "body_background_fill": "var(--bb-bg)",
    "body_text_color": "var(--bb-ink)",
    "body_text_color_subdued": "var(--bb-dim)",
    "background_fill_primary": "var(--bb-panel)",
    "background_fill_secondary": "var(--bb-raise)",
    "border_color_primary": "var(--bb-line)",
    "border_color_accent": "var(--bb-accent)",
    "color_accent_soft": "var(--bb-raise)",
    "block_background_fill": "transparent",
    "block_border_color": "transparent",
    "block_border_width": "0px",
    "block_shadow": "none",
    "block_label_background_fill": "transparent",
    "block_label_text_color": "var(--bb-dim)",
    "block_title_text_color": "var(--bb-ink)",
    "block_info_text_color": "var(--bb-dim)",
    "panel_background_fill": "transparent",
    "panel_border_color": "transparent",
    "input_background_fill": "var(--bb-bg)",
    "input_background_fill_focus": "var(--bb-bg)",
    "input_border_color": "var(--bb-line)",
    "input_border_color_focus": "var(--bb-accent)",
    "input_placeholder_color": "var(--bb-dim)",
    "input_shadow": "none",
    "input_shadow_focus": "none",
    "slider_color": "var(--bb-accent)",
    "button_primary_background_fill": "var(--bb-accent)",
    "button_primary_background_fill_hover": "var(--bb-accent-strong)",
    "button_primary_text_color": "var(--bb-on-accent)",
    "button_primary_border_color": "var(--bb-accent)",
    "button_secondary_background_fill": "var(--bb-raise)",
    "button_secondary_background_fill_hover": "var(--bb-line)",
    "button_secondary_text_color": "var(--bb-ink)",
    "button_secondary_border_color": "var(--bb-line)",
    "checkbox_background_color": "var(--bb-bg)",
    "checkbox_background_color_selected": "var(--bb-accent)",
    "checkbox_border_color": "var(--bb-faint)",
    "checkbox_border_color_selected": "var(--bb-accent)",
    "checkbox_label_background_fill": "var(--bb-raise)",
    "checkbox_label_background_fill_hover": "var(--bb-line)",
    "checkbox_label_background_fill_selected": "var(--bb-raise)",
    "checkbox_label_border_color": "var(--bb-line)",
    "checkbox_label_text_color": "var(--bb-ink)",
    "checkbox_label_text_color_selected": "var(--bb-ink)",
}


def theme() -> gr.themes.Base:
    """Gradio's plain theme with the page's colours and the system's fonts; it loads nothing from elsewhere."""
    plain = gr.themes.Base(font=SANS, font_mono=MONO, radius_size="md", spacing_size="sm", text_size="sm")
    return plain.set(**SIZES, **COLOURS, **{f"{name}_dark": value for name, value in COLOURS.items()})


def head() -> str:
    """The style sheets, given whole: Gradio's own way of adding styles drops rules that it does not know."""
    return f"<style>{style_sheets()}</style>"


def style_sheets() -> str:
    """The rules of all style sheets."""
    return "".join(asset(name) for name in STYLE_SHEETS)
