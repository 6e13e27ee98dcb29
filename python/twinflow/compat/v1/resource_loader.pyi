# Computed from the op table by tools/make_stubs.py.

def get_data_files_path() -> str:
    """Returns the folder of the module that calls this function."""

def get_path_to_datafile(path: str) -> str:
    """Returns the path of a file beside the module that calls this function."""

def get_root_dir_with_all_resources() -> str:
    """Returns the folder of the package, from which relative paths of resources lead."""

def load_resource(path: str) -> bytes:
    """Returns the content of a file."""

def readahead_file_path(path: str, readahead: str = "128M") -> str:
    """Returns the path: files are read without a request to read ahead."""
