"""The GPUs that were found, or why none was."""

from twinflow._src.backends.gpu.device import why_none as why_none
