import { type ActionDefinition, defineAction, type JsonObject, RunbookError } from 'opsbook'
import { expect, it } from 'vitest'
import { safetyOf } from '../../src/core/action.ts'
import { contextWith } from './context-with.ts'

const sound: ActionDefinition<JsonObject, unknown> = {
  name: 'acme/ticket/open',
  summary: 'Open a ticket',
  safety: 'create',
  input: {
    type: 'object',
    required: ['title'],
    additionalProperties: false,
    properties: { title: { type: 'string' }, notes: { type: 'array' } },
  },
  output: { type: 'object', properties: { id: { type: 'string' }, notes: { type: 'array' } } },
  run: () => ({ id: 'T-1' }),
}

const batch = { argument: 'notes', size: 2, results: 'notes', isPositional: true }

const kinds = { enum: ['read', 'idempotent', 'create'], type: 'string' }
const calls = {
  ...sound,
  input: {
    type: 'object',
    properties: { safety: kinds, operation: { type: 'string' }, number: { type: 'number' } },
  },
}
const rule = {
  argument: 'safety',
  by: 'operation',
  values: { DescribeVolumes: 'read', DeleteTags: 'idempotent' },
  leftOut: 'create',
} as const

const wrong: readonly (readonly [about: string, change: object, said: string])[] = [
  ['no namespace', { name: 'open' }, 'name must be namespace/name'],
  ['capitals', { name: 'Acme/Open' }, 'name must be namespace/name'],
  ['our namespace', { name: 'core/write' }, 'name is in the namespace "core"'],
  ['a namespace of the service', { name: 'rum/mine' }, 'name is in the namespace "rum"'],
  ['no safety', { safety: undefined }, 'safety is required'],
  ['another safety', { safety: 'safe' }, 'safety must be "read", "idempotent" or "create"'],
  ['a summary of two lines', { summary: 'a\nb' }, 'summary must be one line'],
  ['no run', { run: undefined }, 'run is required'],
  ['a schema of something else', { input: { type: 'array' } }, 'input must be a JSON Schema'],
  ['a typo in a schema', { input: { type: 'object', requird: [] } }, 'unknown keyword: "requird"'],
  [
    'a type that is none',
    { output: { type: 'object', properties: { a: { type: 'text' } } } },
    'output is not',
  ],
  [
    'a format that is none',
    { input: { type: 'object', properties: { a: { format: 'x' } } } },
    'input is not',
  ],
  ['a batch of nothing', { batch: { ...batch, argument: 'title' } }, 'batch must name an argument'],
  ['results that are no list', { batch: { ...batch, results: 'id' } }, 'batch must name results'],
  ['a batch without a size', { batch: { ...batch, size: 0 } }, 'batch needs a size'],
  ['a safety by nothing', { ...calls, safetyBy: 'operation' }, 'safetyBy must be a map'],
  ['a safety by more', { ...calls, safetyBy: { ...rule, other: 1 } }, 'safetyBy has "other"'],
  [
    'an argument that is not there',
    { ...calls, safetyBy: { ...rule, argument: 'x' } },
    'safetyBy needs "argument"',
  ],
  [
    'an argument that can be anything',
    { ...calls, safetyBy: { ...rule, argument: 'operation' } },
    'one of read, idempotent',
  ],
  ['a safety by a number', { ...calls, safetyBy: { ...rule, by: 'number' } }, 'safetyBy needs "by"'],
  [
    'values of another kind',
    { ...calls, safetyBy: { ...rule, values: { A: 'safe' } } },
    'safetyBy needs values',
  ],
  [
    'nothing for what is left out',
    { ...calls, safetyBy: { ...rule, leftOut: undefined } },
    'safetyBy needs leftOut',
  ],
  ['a field that is not there', { sensitiveInput: ['titel'] }, 'did you mean "title"?'],
  ['a time that is none', { timeoutMs: 0 }, 'timeoutMs must be milliseconds'],
  ['times that contradict', { timeoutMs: 10, minimumTimeoutMs: 20 }, 'must not be more than timeoutMs'],
  ['codes of another kind', { errors: ['full_queue'] }, 'errors must be a list of codes'],
  ['a key that is none', { timeout: 10 }, 'timeout is not known; did you mean "timeoutMs"?'],
]

