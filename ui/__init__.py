"""The web page: a Gradio app around a viewer that replays traces in the browser."""
