"""`python -m kernelwright_server` does what the command `kernelwright` does."""

import sys

from kernelwright_server.cli import main

sys.exit(main())
