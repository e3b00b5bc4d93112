"""Verdicts as text, as JSON lines and as SARIF."""
