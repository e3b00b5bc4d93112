"""What the server knows while a client is connected."""
