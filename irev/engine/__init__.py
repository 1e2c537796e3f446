"""The whole way: runs and judgments in, scores out.

evaluate evaluate_arrays  `irev.evaluate`, of files and memory, and of arrays
run_files confined        which files are runs; strangers' files, in processes with limits
prepared_judgments        what runs are measured by: judgments, measures, how a run is ranked
map_topics                an input part by part, from its bytes to its result
join_scores               which topics count, and how their values become scores
score_runs                several runs and saved scores as one table, with which jobs begin
document_samples          runs scored by people's judgments of a sample and a model's of all
run_facts doubts          what a run shows of itself; what is doubtful, and told
"""
