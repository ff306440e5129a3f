"""Measures the page as a visitor meets it: a real Chromium against a real server (`python -m ui.bench`)."""
