"""From what the verifier and the agent say to what an editor shows."""
