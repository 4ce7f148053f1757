"""A run that a local MLflow keeps: metrics per iteration, the result as a file.

Needs MLflow (pip install mlflow). Look at it: mlflow ui --backend-store-uri sqlite:///mlflow.db
"""

import mlflow
import numpy as np

import zooadmm as zoo


def loss(x):
    return np.square(x - 1).sum()


def log(info):
    """Called after each iteration."""
    figures = {"objective": info.objective, "evaluations": info.evaluations}
    mlflow.log_metrics(figures, step=info.t)


mlflow.set_tracking_uri("sqlite:///mlflow.db")
mlflow.set_experiment("zooadmm")
with mlflow.start_run():
    mlflow.log_params({"max_evaluations": 500, "rng": 0})
    result = zoo.minimize(loss, np.zeros(5), max_evaluations=500, callback=log, rng=0)
    mlflow.log_metrics({"fun": result.fun, "nfev": result.nfev})
    mlflow.set_tags({"status": result.status.name, "message": result.message})
    mlflow.log_dict(result.to_dict(), "result.json")
