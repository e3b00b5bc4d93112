"""The project around an operator: tiling structs, host definitions, chip, element types."""
