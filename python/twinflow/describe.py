"""The op table as JSON: ``python -m twinflow.describe``."""

from twinflow._src.api.describe import main

if __name__ == "__main__":
    main()
