"""Language models as generators, through litellm or the editor."""
