"""`python -m libs.runtime SERVICE`: how `prickle up` starts its children."""

import sys

from libs.runtime.serving import serve
from libs.runtime.settings import load_settings

if __name__ == "__main__":
    serve(sys.argv[1], load_settings())
