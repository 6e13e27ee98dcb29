"""The operations, a folder a family. An op is added in its family's folder and nowhere else."""
