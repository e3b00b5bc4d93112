"""What all dialects need to compile and run on this host: compilers, headers, objects, the runner's protocol."""
