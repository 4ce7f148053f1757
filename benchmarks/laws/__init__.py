"""Laws of the default method: more budget is never worse, told or not, no jumps in m."""
