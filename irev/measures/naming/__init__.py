"""Names of measures: how they are written, and what is computed when one is asked for.

The way of a name, from what somebody typed to a `Request` (a measure, its arguments, its columns):

    names     `name_lists` splits `"map nDCG@10"`, lists and objects into single names; `suites` has
              the names that stand for several.
    resolve   takes each name in, in trec_eval's way or else as one of irev's or another program's,
              and has the requests of all of them in the order of the output.
    either    `trec_names`: `P.5,10`, `P_5`, `official` -> requests, in the order of the table.
    or        `grammar`: `Q(beta=10)@5,10` -> its name, options and cutoffs, all of them text;
              `spellings`: these -> a `Meaning`, the measure that is spelled so (by a program of
              `programs`), with the options that the spelling brings along;
              `named_requests`: a meaning -> arguments -> requests.
    else      `typed_names`: what `NDCG_cut_10` may stand for; what to say where it is no name.
    back      `result_columns`: from a name to the column of a result, and from that to its measure.

Each imports only those named before it in this list: grammar, programs, suites, name_lists,
trec_names, spellings, named_requests, typed_names, resolve, result_columns; and of the room around
them the registry, the requests, and what loads families and plugins. For trec_eval's names alone
`spellings`, `named_requests` and `typed_names` are not loaded, nor is `grammar`.
"""
