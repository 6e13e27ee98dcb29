"""Images: resizing, crops, patches, colours, bounding boxes, and their file formats."""