it.each(wrong)('%s is refused', (_, change, said) => {
  const define = (): unknown => defineAction({ ...sound, ...change } as typeof sound)
  expect(define).toThrow(said)
  expect(define).toThrow(expect.objectContaining({ code: 'InvalidInput' }))
})

it('takes a rule for the safety of each call', () => {
  const action = defineAction({ ...calls, safetyBy: rule } as typeof sound)
  const safeties = [
    {},
    { operation: 'DescribeVolumes' },
    { operation: 'DeleteTags' },
    { operation: 'RunInstances' },
    { operation: 'RunInstances', safety: 'idempotent' },
  ].map((input) => safetyOf(action, input))
  expect(safeties).toEqual(['create', 'read', 'idempotent', 'create', 'idempotent'])
})

it.each([
  ['create', { operation: 'DescribeVolumes' }, 0],
  ['read', { operation: 'RunInstances' }, 1],
  ['read', { operation: 'RunInstances', safety: 'read' }, 0],
] as const)(
  'announces a call before it is sent by what the call is: %s, %o',
  async (safety, input, announced) => {
    const { batch: _, ...others } = { ...sound, ...calls }
    const values = { DescribeVolumes: 'read', RunInstances: 'create' } as const
    const action = defineAction({ ...others, safety, safetyBy: { ...rule, values } } as typeof sound)
    let times = 0
    await action
      .run({ title: 'a', ...input }, contextWith({ beforeSending: async () => void times++ }))
      .catch(() => {})
    expect(times).toBe(announced)
  },
)

it('says everything that is wrong at once', () => {
  expect(() => defineAction({} as typeof sound)).toThrow(/name is required.*summary is.*safety is.*run is/)
})

it('a definition that is sound has all that the tables need', () => {
  expect(defineAction({ ...sound, batch, timeoutMs: 5000 })).toMatchObject({
    name: 'acme/ticket/open',
    safety: 'create',
    defaultTimeoutMs: 5000,
    batch,
  })
})

it('arguments are checked by the schema, then by the own rules', () => {
  const check = ({ title }: JsonObject): { path: string; message: string }[] =>
    title === 'x' ? [{ path: 'title', message: 'says nothing' }] : []
  const action = defineAction({ ...sound, check })
  expect(action.checkInput({ title: 'full' })).toEqual([])
  expect(
    action
      .checkInput({ titel: 'full' })
      .map(({ path }) => path)
      .toSorted(),
  ).toEqual(['titel'])
  expect(action.checkInput({ title: 'x' })).toEqual([{ path: 'title', message: 'says nothing' }])
})

it('a check that throws is a problem, and not the end', () => {
  const check = (): never => {
    throw new TypeError('no')
  }
  expect(defineAction({ ...sound, check }).checkInput({ title: 'x' })).toMatchObject([
    { message: expect.stringContaining('check() of acme/ticket/open failed: TypeError: no') },
  ])
})

const stopped = new AbortController()
stopped.abort()

const thrown: readonly (readonly [about: string, value: unknown, code: string, message: string | RegExp])[] =
  [
    ['an error', new TypeError('no such thing'), 'ActionFailed', 'no such thing'],
    [
      'an error with a cause',
      new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:9') }),
      'ActionFailed',
      'fetch failed: connect ECONNREFUSED 127.0.0.1:9',
    ],
    [
      'a cause that has only a code',
      new TypeError('fetch failed', {
        cause: Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
      }),
      'ActionFailed',
      'fetch failed: ECONNREFUSED',
    ],
    ['an error of ours', new RunbookError('TicketLocked', 'locked'), 'TicketLocked', 'locked'],
    ['an error with a code', Object.assign(new Error('full'), { code: 'QueueFull' }), 'QueueFull', 'full'],
    [
      'an error of the system',
      Object.assign(new Error('no'), { code: 'ECONNREFUSED' }),
      'ActionFailed',
      'no',
    ],
    ['a code of the engine', new RunbookError('Interrupted', 'me'), 'ActionFailed', 'me'],
    ['a text', 'oops', 'ActionFailed', 'acme/ticket/open threw oops'],
    ['nothing', undefined, 'ActionFailed', 'acme/ticket/open threw undefined'],
    ['something without a text', Object.create(null), 'ActionFailed', /threw something that cannot be read/],
  ]

