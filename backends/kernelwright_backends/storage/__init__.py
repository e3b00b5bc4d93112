"""What is kept on disk: our folders, builds, their seals and their eviction."""
