"""The driver's reply as findings: its records by instruction become findings at the user's lines."""
