import type { JsonSchema } from '../../../core/json.ts'
import {
  anyObject,
  anything,
  count,
  flag,
  list,
  map,
  oneWord,
  record,
  ref,
  text,
  time,
  yes,
} from './build.ts'
import { unknownOutcome } from './run-schemas.ts'

const pause = record({ 'by?': ref('Identity'), 'since?': time, 'comment?': text })
const ofRun = { run_id: text, runbook: text, 'title?': text, labels: map(text), status: text }

const runbook = {
  name: text,
  file: text,
  'title?': text,
  'description?': text,
  labels: map(text),
  triggers: list({ ...record({ type: oneWord('incident', 'schedule') }), additionalProperties: true }),
  'problem?': record({ message: text, hints: list(text) }, 'Why it cannot be started.'),
} as const

/** The schemas of everything but runs. */
export const otherSchemas: Readonly<Record<string, JsonSchema>> = {
  Inbox: record(
    {
      waiting: list({
        oneOf: [
          record({
            kind: { const: 'question' },
            ...ofRun,
            step: text,
            count,
            asked_at: time,
            'until?': time,
            shown: text,
            questions: list(ref('Question')),
            commands: list(text),
          }),
          record({
            kind: { const: 'unknown_outcome' },
            ...ofRun,
            path: text,
            step: text,
            action: text,
            attempt: count,
            'error?': ref('Error'),
            commands: list(text),
            'index?': count,
            'item?': text,
          }),
        ],
      }),
      'unread?': list(record({ run_id: text, code: text, message: text })),
      'has_more?': yes,
    },
    'What waits for a person, the earliest deadline first.',
  ),
  Answered: record(
    {
      run_id: text,
      status: text,
      answers: list(
        record({
          step: text,
          kind: oneWord('counted', 'settled'),
          by: ref('Identity'),
          count,
          needed: count,
        }),
      ),
    },
    'What an answer did to each question. `status`: of the run; an interrupted one continues once it is resumed.',
  ),
  Controlled: record(
    { run_id: text, kind: oneWord('cancel', 'cancel-now', 'pause', 'unpause'), by: ref('Identity') },
    'The process that executes the run has the request.',
  ),
  Planned: record(
    { shown: text, plan: { ...record({ runbook: text, totals: anyObject }), additionalProperties: true } },
    'The document of `opsbook plan --output json`, and the word that names it.',
  ),
  TriggersSet: record(
    { paused: { oneOf: [pause, { type: 'null' }] } },
    'Since when all automatic starts are paused; null: they are not.',
  ),
  ScheduleChanged: record(
    { schedule: text, 'run_id?': text, 'state?': oneWord('active', 'paused') },
    'The run that was started, or how the schedule stands.',
  ),
  Outcomes: record(
    {
      outcomes: list(
        record({
          ...unknownOutcome,
          shown: text,
          'output?': anyObject,
          reads: list(text),
          risk: oneWord('read', 'idempotent', 'create'),
        }),
      ),
    },
    'Calls with an unknown outcome. `output`: the schema of the answer; `reads`: what of it later steps need; `risk`: what a second call can do.',
  ),
  Decided: record(
    {
      run_id: text,
      step: text,
      decision: oneWord('succeeded', 'failed', 'retry'),
      by: ref('Identity'),
      left: list(text),
    },
    'The decision is on record. `left`: the paths of the calls that are still to be resolved before the run can be resumed.',
  ),
  Compared: record(
    {
      shown: text,
      comparison: record({
        run_id: text,
        runbook: text,
        plan_hash_before: text,
        plan_hash: text,
        changed_inputs: list(text),
        steps: list(
          record({
            path: text,
            action: text,
            is_write: flag,
            fate: oneWord(
              'reused',
              'kept',
              'again',
              'depends',
              'needs-choice',
              'skipped',
              'to-do',
              'new',
              'removed',
            ),
            'reason?': text,
            done: count,
          }),
        ),
      }),
      inputs: anyObject,
      'has_newer?': yes,
    },
    'The document of `opsbook resume --dry-run --output json`, and the word that names it. `has_newer`: the file of the runbook has changed since the run began.',
  ),
  Resumed: record({ run_id: text, by: ref('Identity') }, 'The run continues, or waits for its turn.'),
  Started: record(
    { run_id: text, is_joined: flag, 'notes?': list(text) },
    'The run that `serve` or workers execute. `is_joined`: it was open before.',
  ),
  RunbookSummary: record(runbook),
  Runbooks: record({ runbooks: list(ref('RunbookSummary')) }),
  Runbook: record({ ...runbook, 'plan_hash?': text, 'inputs?': anyObject, 'secrets?': list(text) }),
  Event: record(
    {
      hook: text,
      event_id: text,
      type: text,
      received_at: time,
      deliveries: count,
      starts: list(
        record({
          runbook: text,
          trigger: count,
          'run_id?': text,
          'because?': text,
          'message?': text,
          'details?': anyObject,
        }),
      ),
      'taken?': list(record({ run_id: text, path: text })),
      'body?': anything,
    },
    'A received event, with the decision for each trigger.',
  ),
  Events: record({ events: list(ref('Event')), 'paused?': pause }),
  Schedules: record({
    engine: oneWord('embedded', 'temporal'),
    'is_served?': flag,
    'paused?': pause,
    schedules: list(
      record({
        id: text,
        runbook: text,
        trigger: count,
        state: oneWord('active', 'paused', 'missing', 'left', 'broken'),
        'cron?': text,
        'every_ms?': count,
        'timezone?': text,
        'overlap?': text,
        'is_served?': flag,
        'paused?': pause,
        'problem?': text,
        next: list(time),
        last: list(
          record({
            at: time,
            'run_id?': text,
            'because?': text,
            'message?': text,
            'started_by?': ref('Identity'),
          }),
        ),
        missed: count,
        'overlapped?': count,
      }),
    ),
  }),
  Limits: record(
    {
      'limits?': list(
        record({
          'action?': text,
          'connection?': text,
          windows: list(record({ per: oneWord('second', 'minute', 'day'), used: count, limit: count })),
          'free_at?': time,
          'is_throttled?': yes,
        }),
      ),
      'unread?': list(record({ 'action?': text, 'connection?': text })),
    },
    'The calls that count now against limits: of an action, or of a connection of type `http`. `unread`: those whose calls are not known. Without `limits`, none can be read.',
  ),
  System: record(
    {
      ok: flag,
      version: text,
      checks: list(
        record({
          name: text,
          status: oneWord('ok', 'warn', 'fail', 'skipped'),
          message: text,
          'isOfRuns?': yes,
          'hints?': list(text),
        }),
      ),
    },
    'The checks of `opsbook doctor --output json`.',
  ),
  Sessions: record({ sessions: list(ref('Session')) }),
  Session: record(
    {
      id: text,
      by: ref('Identity'),
      roles: list(oneWord('viewer', 'operator', 'approver', 'admin')),
      'groups?': list(text),
      since: time,
      until: time,
      'is_own?': yes,
    },
    'Someone who has logged in with a browser.',
  ),
  Audit: record(
    {
      audit: list(
        record({
          id: count,
          at: time,
          'by?': ref('Identity'),
          address: text,
          act: text,
          route: text,
          subject: map(text),
          'shown?': text,
          'outcome?': oneWord('done', 'refused', 'failed'),
          'status?': count,
          'code?': text,
          'count?': count,
        }),
      ),
      'next?': text,
    },
    'Acts and refused acts, newest first. One without `outcome` began in a process that has ended.',
  ),
  Problem: record(
    {
      type: text,
      title: text,
      status: count,
      detail: text,
      code: text,
      'hint?': text,
    },
    'A refusal or failure (RFC 9457), with the code and the hint of the command line.',
  ),
}
