"""Fault drills: `make drill`. The real command line is put under fault in copies of the project."""
