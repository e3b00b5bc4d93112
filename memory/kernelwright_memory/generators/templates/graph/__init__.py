"""What a task computes, as a graph, and how it is split into launches."""
