import { schemaNumber } from '../database/schema-number.ts'

/**
 * All times are of {@link machineNow}. Each call that counts is a row: `counted_by` is the latest time at which the
 * service can have counted it, or NULL until the call is sent. `holder` is the process that made it.
 */
const tables = `
CREATE TABLE permits (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  counted_by INTEGER,
  holder TEXT NOT NULL
);
CREATE INDEX permits_of_key ON permits (key, counted_by);
CREATE TABLE pauses (key TEXT PRIMARY KEY, from_ms INTEGER NOT NULL, until_ms INTEGER NOT NULL) WITHOUT ROWID;
`

/** The version of the tables. A file with another one is refused. */
export const limitsVersion: number = schemaNumber(tables)

/** Creates the tables in an empty file. */
export const limitsSchema: string = `${tables}PRAGMA user_version = ${limitsVersion};`

/**
 * Milliseconds since the machine started, on the clock that all its processes share. It cannot be set, and never goes
 * back. After a restart of the machine, a call looks at most as old as it is: no row is forgotten too early.
 */
export function machineNow(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}

/** See `RateBudgetOptions`. */
export const usualMarginMs = 2000
