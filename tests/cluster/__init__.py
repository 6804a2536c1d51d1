"""A whole scoring run on a real Slurm of one node, undisturbed and under fault: ``make slurm-check``."""
