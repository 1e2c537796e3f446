"""What irev does with scores, runs and judgments: one folder for each job.

A job may know all rooms below: `core`, `read`, `measures`, `rank`, `scores`, `engine`, `statistics`
and `writers`. `studies` may know the other jobs, `report` the comparison and the explanation.
"""
