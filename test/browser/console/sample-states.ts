import type {
  EventsDocument,
  InboxDocument,
  RunbookDocument,
  SchedulesDocument,
  StateOf,
  SystemDocument,
} from '../../../src/console/pages/index.ts'
import type { PageName, PageState } from '../../../src/console/state.ts'
import type { RunSummary } from '../../../src/core/record/index.ts'

const start = Date.parse('2026-11-23T09:00:00Z')

/** What every page of the samples has. */
export const around: Pick<PageState, 'at' | 'about' | 'user' | 'waiting'> = {
  at: new Date(start).toISOString(),
  about: { version: '0.1.0', engine: 'embedded', location: '/var/lib/opsbook' },
  user: { name: 'maria', roles: ['operator'] },
  waiting: 3,
}

const calls = { least: 1, most: 1 }

const plan: NonNullable<StateOf<'start'>['data']['planned']>['plan'] = {
  runbook: 'rotate-token',
  inputs: [{ name: 'service', state: 'given', value: 'billing' }],
  steps: [
    {
      path: 'write',
      runs: 'open',
      condition: { source: 'steps.ok.outputs.approved' },
      uses: {
        action: 'core/http',
        risk: 'create',
        connection: 'crm',
        arguments: [
          { name: 'url', state: 'known', value: 'https://crm.example/token' },
          { name: 'scopes', state: 'known', value: ['read'] },
        ],
      },
      calls: { least: 0, most: null },
      steps: [],
      catch: [],
      finally: [],
    },
  ],
  catch: [],
  finally: [],
  problems: [],
  totals: {
    calls,
    calls_by_risk: { read: calls, idempotent: { least: 0, most: 2 }, create: { least: 0, most: null } },
    shortest_ms: 1200,
    shortest_if_every_condition_holds_ms: 61_200,
    approvals: [
      {
        path: 'ok',
        message: { state: 'known', value: 'Rotate it?' },
        certain: false,
        from: { groups: ['sre'], count: 2 },
      },
    ],
    secrets: [{ name: 'crm', steps: ['write'] }],
  },
}

/** A time of the samples, this many seconds ago. */
export function ago(seconds: number): string {
  return new Date(start - seconds * 1000).toISOString()
}

const people = { name: 'maria', source: 'system-user', user: 'maria' } as const

/** A run that began this many seconds ago. */
function begun(
  at: string,
  runbook: string,
  status: RunSummary['status'],
  seconds: number,
  more: Partial<RunSummary>,
): RunSummary {
  return { run_id: `run_${at}`, runbook, labels: {}, status, started_at: ago(seconds), ...more }
}

/** Runs in each of the states. */
const runs: readonly RunSummary[] = [
  begun('20261123_085741_k3x9qd', 'roll-out-image', 'running', 139, {
    title: 'Roll an image out to a fleet',
    labels: { team: 'shop', change: 'CHG-2210' },
    started_by: people,
    current_step: { path: 'hosts[37]/roll', since: ago(4), reason: 'budget' },
  }),
  begun('20261123_085120_p0m2aa', 'publish-post-mortem', 'waiting', 520, {
    current_step: { path: 'publish', since: ago(510), reason: 'approval', until: ago(-3000) },
    started_from: { kind: 'event', hook: 'pager', event_id: 'evt_81', trigger: 0 },
  }),
  begun('20261123_082200_z81kk2', 'rotate-token', 'unknown', 2280, {
    labels: { team: 'core' },
    error: {
      code: 'OutcomeUnknown',
      message: 'the answer of create was lost after it was sent',
      path: 'create',
    },
    ended_at: ago(2220),
    started_by: people,
  }),
  begun('20261123_080000_mm01qa', 'morning-diagnosis', 'succeeded', 3600, {
    ended_at: ago(3555),
    started_from: { kind: 'schedule', schedule: 'morning-diagnosis', at: ago(3600), trigger: 0 },
  }),
  begun('20261122_230501_t5w1pp', 'register-a2a-agent', 'failed', 35_699, {
    labels: { team: 'core' },
    error: { code: 'InvalidInput', message: 'with.url: is not an https address', path: 'register' },
    ended_at: ago(35_698),
    started_by: people,
  }),
  begun('20261122_190501_a5w1pq', 'diagnose-host', 'cancelled', 50_099, { ended_at: ago(50_001) }),
]

const [rollOut, asking, , morning] = runs as readonly [RunSummary, RunSummary, RunSummary, RunSummary]

/** A run of the inbox. */
export const run: Pick<RunSummary, 'run_id' | 'runbook' | 'labels'> = {
  run_id: asking.run_id,
  runbook: asking.runbook,
  labels: {},
}

