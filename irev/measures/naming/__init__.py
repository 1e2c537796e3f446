"""Names of measures: how they are written, and what is computed when one is asked for.

The way of a name, from what somebody typed to a `Request` (a measure, its arguments, its columns):

    names     `grammar.measure_names` splits `"map nDCG@10"`, lists and objects into single names;
              `grammar.SUITES` has the names that stand for several.
    resolve   takes each name in, in trec_eval's way or else as one of irev's or another program's,
              and has the requests of all of them in the order of the output.
    either    `trec_names`: `P.5,10`, `P_5`, `official` -> requests, in the order of its table.
    or        `grammar`: `Q(beta=10)@5,10` -> its name, options and cutoffs, all of them text;
              `spellings`: these -> a `Meaning`, the measure that is spelled so (by a program of
              `programs`, which has the table), with the options that the spelling brings along;
              `resolve`: a meaning -> arguments -> requests.
    else      `spellings`: what `NDCG_cut_10` may stand for; what to say where it is no name.
    back      `resolve`: from a name to the column of a result, and from that to its measure.

Each imports only those named before it in this list: programs, grammar, trec_names, spellings,
resolve; and of the room around them the registry, the requests, and what loads families and
plugins. The table in `trec_names` imports the families.
"""
