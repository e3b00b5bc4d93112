"""What the scripts share; each module says what for. Scripts find it beside them, or one folder up."""
