#!/bin/sh
# units: write the table of units
set -e
echo "UNITS = {}"
