"""The structured steps: argmin <g, x> + |x - x_t|^2_M / 2 + phi(y) over X and A x + B y = c."""