const inbox: InboxDocument = {
  waiting: [
    {
      ...run,
      kind: 'question',
      status: 'waiting',
      step: 'approve',
      count: 12,
      asked_at: ago(500),
      until: ago(-3600),
      shown: '12-0123456789',
      questions: [
        {
          path: 'approve',
          message: 'Publish the post-mortem of incident 81?',
          asked_at: ago(500),
          shown: '1-0123456789',
          status: 'open',
          answers: [],
        },
      ],
      commands: [`opsbook approve ${run.run_id} approve --all 12-0123456789`],
    },
    {
      run_id: 'run_20261123_082200_z81kk2',
      runbook: 'rotate-token',
      labels: {},
      kind: 'unknown_outcome',
      status: 'unknown',
      step: 'create',
      path: 'create',
      action: 'monit/agents/create',
      attempt: 1,
      error: { code: 'OutcomeUnknown', message: 'the answer was lost after it was sent' },
      commands: ['opsbook decide run_20261123_082200_z81kk2 create --as succeeded'],
    },
  ],
}

const good: RunbookDocument = {
  name: 'rotate-token',
  file: 'runbooks/rotate-token.yaml',
  title: 'Rotate a token',
  description: 'Creates a new token, hands it to its users, and takes the old one back.',
  labels: { team: 'core' },
  triggers: [
    { type: 'schedule', cron: '0 8 * * 1', timezone: 'Europe/Berlin', next: [ago(-86_400)] },
    { type: 'incident', hook: 'pager', where: 'event.severity == "high"' },
    { type: 'schedule', every_ms: 3_600_000, timezone: 'UTC', next: [ago(-1800)] },
  ],
  inputs: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', description: 'Of the token' },
      days: { type: 'integer', default: 90 },
      scope: { enum: ['read', 'write'] },
    },
  },
  secrets: ['VAULT_TOKEN'],
}

const broken: RunbookDocument = {
  name: 'old-check',
  file: 'runbooks/old-check.yaml',
  labels: {},
  triggers: [],
  problem: {
    message:
      'runbooks/old-check.yaml is not a valid runbook: runbooks/old-check.yaml:16:19 error UNKNOWN_STEP  no step "check"\n' +
      '  16 |   in_trouble: ${{ steps.check.outputs.failures }}\n     |                   ^^^^^^^^^^^\n',
    hints: [],
  },
}

const events: EventsDocument = {
  paused: { by: people, since: ago(600), comment: 'moving house' },
  events: [
    {
      hook: 'pager',
      event_id: 'evt_81',
      type: 'incident.opened',
      received_at: ago(521),
      deliveries: 2,
      starts: [
        { runbook: 'publish-post-mortem', trigger: 0, run_id: run.run_id },
        { runbook: 'escalate-alert', trigger: 0, because: 'where_false', message: 'its condition is false' },
        { runbook: 'diagnose-host', trigger: 0, because: 'inputs_invalid', message: 'host: is missing' },
        { runbook: 'roll-out-image', trigger: 0, because: 'paused' },
      ],
    },
    {
      hook: 'pager',
      event_id: 'evt_80',
      type: 'incident.closed',
      received_at: ago(2000),
      deliveries: 1,
      starts: [],
    },
  ],
}

/** The runbook of the other schedule is a file elsewhere. */
const own_runbooks = ['morning-diagnosis', 'rotate-token']

const daily = {
  id: 'morning-diagnosis',
  runbook: 'morning-diagnosis',
  trigger: 0,
  timezone: 'UTC',
  overlap: 'skip',
  missed: 0,
} as const

const schedules: SchedulesDocument = {
  engine: 'embedded',
  is_served: false,
  schedules: [
    {
      ...daily,
      state: 'active',
      cron: '0 8 * * *',
      next: [ago(-82_800), ago(-169_200)],
      last: [
        { at: ago(3600), run_id: morning.run_id },
        { at: ago(90_000), because: 'missed' },
      ],
      missed: 1,
    },
    {
      ...daily,
      id: 'weekly-report',
      runbook: 'weekly-report',
      state: 'paused',
      paused: { by: people },
      cron: '0 9 * * 1',
      next: [ago(-3600)],
      last: [],
    },
  ],
}

/** The first schedule of the runbook is paused, the other one is not. */
const ofTokens: SchedulesDocument = {
  engine: 'embedded',
  schedules: schedules.schedules.map((one, place) => ({
    ...one,
    id: `rotate-token-${place}`,
    runbook: 'rotate-token',
    trigger: place === 0 ? 2 : 0,
  })),
}

const system: SystemDocument = {
  ok: false,
  version: '0.1.0',
  checks: [
    { name: 'node', status: 'ok', message: 'Node 22.12.0' },
    {
      name: 'clock',
      status: 'warn',
      message: 'differs by 2.4s from the service',
      hints: ['Set the clock by NTP.'],
    },
    {
      name: 'service',
      status: 'fail',
      message: 'the service refuses the key',
      hints: ['Check OPSBOOK_APP_KEY.'],
    },
    { name: 'callbacks', status: 'skipped', message: 'no runbook uses them' },
  ],
}

