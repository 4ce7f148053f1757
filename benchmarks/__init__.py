"""The yardstick: this library beside what its users would otherwise pick."""
