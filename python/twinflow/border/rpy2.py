"""The converter between R's objects under rpy2 and tensors."""
