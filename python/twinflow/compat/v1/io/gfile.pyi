# Computed from the op table by tools/make_stubs.py.

from twinflow._src.io.gfile import GFile as GFile
from twinflow.io.gfile import copy as copy
from twinflow.io.gfile import exists as exists
from twinflow.io.gfile import get_registered_schemes as get_registered_schemes
from twinflow.io.gfile import glob as glob
from twinflow.io.gfile import isdir as isdir
from twinflow.io.gfile import join as join
from twinflow.io.gfile import listdir as listdir
from twinflow.io.gfile import makedirs as makedirs
from twinflow.io.gfile import mkdir as mkdir
from twinflow.io.gfile import remove as remove
from twinflow.io.gfile import rename as rename
from twinflow.io.gfile import rmtree as rmtree
from twinflow.io.gfile import stat as stat
from twinflow.io.gfile import walk as walk
