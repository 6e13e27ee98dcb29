"""Ops that move elements: shapes, joining, slicing, gathering, scattering, sorting."""