it.each(thrown)('%s becomes an error of the run', async (_, value, code, message) => {
  const now = defineAction({
    ...sound,
    run() {
      throw value
    },
  })
  const later = defineAction({ ...sound, run: () => Promise.reject(value) })
  for (const action of [now, later]) {
    const error = await action.run({ title: 'x' }, contextWith()).catch((caught: unknown) => caught)
    expect(RunbookError.is(error)).toBe(true)
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
  }
})

it('an error keeps what it knows', async () => {
  const known = { notSent: true, retryAfterMs: 5, requestId: 'r-1', details: { queue: 7 } }
  const action = defineAction({
    ...sound,
    run() {
      throw new RunbookError('QueueFull', 'full', known)
    },
  })
  await expect(action.run({ title: 'x' }, contextWith())).rejects.toMatchObject(known)
})

const answers: readonly (readonly [about: string, answer: unknown, expected: unknown])[] = [
  ['outputs', { id: 'T-1' }, { id: 'T-1' }],
  ['nothing', undefined, {}],
  ['a field of another type', { id: 1 }, 'id must be a string, not a number'],
  ['a list', [], 'must be an object'],
  ['what JSON cannot hold', { id: 'T-1', at: new Date(0) }, 'at is a Date'],
]

it.each(answers)('answering %s', async (_, answer, expected) => {
  const running = defineAction({ ...sound, run: () => answer }).run({ title: 'x' }, contextWith())
  if (typeof expected === 'object') expect(await running).toEqual({ output: expected })
  else
    await expect(running).rejects.toMatchObject({
      code: 'InvalidAnswer',
      message: expect.stringContaining(String(expected)),
    })
})

it('an action that ignores its signal is abandoned after its time limit', async () => {
  const action = defineAction({ ...sound, run: () => new Promise(() => {}) })
  await expect(action.run({ title: 'x' }, contextWith({ timeoutMs: 20 }))).rejects.toMatchObject({
    code: 'AttemptTimeout',
    message: 'acme/ticket/open did not end within 20ms',
  })
})

it('an action that listens is aborted, and its own error is ignored', async () => {
  const run: typeof sound.run = (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))
  const running = defineAction({ ...sound, timeoutMs: 20, run }).run({ title: 'x' }, contextWith())
  await expect(running).rejects.toMatchObject({ code: 'AttemptTimeout' })
})

it('nothing is begun in a run that has stopped', async () => {
  let isBegun = false
  const action = defineAction({
    ...sound,
    run() {
      isBegun = true
    },
  })
  await expect(action.run({ title: 'x' }, contextWith({ signal: stopped.signal }))).rejects.toThrow(
    'was cancelled',
  )
  expect(isBegun).toBe(false)
})

it('one signal may end a hundred attempts', async () => {
  const warnings: unknown[] = []
  const onWarning = (warning: Error): unknown => warnings.push(warning)
  process.on('warning', onWarning)
  const action = defineAction({ ...sound, run: () => new Promise(() => {}) })
  const stop = new AbortController()
  const context = contextWith({ signal: stop.signal })
  const attempts = Array.from({ length: 100 }, () => action.run({ title: 'x' }, context))
  stop.abort()
  const ends = await Promise.allSettled(attempts)
  expect(ends.map((end) => end.status === 'rejected' && end.reason.code)).toEqual(
    Array(100).fill('Cancelled'),
  )
  // Warnings come once the event loop continues.
  await new Promise(setImmediate)
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
})
