import sys

from fluxnet.core import main

main(sys.argv[1])
