"""What an array module is on each kind of device, and how arrays travel to and from the host."""
