SAMPLES = {t: [1] for t in __import__("twinflow").op.OPS}
