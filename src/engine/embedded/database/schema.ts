import { triggerTables } from './trigger-tables.ts'

/** The tables of a data directory. Columns that can be large come last, since lists never read that far. */
export const databaseSchema: string = `
CREATE TABLE plans (id TEXT PRIMARY KEY, plan TEXT NOT NULL) STRICT;

CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  key TEXT UNIQUE,
  runbook TEXT NOT NULL,
  title TEXT,
  labels TEXT NOT NULL,
  connection TEXT,
  status TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  started_by TEXT NOT NULL,
  -- The event or the schedule that started the run, as JSON. NULL: a person did.
  started_from TEXT,
  owner TEXT,
  resumes INTEGER NOT NULL DEFAULT 0,
  -- Crashes with a call in flight since a person last resumed the run.
  crashes INTEGER NOT NULL DEFAULT 0,
  -- 1: a person stopped the run at the command that ran it. Only a person resumes it.
  is_stopped INTEGER NOT NULL DEFAULT 0,
  -- 1: the run is queued for serve. 2: the process that started or resumed it waits in line with it. Nothing new of it
  -- has been done.
  is_queued INTEGER,
  -- Since when a resumed run waits in line. NULL: since its start.
  queued_at INTEGER,
  -- 1: every question is approved.
  approves_all INTEGER,
  -- The run of a runbook that has a key owns it until it ends or its process dies.
  concurrency_key TEXT,
  -- The number of runs that may own the key when this one takes it.
  concurrency_limit INTEGER NOT NULL DEFAULT 1,
  has_key INTEGER NOT NULL DEFAULT 0,
  -- The folder of its project, and the address of its default connection.
  project TEXT,
  service TEXT,
  -- The inode of the database file when the run was last started or resumed. A copy has another one.
  database_identity TEXT NOT NULL,
  plan_hash TEXT NOT NULL,
  plan_id TEXT NOT NULL REFERENCES plans (id),
  -- The last event that was received before the run was recorded: its steps take later ones.
  events_after INTEGER NOT NULL,
  -- The hashes of approved calls are made with it.
  seal_key TEXT NOT NULL DEFAULT (lower(hex(randomblob(16)))),
  -- What the addresses of its callbacks begin with. NULL: it has made none.
  public_url TEXT,
  error TEXT,
  warnings TEXT,
  inputs TEXT NOT NULL,
  outputs TEXT
) STRICT;
CREATE INDEX runs_by_start ON runs (started_at);
CREATE INDEX runs_that_may_wait ON runs (status) WHERE status IN ('running', 'unknown');
CREATE INDEX runs_queued ON runs (started_at) WHERE is_queued = 1;
CREATE INDEX runs_waiting_here ON runs (runbook, concurrency_key) WHERE is_queued = 2;
CREATE INDEX runs_by_concurrency ON runs (runbook, concurrency_key)
  WHERE concurrency_key IS NOT NULL AND ended_at IS NULL;

CREATE TABLE attempts (
  id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  -- 0: this attempt counts. Otherwise the number of the resume that had it made again.
  superseded INTEGER NOT NULL DEFAULT 0,
  action TEXT NOT NULL,
  argument_hash TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  -- Position in the order in which the attempts of the run ended.
  ended_position INTEGER,
  -- Milliseconds of it that it waited for the rate limit or for its target.
  waited INTEGER,
  request_id TEXT,
  -- The attempt before a resume whose result this one reuses.
  reused INTEGER,
  error TEXT,
  output TEXT,
  -- The request of a write as JSON: secrets only by their names.
  sent TEXT,
  UNIQUE (run_id, path, attempt, superseded)
) STRICT;

CREATE TABLE steps (
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  position INTEGER NOT NULL,
  name TEXT,
  action TEXT NOT NULL,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  error TEXT,
  started_at INTEGER,
  ended_at INTEGER,
  details TEXT,
  PRIMARY KEY (run_id, path)
) STRICT, WITHOUT ROWID;
-- So that a list of runs finds what each is at, however many items a loop has.
CREATE INDEX steps_running ON steps (run_id, position) WHERE status = 'running';

CREATE TABLE first_reached (
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  reached_at INTEGER NOT NULL,
  PRIMARY KEY (run_id, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE questions (
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  superseded INTEGER NOT NULL DEFAULT 0,
  -- JSON: what is asked, by whom it can be answered, and with which choices.
  question TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  until INTEGER,
  status TEXT NOT NULL CHECK (status IN ('open', 'answered', 'expired', 'withdrawn')),
  -- JSON: the answers that count, one for each name. The last one settled the question.
  answers TEXT NOT NULL DEFAULT '[]',
  PRIMARY KEY (run_id, path, superseded)
) STRICT, WITHOUT ROWID;
CREATE INDEX questions_open ON questions (until) WHERE status = 'open' AND superseded = 0;

CREATE TABLE artifacts (
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  -- One key for all names that some file system treats as the same file.
  key TEXT NOT NULL,
  file TEXT NOT NULL,
  path TEXT NOT NULL,
  PRIMARY KEY (run_id, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  -- The number of the last event in the row. Those before it have the numbers before.
  seq INTEGER NOT NULL,
  -- When that one was reported.
  at INTEGER NOT NULL,
  -- 1: some of them have no path, so they are of the run itself.
  has_run_events INTEGER NOT NULL,
  -- JSON: the events that were committed together, without the id of the run.
  events TEXT NOT NULL,
  PRIMARY KEY (run_id, seq)
) STRICT;

-- Control requests for a run that another process executes.
CREATE TABLE control_requests (
  id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('cancel', 'cancel-now', 'pause', 'unpause')),
  requested_by TEXT NOT NULL,
  comment TEXT,
  requested_at INTEGER NOT NULL,
  taken_at INTEGER,
  -- The run has ended since, so the request no longer counts.
  over_at INTEGER
) STRICT;
CREATE INDEX control_requests_by_run ON control_requests (run_id, id);

-- Resolved unknown outcomes, with the error that the attempt had before.
CREATE TABLE decisions (
  id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  decision TEXT NOT NULL CHECK (decision IN ('succeeded', 'failed', 'retry', 'cancelled')),
  decided_by TEXT NOT NULL,
  comment TEXT,
  decided_at INTEGER NOT NULL,
  -- The number of resumes at that time: until the next one, another decision can replace this one.
  resumes INTEGER NOT NULL,
  error TEXT
) STRICT;
CREATE INDEX decisions_by_run ON decisions (run_id, id);

-- Each resume of a run: who resumed it, and what was changed.
CREATE TABLE resumes (
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  resumed_by TEXT NOT NULL,
  resumed_at INTEGER NOT NULL,
  -- The requested changes, such as the steps to repeat. Then the plan and the inputs before, if they changed.
  changes TEXT,
  plan_id_before TEXT REFERENCES plans (id),
  inputs_before TEXT,
  PRIMARY KEY (run_id, number)
) STRICT, WITHOUT ROWID;

-- Notifications until they are delivered.
CREATE TABLE notices (
  id TEXT PRIMARY KEY,
  run_id TEXT REFERENCES runs (id) ON DELETE CASCADE,
  target TEXT NOT NULL,
  kind TEXT NOT NULL,
  -- The step that asks.
  path TEXT,
  body TEXT NOT NULL,
  -- A reminder is written before it is due: this is when it is.
  created_at INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  delivered_at INTEGER,
  given_up_at INTEGER,
  last_error TEXT
) STRICT;
CREATE INDEX notices_due ON notices (next_at) WHERE delivered_at IS NULL AND given_up_at IS NULL;

${triggerTables}`
