"""Serves starts to the server on descriptor 0. Arguments: the folder of `removal`."""

import sys

if __name__ == "__main__":
    here = __file__.rpartition("/")[0]
    package, _, name = here.rpartition("/")
    sys.path += [package, sys.argv[1]]
    main = __import__(f"{name}.serving", fromlist=["main"]).main
    sys.exit(main())
