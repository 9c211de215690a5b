"""The posterior over DAGs, each counted once: a chain over pairs of a DAG and an order that it agrees with."""
