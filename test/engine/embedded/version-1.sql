-- A database as version 1 of the tables left it: the statements of that time, and two runs.
CREATE TABLE runs (
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
) STRICT, WITHOUT ROWID;
PRAGMA user_version = 1;

INSERT INTO runs VALUES
  ('run_1', 'onboard', 'abc', '{"name":"onboard","hash":"abc","title":"Onboard","labels":{"team":"web"},"steps":[]}',
   '{"name":"shop"}', 'failed', NULL, '{"code":"AccessDenied","message":"no"}', 1000, 2000),
  ('run_2', 'look', 'def', '{"name":"look","hash":"def","steps":[]}', '{}', 'running', NULL, NULL, 3000, NULL);
INSERT INTO attempts VALUES
  ('run_1', 'made', 1, 'rum/application/create', 'h1', 1000, 1100, '{"application_id":"app_1"}', NULL, 'req_1'),
  ('run_1', 'rules', 1, 'rum/error-ingestion/rules/list', 'h2', 1200, 1300, NULL,
   '{"code":"ServiceUnavailable","message":"later"}', 'req_2'),
  ('run_1', 'rules', 2, 'rum/error-ingestion/rules/list', 'h2', 1400, 1500, NULL,
   '{"code":"AccessDenied","message":"no"}', 'req_3'),
  ('run_2', 'hosts', 1, 'monit/tools/catalog', 'h3', 3000, NULL, NULL, NULL, NULL);
INSERT INTO steps VALUES
  ('run_1', 'made', 0, NULL, 'rum/application/create', 'succeeded', 1, NULL, 1000, 1100),
  ('run_1', 'rules', 1, 'Rules', 'rum/error-ingestion/rules/list', 'failed', 2,
   '{"code":"AccessDenied","message":"no"}', 1200, 1500);
