import { schemaNumber } from '../database/schema-number.ts'

/**
 * All times are of the boot's clock. A lane holds the state of one count, and `open_slots` the calls in flight of each
 * process. Processes wait in a line for a lane or a target; the lowest ticket is next.
 */
const tables = `
CREATE TABLE boot (name TEXT NOT NULL);
CREATE TABLE processes (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, seen_ms INTEGER NOT NULL);
CREATE TABLE lanes (
  key TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  paused_until_ms INTEGER NOT NULL,
  used_at_ms INTEGER NOT NULL,
  longest_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE open_slots (
  lane TEXT NOT NULL,
  slot INTEGER NOT NULL,
  process INTEGER NOT NULL,
  PRIMARY KEY (lane, slot)
) WITHOUT ROWID;
CREATE TABLE targets (key TEXT PRIMARY KEY, process INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE waiting (
  line TEXT NOT NULL,
  process INTEGER NOT NULL,
  ticket INTEGER NOT NULL,
  PRIMARY KEY (line, process)
) WITHOUT ROWID;
CREATE INDEX waiting_of_process ON waiting (process);
`

/** The version of the tables. A file with another one is refused. */
export const limitsVersion: number = schemaNumber(tables)

/** Creates the tables in an empty file. */
export const limitsSchema: string = `${tables}PRAGMA user_version = ${limitsVersion};`
