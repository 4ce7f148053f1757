"""Black-box attacks on two networks for scikit-learn's digits, beside others at equal queries."""