const limits: StateOf<'now'>['data']['limits'] = {
  limits: [
    {
      action: 'monit/tools/invoke',
      windows: [
        { per: 'second', used: 3, limit: 10 },
        { per: 'minute', used: 600, limit: 600 },
      ],
      free_at: ago(-12),
    },
    { connection: 'crm', windows: [{ per: 'minute', used: 12, limit: 80 }], is_throttled: true },
    {
      action: 'rum/application/infos',
      windows: [
        { per: 'second', used: 0, limit: 50 },
        { per: 'minute', used: 4, limit: 1000 },
      ],
    },
  ],
  unread: [{ action: 'monit/tools/catalog' }],
}

/** The state of a page, but for that of a run. */
function stateOf<Name extends Exclude<PageName, 'run'>>(
  page: Name,
  path: string,
  data: StateOf<Name>['data'],
  more: Partial<PageState> = {},
) {
  return { [path]: { ...around, page, path, data, ...more } as StateOf<Name> }
}

const acting = { csrf: 'proof' }
const shown = '1-0123456789'
const bare = { inputs: {}, questions: [], artifacts: [] }

/** A first state of each page but that of a run, by its address. */
export const samples: Readonly<Record<string, StateOf<Exclude<PageName, 'run'>>>> = {
  ...stateOf('runs', '/runs', { runs: { runs, next: 'run_20261122' } }),
  ...stateOf('now', '/', { runs: { runs }, inbox, schedules, limits, own_runbooks }),
  ...stateOf('inbox', '/inbox', { inbox }),
  ...stateOf('runbooks', '/runbooks', { runbooks: { runbooks: [good, broken] }, schedules: ofTokens }),
  ...stateOf(
    'resume',
    '/runs/x/resume',
    {
      run: { ...rollOut, ...bare },
      compared: {
        shown,
        inputs: good.inputs ?? {},
        has_newer: true,
        comparison: {
          run_id: rollOut.run_id,
          runbook: rollOut.runbook,
          plan_hash_before: 'a',
          plan_hash: 'a',
          changed_inputs: ['days'],
          steps: [
            { path: 'look', action: 'core/http', is_write: false, fate: 'reused', done: 3 },
            { path: 'hosts/write', action: 'core/http', is_write: true, fate: 'depends', done: 1 },
            {
              path: 'last',
              action: 'core/log',
              is_write: false,
              fate: 'to-do',
              done: 0,
              reason: 'tried again: Timeout',
            },
          ],
        },
      },
    },
    acting,
  ),
  ...stateOf(
    'decide',
    '/runs/x/decide',
    {
      run: { ...rollOut, ...bare },
      outcome: {
        path: 'hosts[3]/create',
        action: 'core/http',
        attempt: 2,
        started_at: ago(61),
        request_id: 'req_17',
        sent: { input: { method: 'POST', url: 'https://crm.example/token' } },
        error: { code: 'ConnectionLost', message: 'the answer was lost' },
        find_out: 'Look in the target system: was something with these arguments created at that time?',
        shown,
        output: { type: 'object', properties: { status: { type: 'integer' }, body: {} } },
        reads: ['body'],
        risk: 'create',
      },
    },
    { ...acting, user: { name: 'maria', roles: ['approver'] } },
  ),
  ...stateOf('start', '/runbooks/rotate-token/start', { runbook: good }, acting),
  ...stateOf(
    'start',
    '/runbooks/rotate-token/planned',
    { runbook: good, planned: { shown, once: 'f-1', given: {}, plan } },
    acting,
  ),
  ...stateOf('runbook', '/runbooks/rotate-token', {
    runbook: good,
    runs: { runs: runs.slice(2, 3) },
    schedules: ofTokens,
  }),
  ...stateOf('runbook', '/runbooks/old-check', { runbook: broken }),
  ...stateOf('events', '/events', { events }),
  ...stateOf('schedules', '/schedules', { schedules, own_runbooks }),
  ...stateOf(
    'system',
    '/system',
    {
      system,
      sessions: [
        { id: 'a1', by: people, roles: ['admin'], since: ago(600), until: ago(-42_000), is_own: true },
        { id: 'b2', by: { ...people, name: 'jo' }, roles: ['viewer'], since: ago(900), until: ago(-41_000) },
      ],
      audit: [
        {
          id: 2,
          at: ago(60),
          by: people,
          address: '127.0.0.1',
          act: 'cancel',
          subject: { run: run.run_id },
          outcome: 'refused',
          code: 'InvalidUsage',
          count: 2,
        },
        { id: 1, at: ago(90), address: '127.0.0.1', act: 'login', subject: {}, outcome: 'done' },
      ],
    },
    { ...acting, user: { name: 'maria', roles: ['admin'] } },
  ),
  ...stateOf('login', '/login', { code: 'abc' }),
  ...stateOf('problem', '/problem', {
    problem: {
      status: 404,
      code: 'RunNotFound',
      detail: 'there is no run "x"',
      hint: '"opsbook runs" lists them',
    },
  }),
}
