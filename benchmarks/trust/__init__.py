"""Random convex problems with a judge: success that is true, answers that are feasible."""
