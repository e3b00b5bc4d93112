"""What writes candidates: built-in templates, or a model through litellm."""
