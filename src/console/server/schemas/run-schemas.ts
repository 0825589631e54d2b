import type { JsonSchema } from '../../../core/json.ts'
import { recordedStatuses } from '../../../core/record/index.ts'
import {
  anyObject,
  anything,
  count,
  flag,
  list,
  map,
  number,
  oneWord,
  record,
  ref,
  text,
  time,
  yes,
} from './build.ts'

const runStatus = oneWord(...recordedStatuses)

const stepStatus = oneWord(
  'succeeded',
  'failed',
  'skipped',
  'cancelled',
  'unknown',
  'running',
  'pending',
  'interrupted',
)

/** What names the loop item that something belongs to. */
const item = { 'index?': count, 'item?': text } as const

const summary = {
  run_id: text,
  'key?': text,
  runbook: text,
  'title?': text,
  labels: map(text),
  status: runStatus,
  'error?': ref('Error'),
  'turn?': ref('Turn'),
  started_at: time,
  'started_by?': ref('Identity'),
  'started_from?': ref('Source'),
  'ended_at?': time,
} as const

/** A question; the inbox shows the same. */
const question = {
  path: text,
  shown: text,
  message: text,
  'schema?': anyObject,
  'choices?': map(list(anything)),
  'default?': anything,
  'from?': record({ 'groups?': list(text), 'count?': count, 'not-starter?': flag }),
  'covers?': ref('Covers'),
  'remindMs?': anything,
  'escalate?': anything,
  asked_at: time,
  'until?': time,
  status: oneWord('open', 'answered', 'expired', 'withdrawn'),
  answers: list(ref('Answer')),
  'is_superseded?': yes,
  ...item,
} as const

const step = {
  path: text,
  'name?': text,
  action: text,
  status: stepStatus,
  attempts: count,
  'branch?': count,
  'error?': ref('Error'),
  'is_warning?': flag,
  'caught?': ref('Error'),
  'condition?': text,
  'values?': anyObject,
  'started_at?': time,
  'ended_at?': time,
  ...item,
} as const

/** What is known of a call whose outcome is unknown. */
export const unknownOutcome: Readonly<Record<string, JsonSchema>> = {
  path: text,
  action: text,
  attempt: count,
  started_at: time,
  'sent?': anyObject,
  'request_id?': text,
  'error?': ref('Error'),
  find_out: text,
  'reads?': list(text),
}

const deed = { by: ref('Identity'), 'comment?': text, at: time } as const

/** The schemas of runs and of what they hold. */
export const runSchemas: Readonly<Record<string, JsonSchema>> = {
  Identity: record(
    {
      name: text,
      source: oneWord('system-user', 'console', 'token', 'agent', 'flag', 'server', 'timeout'),
      'verified?': yes,
      'id?': text,
      'user?': text,
    },
    'Who did something, and how that is known.',
  ),
  Error: record(
    {
      code: text,
      message: text,
      'path?': text,
      'request_id?': text,
      'retry_after_ms?': number,
      'not_sent?': flag,
      'may_have_executed?': yes,
      'cause?': ref('Error'),
      'details?': anything,
      ...item,
    },
    'A failure. Branch on its code.',
  ),
  Turn: record({ key: text, limit: count, before: list(text) }, 'What a queued run waits for.'),
  Source: record({
    kind: oneWord('event', 'schedule'),
    trigger: count,
    'hook?': text,
    'event_id?': text,
    'schedule?': text,
    'at?': time,
  }),
  RunSummary: record(
    {
      ...summary,
      'current_step?': record({ path: text, since: time, 'reason?': text, 'until?': time }),
    },
    'A run as lists show it.',
  ),
  Runs: record({ runs: list(ref('RunSummary')), 'next?': text }),
  Covers: record(
    { seal: text, 'any?': yes, calls: list(anyObject), open: list(anyObject), 'again?': anyObject },
    'The calls that a yes permits.',
  ),
  Answer: record({
    approved: flag,
    'value?': anything,
    'is_value_left_out?': yes,
    'groups?': list(text),
    ...deed,
  }),
  Question: record(question, 'What a person is asked.'),
  UnknownOutcome: record(
    {
      ...unknownOutcome,
      ...item,
    },
    'A call whose outcome is unknown, and how to find it out.',
  ),
  Run: record(
    {
      ...summary,
      inputs: anyObject,
      plan_hash: text,
      'kept_from?': time,
      'connection?': text,
      'outputs?': anyObject,
      warnings: list(ref('Error')),
      'warnings_left_out?': count,
      'waiting_attempts?': list(
        record({
          path: text,
          action: text,
          reason: oneWord('worker', 'target', 'budget', 'throttle', 'event'),
          'message?': text,
          since: time,
          'until?': time,
          'worker?': text,
          ...item,
        }),
      ),
      steps: list(record(step)),
      artifacts: list(ref('File')),
      artifacts_dir: text,
      questions: list(ref('Question')),
      resumes: list(
        record({
          number: count,
          by: ref('Identity'),
          at: time,
          'changes?': anyObject,
          'plan_hash_before?': text,
          'inputs_before?': anyObject,
        }),
      ),
      decisions: list(
        record({
          path: text,
          decision: oneWord('succeeded', 'failed', 'retry', 'cancelled'),
          ...deed,
          'error?': ref('Error'),
          ...item,
        }),
      ),
      control_requests: list(
        record({
          kind: oneWord('cancel', 'cancel-now', 'pause', 'unpause'),
          ...deed,
          'taken_at?': time,
          'over_at?': time,
        }),
      ),
      'unknown_outcomes?': list(ref('UnknownOutcome')),
    },
    'A run, as `opsbook show --output json` prints it.',
  ),
  Files: record({ files: list(ref('File')) }),
  File: record({ file: text, path: text, 'bytes?': count, ...item }),
  Journal: record({
    events: list({
      ...record({ seq: count, type: text, run_id: text, at: time }),
      additionalProperties: true,
    }),
    'next?': count,
  }),
}
