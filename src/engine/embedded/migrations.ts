/**
 * How the tables came to be: each entry takes a database from the version that is its place in the list to the next.
 * An entry is never changed once it has been released; foreign keys are off while it runs.
 */
export const migrations: readonly string[] = [
  `CREATE TABLE runs (
     id TEXT PRIMARY KEY,
     runbook TEXT NOT NULL,
     plan_hash TEXT NOT NULL,
     plan TEXT NOT NULL,
     inputs TEXT NOT NULL,
     status TEXT NOT NULL,
     outputs TEXT,
     error TEXT,
     started_at INTEGER NOT NULL,
     ended_at INTEGER
   ) STRICT;
   CREATE TABLE attempts (
     run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
     path TEXT NOT NULL,
     attempt INTEGER NOT NULL,
     action TEXT NOT NULL,
     argument_hash TEXT NOT NULL,
     started_at INTEGER NOT NULL,
     ended_at INTEGER,
     output TEXT,
     error TEXT,
     request_id TEXT,
     PRIMARY KEY (run_id, path, attempt)
   ) STRICT, WITHOUT ROWID;
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
     PRIMARY KEY (run_id, path)
   ) STRICT, WITHOUT ROWID;`,

  // A plan is kept once however often it is run. Columns that can be large stand last: lists never read that far.
  `CREATE TABLE plans (id TEXT PRIMARY KEY, plan TEXT NOT NULL) STRICT;
   INSERT INTO plans (id, plan) SELECT plan_hash, min(plan) FROM runs GROUP BY plan_hash;
   CREATE TABLE new_runs (
     id TEXT PRIMARY KEY,
     key TEXT UNIQUE,
     runbook TEXT NOT NULL,
     title TEXT,
     labels TEXT NOT NULL,
     connection TEXT,
     status TEXT NOT NULL,
     started_at INTEGER NOT NULL,
     ended_at INTEGER,
     owner TEXT,
     resumes INTEGER NOT NULL DEFAULT 0,
     plan_hash TEXT NOT NULL,
     plan_id TEXT NOT NULL REFERENCES plans (id),
     error TEXT,
     warnings TEXT,
     inputs TEXT NOT NULL,
     outputs TEXT
   ) STRICT;
   INSERT INTO new_runs
       (id, runbook, title, labels, status, started_at, ended_at, plan_hash, plan_id, error, inputs, outputs)
     SELECT id, runbook, plan ->> '$.title', coalesce(plan -> '$.labels', '{}'), status, started_at, ended_at,
       plan_hash, plan_hash, error, inputs, outputs
     FROM runs;
   DROP TABLE runs;
   ALTER TABLE new_runs RENAME TO runs;
   CREATE INDEX runs_by_start ON runs (started_at);

   CREATE TABLE new_attempts (
     id INTEGER PRIMARY KEY,
     run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
     path TEXT NOT NULL,
     attempt INTEGER NOT NULL,
     -- 0: this is the attempt that counts; else the number of the resume that had it made anew.
     superseded INTEGER NOT NULL DEFAULT 0,
     action TEXT NOT NULL,
     argument_hash TEXT NOT NULL,
     started_at INTEGER NOT NULL,
     ended_at INTEGER,
     -- The how manieth of its run it was to end.
     ended_place INTEGER,
     -- Milliseconds of it that it waited for the rate limit or for its target.
     waited INTEGER,
     request_id TEXT,
     error TEXT,
     output TEXT,
     UNIQUE (run_id, path, attempt, superseded)
   ) STRICT;
   INSERT INTO new_attempts
       (run_id, path, attempt, action, argument_hash, started_at, ended_at, request_id, error, output)
     SELECT run_id, path, attempt, action, argument_hash, started_at, ended_at, request_id, error, output
     FROM attempts ORDER BY run_id, started_at, path, attempt;
   DROP TABLE attempts;
   ALTER TABLE new_attempts RENAME TO attempts;

   ALTER TABLE steps ADD COLUMN details TEXT;

   CREATE TABLE marks (
     run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
     path TEXT NOT NULL,
     reached_at INTEGER NOT NULL,
     PRIMARY KEY (run_id, path)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE questions (
     run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
     path TEXT NOT NULL,
     superseded INTEGER NOT NULL DEFAULT 0,
     message TEXT NOT NULL,
     asked_at INTEGER NOT NULL,
     until INTEGER,
     status TEXT NOT NULL CHECK (status IN ('open', 'answered', 'expired', 'withdrawn')),
     approved INTEGER,
     answered_by TEXT,
     comment TEXT,
     answered_at INTEGER,
     PRIMARY KEY (run_id, path, superseded)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE artifacts (
     run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
     -- The file as no file system tells it from another: two names with one key may be one file.
     key TEXT NOT NULL,
     file TEXT NOT NULL,
     path TEXT NOT NULL,
     PRIMARY KEY (run_id, key)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE events (
     run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
     seq INTEGER NOT NULL,
     at INTEGER NOT NULL,
     type TEXT NOT NULL,
     path TEXT,
     is_trimmed INTEGER NOT NULL DEFAULT 0,
     data TEXT,
     PRIMARY KEY (run_id, seq)
   ) STRICT, WITHOUT ROWID;`,

  `ALTER TABLE runs ADD COLUMN started_by TEXT;
   -- The database file it was carried out in last, as the file system numbers it: a copy has another number.
   ALTER TABLE runs ADD COLUMN file_number TEXT;
   -- What a write was sent with: secrets only by their names.
   ALTER TABLE attempts ADD COLUMN sent TEXT;
   -- The attempt before a resume whose outcome this one has taken over.
   ALTER TABLE attempts ADD COLUMN reused INTEGER;

   -- What people want of a run that another process carries out.
   CREATE TABLE control_requests (
     id INTEGER PRIMARY KEY,
     run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
     kind TEXT NOT NULL CHECK (kind IN ('cancel', 'cancel-now', 'pause', 'unpause')),
     requested_by TEXT NOT NULL,
     comment TEXT,
     requested_at INTEGER NOT NULL,
     taken_at INTEGER,
     -- The run has ended since: it no longer counts.
     over_at INTEGER
   ) STRICT;
   CREATE INDEX control_requests_by_run ON control_requests (run_id, id);

   -- How people have settled what nobody knew, and what the attempt had come to before.
   CREATE TABLE decisions (
     id INTEGER PRIMARY KEY,
     run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
     path TEXT NOT NULL,
     decision TEXT NOT NULL CHECK (decision IN ('succeeded', 'failed', 'retry', 'cancelled')),
     decided_by TEXT NOT NULL,
     comment TEXT,
     decided_at INTEGER NOT NULL,
     error TEXT
   ) STRICT;
   CREATE INDEX decisions_by_run ON decisions (run_id, id);

   -- Each time a run was carried on: by whom, and what was changed.
   CREATE TABLE resumes (
     run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
     number INTEGER NOT NULL,
     resumed_by TEXT NOT NULL,
     resumed_at INTEGER NOT NULL,
     -- What people asked for, such as the steps to repeat; and the plan and the inputs until then, where they changed.
     amendment TEXT,
     plan_id_before TEXT REFERENCES plans (id),
     inputs_before TEXT,
     PRIMARY KEY (run_id, number)
   ) STRICT, WITHOUT ROWID;

   -- Messages that go out to other systems, until they have arrived.
   CREATE TABLE notices (
     id TEXT PRIMARY KEY,
     run_id TEXT REFERENCES runs (id) ON DELETE CASCADE,
     target TEXT NOT NULL,
     kind TEXT NOT NULL,
     body TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     next_at INTEGER NOT NULL,
     tries INTEGER NOT NULL DEFAULT 0,
     delivered_at INTEGER,
     given_up_at INTEGER,
     last_error TEXT
   ) STRICT;
   CREATE INDEX notices_due ON notices (next_at) WHERE delivered_at IS NULL AND given_up_at IS NULL;`,

  // How often the run had been carried on by then: until it goes on, another decision can take the place of this one.
  'ALTER TABLE decisions ADD COLUMN resumes INTEGER;',

  `-- What started the run by itself: an event or a schedule, as JSON. Left out: a person.
   ALTER TABLE runs ADD COLUMN started_from TEXT;
   -- Every question of the run is answered with yes.
   ALTER TABLE runs ADD COLUMN approves_all INTEGER;
   -- 1: nothing of it has been done, it waits for a process to take it up.
   ALTER TABLE runs ADD COLUMN waits INTEGER;
   CREATE INDEX runs_to_take_up ON runs (started_at) WHERE waits = 1;
   -- At most one run of a runbook goes on for each of these: the one that has the key, as long as its process lives.
   ALTER TABLE runs ADD COLUMN concurrency_key TEXT;
   ALTER TABLE runs ADD COLUMN has_key INTEGER NOT NULL DEFAULT 0;
   CREATE INDEX runs_by_concurrency ON runs (runbook, concurrency_key)
     WHERE concurrency_key IS NOT NULL AND ended_at IS NULL;
   CREATE UNIQUE INDEX runs_that_have_a_key ON runs (runbook, concurrency_key)
     WHERE has_key = 1 AND ended_at IS NULL;

   -- What came in from outside. The same event again is counted, and nothing else.
   CREATE TABLE received_events (
     seq INTEGER PRIMARY KEY,
     hook TEXT NOT NULL,
     id TEXT NOT NULL,
     type TEXT NOT NULL,
     received_at INTEGER NOT NULL,
     deliveries INTEGER NOT NULL DEFAULT 1,
     body TEXT,
     UNIQUE (hook, id)
   ) STRICT;
   CREATE INDEX received_events_by_time ON received_events (received_at);
   -- What was decided of an event for each trigger. Without a reason: the run was started.
   CREATE TABLE event_decisions (
     event INTEGER NOT NULL REFERENCES received_events (seq) ON DELETE CASCADE,
     runbook TEXT NOT NULL,
     trigger_place INTEGER NOT NULL,
     run_id TEXT,
     because TEXT,
     message TEXT,
     details TEXT,
     PRIMARY KEY (event, runbook, trigger_place)
   ) STRICT, WITHOUT ROWID;
   -- Starts by triggers, as far as later ones are judged by them.
   CREATE TABLE trigger_starts (
     id INTEGER PRIMARY KEY,
     runbook TEXT NOT NULL,
     trigger_place INTEGER NOT NULL,
     started_at INTEGER NOT NULL,
     run_id TEXT NOT NULL,
     dedupe_key TEXT,
     cooldown_key TEXT
   ) STRICT;
   CREATE UNIQUE INDEX trigger_starts_by_key ON trigger_starts (runbook, dedupe_key) WHERE dedupe_key IS NOT NULL;
   CREATE INDEX trigger_starts_by_cooldown ON trigger_starts (runbook, cooldown_key)
     WHERE cooldown_key IS NOT NULL;
   CREATE INDEX trigger_starts_by_runbook ON trigger_starts (runbook);
   CREATE INDEX trigger_starts_by_trigger ON trigger_starts (runbook, trigger_place, started_at);
   CREATE INDEX trigger_starts_by_time ON trigger_starts (started_at);
   -- When people were last told that a trigger has more events than it may start runs.
   CREATE TABLE trigger_start_limits (
     runbook TEXT NOT NULL,
     trigger_place INTEGER NOT NULL,
     told_at INTEGER NOT NULL,
     PRIMARY KEY (runbook, trigger_place)
   ) STRICT, WITHOUT ROWID;
   -- A row: a person has stopped all starting.
   CREATE TABLE trigger_pause (
     only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
     paused_by TEXT NOT NULL,
     paused_at INTEGER NOT NULL,
     comment TEXT
   ) STRICT;

   -- Schedules that this data directory carries out. They stay as long as a runbook names them.
   CREATE TABLE schedules (
     id TEXT PRIMARY KEY,
     runbook TEXT NOT NULL,
     trigger_place INTEGER NOT NULL,
     -- When it starts, as the plan says it. With another one its times begin anew.
     definition TEXT NOT NULL,
     -- Times up to this one have been looked at.
     looked_until INTEGER NOT NULL,
     -- A time that waits for the end of the run before it.
     buffered_at INTEGER,
     -- Runs that it started and that may go on, as a JSON list of ids.
     open_runs TEXT NOT NULL DEFAULT '[]',
     paused_by TEXT,
     paused_at INTEGER,
     comment TEXT
   ) STRICT;
   -- What came of each time. Without a reason: the run was started.
   CREATE TABLE schedule_fires (
     schedule TEXT NOT NULL,
     at INTEGER NOT NULL,
     decided_at INTEGER NOT NULL,
     run_id TEXT,
     because TEXT,
     message TEXT,
     -- A person who wanted it now.
     started_by TEXT,
     PRIMARY KEY (schedule, at)
   ) STRICT, WITHOUT ROWID;`,
  `
   -- The process that holds the lock of serve carries it out, or the last one that held it did.
   ALTER TABLE schedules ADD COLUMN is_served INTEGER NOT NULL DEFAULT 0;`,
  `
   -- How often the process died while a call was in flight, since a person last resumed the run.
   ALTER TABLE runs ADD COLUMN crashes INTEGER NOT NULL DEFAULT 0;`,
  `
   -- What the run belongs to: the folder of its project, and the address of its default connection.
   ALTER TABLE runs ADD COLUMN project TEXT;
   ALTER TABLE runs ADD COLUMN service TEXT;
   -- 1: a person stopped it at the command that carried it out. Only a person continues it.
   ALTER TABLE runs ADD COLUMN is_stopped INTEGER NOT NULL DEFAULT 0;
   -- The same of the process that holds the lock of serve, or held it last: what is queued belongs to it.
   CREATE TABLE serving (
     only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
     project TEXT NOT NULL,
     service TEXT,
     connection TEXT
   ) STRICT;`,
]
