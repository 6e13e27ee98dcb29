"""Lists a checkpoint's contents: ``python -m twinflow.inspect_checkpoint FILE``."""

from twinflow._src.checkpoint.inspect import main

if __name__ == "__main__":
    main()
