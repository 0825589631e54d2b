/** What a runbook may hold at most: the checks, the editor schema and the table of findings have these numbers. */
export const runbookLimits = {
  /** Of the file. */
  bytes: 262_144,
  steps: 500,
  /** Of maps and lists, one in another. */
  levels: 20,
  aliases: 50,
  aliasedValues: 10_000,
  /** Of a list. */
  items: 10_000,
  /** Of a call. */
  attempts: 100,
  /** Items or branches at the same time. */
  parallel: 500,
} as const
