/** The tables of events, schedules and what they start. */
export const triggerTables: string = `-- Received events. A repeated delivery only increases a count.
CREATE TABLE received_events (
  -- No number is used twice, since runs count from one.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  hook TEXT NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  deliveries INTEGER NOT NULL DEFAULT 1,
  body TEXT,
  UNIQUE (hook, id)
) STRICT;
CREATE INDEX received_events_by_time ON received_events (received_at);
CREATE INDEX received_events_by_hook ON received_events (hook, seq);

-- The steps that took an event. No second step of the run takes it.
CREATE TABLE taken_events (
  event INTEGER NOT NULL REFERENCES received_events (seq) ON DELETE CASCADE,
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  taken_at INTEGER NOT NULL,
  PRIMARY KEY (event, run_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX taken_events_by_run ON taken_events (run_id);

-- The decision about an event for each trigger. Without a reason: the run was started.
CREATE TABLE event_decisions (
  event INTEGER NOT NULL REFERENCES received_events (seq) ON DELETE CASCADE,
  runbook TEXT NOT NULL,
  trigger_index INTEGER NOT NULL,
  run_id TEXT,
  because TEXT,
  message TEXT,
  details TEXT,
  PRIMARY KEY (event, runbook, trigger_index)
) STRICT, WITHOUT ROWID;

-- Starts by triggers, against which later events are evaluated.
CREATE TABLE trigger_starts (
  id INTEGER PRIMARY KEY,
  runbook TEXT NOT NULL,
  trigger_index INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  run_id TEXT NOT NULL,
  dedupe_key TEXT,
  cooldown_key TEXT
) STRICT;
CREATE UNIQUE INDEX trigger_starts_by_key ON trigger_starts (runbook, dedupe_key) WHERE dedupe_key IS NOT NULL;
CREATE INDEX trigger_starts_by_cooldown ON trigger_starts (runbook, cooldown_key) WHERE cooldown_key IS NOT NULL;
CREATE INDEX trigger_starts_by_runbook ON trigger_starts (runbook);
CREATE INDEX trigger_starts_by_trigger ON trigger_starts (runbook, trigger_index, started_at);
CREATE INDEX trigger_starts_by_time ON trigger_starts (started_at);

-- The time of the last notification that a trigger reached its start limit.
CREATE TABLE trigger_start_limits (
  runbook TEXT NOT NULL,
  trigger_index INTEGER NOT NULL,
notified_at INTEGER NOT NULL,
  PRIMARY KEY (runbook, trigger_index)
) STRICT, WITHOUT ROWID;

-- A row means that all automatic starts are paused.
CREATE TABLE trigger_pause (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  paused_by TEXT NOT NULL,
  paused_at INTEGER NOT NULL,
  comment TEXT
) STRICT;

-- The schedules of this data directory. A schedule stays while a runbook names it.
CREATE TABLE schedules (
  id TEXT PRIMARY KEY,
  runbook TEXT NOT NULL,
  trigger_index INTEGER NOT NULL,
  -- The start times, as the plan has them. With another text the schedule starts anew.
  definition TEXT NOT NULL,
  -- Times up to this one were evaluated.
  evaluated_until INTEGER NOT NULL,
  -- A time that waits for the end of the previous run.
  buffered_at INTEGER,
  -- Its runs that may not have ended, as a JSON list of ids.
  open_runs TEXT NOT NULL DEFAULT '[]',
  -- 1: the process that holds the lock of serve evaluates it, or the last one that held it did.
  is_served INTEGER NOT NULL DEFAULT 0,
  paused_by TEXT,
  paused_at INTEGER,
  comment TEXT
) STRICT;

-- The result of each time. Without a reason: the run was started.
CREATE TABLE schedule_fires (
  schedule TEXT NOT NULL,
  at INTEGER NOT NULL,
  decided_at INTEGER NOT NULL,
  run_id TEXT,
  because TEXT,
  message TEXT,
  -- The user who started it.
  started_by TEXT,
  PRIMARY KEY (schedule, at)
) STRICT, WITHOUT ROWID;

-- The scope of the process that holds, or last held, the lock of serve. Queued runs get it.
CREATE TABLE serving (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  project TEXT NOT NULL,
  service TEXT,
  connection TEXT
) STRICT;
`
