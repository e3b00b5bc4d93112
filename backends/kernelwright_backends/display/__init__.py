"""Text of others as it may be shown: no character acts, no secret appears."""
