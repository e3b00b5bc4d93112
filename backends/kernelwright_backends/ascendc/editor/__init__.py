"""What an editor is offered while Ascend C is written: completions, signatures, fixes."""
