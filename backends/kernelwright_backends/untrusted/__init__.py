"""Files and data that somebody else wrote: where they may lie, how they are read, parsed, written beside, and taken out of the sandbox."""
