/**
 * What the page's data hold (JSON written by this package) and what its scripts hand each other.
 * Types alone: this file is for the checker and is not part of the page.
 *
 * @typedef {string | Node | null | undefined | false | Array<Child>} Child
 *
 * @typedef {Object} PageData
 * @property {number} version
 * @property {string} irev the version of irev that wrote the page
 * @property {string} title
 * @property {Record<string, string>} words sentences with {slots}, shared with the static text
 * @property {Results[]} parts
 *
 * @typedef {Object} Results one evaluation: its runs, topics and measures
 * @property {string} name of the part; empty where it is the only one
 * @property {"report" | "board"} kind
 * @property {string} qrels
 * @property {number} level the smallest relevant grade
 * @property {number} places decimals shown
 * @property {number} alpha
 * @property {number} confidence of the intervals, 0.95
 * @property {Measure[]} measures
 * @property {Run[]} runs
 * @property {number | null} baseline the run that was named
 * @property {Topic[]} topics
 * @property {(number | null)[][][] | null} scores by measure, run, topic; ten-thousandths
 * @property {[number, number | null, number | null][][]} means mean, low, high by measure and run
 * @property {(PairColumns | null)[]} pairs by measure; a number for each pair i < j, row by row
 * @property {BaselineFamily[]} [families] tests against one baseline that was named
 * @property {string} test
 * @property {string} between what the intervals of differences hold for
 * @property {string} no_test why nothing was tested; empty where something was
 * @property {number | null} judged_at
 * @property {number} tie ten-thousandths: differences on a topic up to this are ties
 * @property {number[][]} [counts] by measure: pair, wins and losses of its first run, pair, ... where rounded scores give others
 * @property {Curves | null} curves
 * @property {Documents | null} documents
 * @property {string} [documents_note]
 * @property {Doubt[]} doubts
 * @property {string[]} [remarks]
 * @property {string[]} [broken]
 * @property {[string, string][]} made heading and text
 * @property {string} signature in short
 * @property {(string | null)[][]} verdicts by measure and run: what may be said of it and of the best run
 *
 * @typedef {Object} Measure
 * @property {string} name
 * @property {boolean} higher whether higher is better
 * @property {boolean} unit whether its values are between 0 and 1
 * @property {string} [about]
 * @property {boolean} [sum] whether the summary is a sum, not a mean
 *
 * @typedef {Object} Run
 * @property {string} name
 * @property {string} short
 * @property {string} team
 * @property {number | null} judged
 * @property {number[]} missing indices of topics
 * @property {number} given its place among the runs as they were given
 *
 * @typedef {Object} Topic
 * @property {string} id
 * @property {number | null} relevant
 *
 * @typedef {Object} PairColumns ten-thousandths; null: unbounded, or no pair
 * @property {(number | null)[]} p
 * @property {(number | null)[]} [half]
 * @property {(number | null)[]} [low]
 * @property {(number | null)[]} [high]
 *
 * @typedef {Object} BaselineFamily
 * @property {number} baseline
 * @property {string} test
 * @property {string} between
 * @property {(PairColumns | null)[]} measures a number for each run
 *
 * @typedef {Object} Curves
 * @property {string} title
 * @property {string} about
 * @property {number[]} ranks
 * @property {(number | null)[][]} values by run and rank; null below the last rank of the run
 *
 * @typedef {Object} Documents
 * @property {number} depth
 * @property {number[]} runs whose documents are here
 * @property {PackedTopic[]} topics
 *
 * @typedef {Object} PackedTopic
 * @property {string} start of all ids
 * @property {string} ids
 * @property {string} grades
 * @property {string} tops
 *
 * @typedef {Object} Doubt
 * @property {string} text
 * @property {number} [measure]
 *
 * @typedef {Object} Difference a run minus the baseline
 * @property {number} difference
 * @property {number} low -Infinity where it is unbounded
 * @property {number} high
 * @property {number} p
 * @property {-1 | 0 | 1} verdict 1: significantly better, -1: worse, 0: neither
 *
 * @typedef {Object} Axis
 * @property {number} low
 * @property {number} high
 * @property {number[]} ticks the first is low, the last high
 * @property {(tick: number) => string} label
 * @property {(value: number) => number} at share of the axis, from 0 to 1
 *
 * @typedef {Object} Column of the table of runs
 * @property {string} key
 * @property {string} head
 * @property {string} [hint]
 * @property {string} [room] classes that say where there is room for it
 * @property {number} [measure] which one, if it is a measure's
 * @property {boolean} [falling] whether the first click sorts from high to low
 * @property {(run: number) => number | string | null} value what it is sorted by
 * @property {(run: number) => string} text
 *
 * @typedef {Object} Choices what a reader has chosen, and its link holds
 * @property {number} part
 * @property {number} measure
 * @property {number} baseline
 * @property {number | null} run the highlighted one; null: none is
 * @property {number | null} topic
 * @property {string} sort key of a column
 * @property {boolean} falling
 * @property {string} show "means" or "differences"
 * @property {string} order of the topics: "mean", "spread", "difference" or "id"
 * @property {string} q what runs are searched for
 * @property {string} team
 * @property {boolean} all whether all columns are shown
 */
