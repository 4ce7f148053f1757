"""The methods: `paper` is Algorithm 1 as printed, `auto` the one without knobs."""
