"""Checkpoint files: TensorFlow's formats, NumPy's archives and safetensors."""
