"""The experiments of the paper's Section 6 and the claims of its theory: `zooadmm reproduce`."""
