"""Work without a task: entries are run on synthetic inputs and judged for safety alone (docs/development/verification.md)."""
