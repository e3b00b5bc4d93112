"""What the server does for a document: verify, draft and refine, fix, show."""
