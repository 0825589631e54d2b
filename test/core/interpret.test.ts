import { describe, expect, it } from 'vitest'
import { writeAction } from '../../src/actions/write.ts'
import { operations } from '../../src/api/operations/index.ts'
import type { ActionDescription } from '../../src/core/action.ts'
import type { AttemptResult } from '../../src/core/attempts.ts'
import { coreActions } from '../../src/core/core-actions.ts'
import type { CallRequest } from '../../src/core/host.ts'
import { interpret } from '../../src/core/interpret.ts'
import type { JsonObject, JsonValue } from '../../src/core/json.ts'
import { loadRunbook } from '../../src/load/index.ts'
import { createDataHost, type DataHost } from './data-host.ts'

const actions = [...Object.values(operations), writeAction, ...coreActions] as readonly ActionDescription[]
const run = { id: 'run_1', started_at: '2026-01-01T00:00:00.000Z' }

const ok = (output: JsonValue = {}): AttemptResult => ({ status: 'succeeded', output })
const fail = (code: string, more: { retryAfterMs?: number } = {}): AttemptResult => ({
  status: 'failed',
  error: { code, message: `said ${code}`, ...more },
})

async function play(
  steps: string,
  answer: (request: CallRequest, call: number) => AttemptResult | 'interrupt',
  inputs: JsonObject = {},
) {
  const runbook = `apiVersion: opsbook/v1\nname: test\ninputs: { type: object }\nsteps:\n${steps}`
  const { plan, diagnostics } = loadRunbook(runbook, actions)
  if (!plan) throw new Error(JSON.stringify(diagnostics))
  const host: DataHost = createDataHost(answer)
  return { outcome: await interpret(plan, inputs, run, host), host }
}

const paths = (host: DataHost): readonly string[] =>
  host.calls.map(({ path, attempt }) => `${path}#${attempt}`)
const ends = (host: DataHost): readonly string[] =>
  host.events.flatMap((event) => (event.type === 'step_finished' ? [`${event.path} ${event.status}`] : []))

const lookUp = (id: string, more = ''): string =>
  `  - { id: ${id}, uses: monit/tools/catalog, with: { target_locator: web-01 }${more} }\n`
const create = (more = ''): string =>
  `  - { id: made, uses: rum/application/create, with: { application_name: a, type: browser, team_id: 1 }${more} }\n`
const tools = (more = ''): string =>
  `  - { id: checks, uses: monit/tools/invoke, with: { target_locator: web-01, tools: "\${{ inputs.tools }}" }${more} }\n`

const toolInputs = (count: number): JsonObject => ({
  tools: Array.from({ length: count }, (_, index) => ({ tool: `t${index}` })),
})
const toolAnswer = ({ input }: CallRequest, failing: readonly string[] = []): AttemptResult =>
  ok({
    target: { kind: 'host', locator: 'web-01' },
    error: null,
    results: (input['tools'] as readonly { tool: string }[]).map(({ tool }) =>
      failing.includes(tool)
        ? { tool, data: null, error: { code: 'overloaded', message: 'busy' } }
        : { tool, data: { data: {}, summary: tool }, error: null },
    ),
  })

describe('steps', () => {
  it('run in order, and later ones see the outputs of earlier ones', async () => {
    const steps = `${lookUp('one')}  - { id: two, uses: monit/tools/catalog, with: { target_locator: "\${{ steps.one.outputs.tools[0].name }}" } }\n`
    const { outcome, host } = await play(steps, (_, call) => ok({ tools: [{ name: `web-0${call + 1}` }] }))
    expect(outcome.status).toBe('succeeded')
    expect(host.calls[1]?.input).toEqual({ target_locator: 'web-02' })
  })

  it('end the run at the first failure', async () => {
    const { outcome, host } = await play(lookUp('one') + lookUp('two'), () => fail('AccessDenied'))
    expect(outcome).toEqual({
      status: 'failed',
      error: { code: 'AccessDenied', message: 'said AccessDenied', path: 'one' },
    })
    expect(paths(host)).toEqual(['one#1'])
  })

  it('are skipped by a false condition, which is asked before for-each', async () => {
    const steps = lookUp('one', `, if: "\${{ inputs.n > 1 }}", for-each: { items: "\${{ inputs.absent }}" }`)
    const { outcome, host } = await play(steps, () => ok(), { n: 1 })
    expect(outcome.status).toBe('succeeded')
    expect(ends(host)).toEqual(['one skipped'])
  })

  it('fail where an expression does, without a call', async () => {
    const steps =
      '  - { id: one, uses: monit/tools/catalog, with: { target_locator: "${{ inputs.absent }}" } }\n'
    const { outcome, host } = await play(steps, () => ok())
    expect(outcome.error).toMatchObject({ code: 'ExpressionFailed', path: 'one' })
    expect(host.calls).toEqual([])
  })

  it('leave a run interrupted where the host must stop', async () => {
    const { outcome, host } = await play(lookUp('one') + lookUp('two'), (_, call) =>
      call === 1 ? ok() : 'interrupt',
    )
    expect(outcome.status).toBe('interrupted')
    expect(ends(host)).toEqual(['one succeeded'])
  })

  it('make an unexpected error a failed run', async () => {
    const { outcome } = await play(lookUp('one'), () => {
      throw new TypeError('oops')
    })
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'InternalDefect', message: 'oops' } })
  })
})

describe('repeating', () => {
  const retry = ', retry: { attempts: 3, delay: 1s }'

  it.each([
    { code: 'ConnectionLost', attempts: 3 },
    { code: 'ServiceUnavailable', attempts: 3 },
    { code: 'AccessDenied', attempts: 1 },
    { code: 'SomethingNew', attempts: 1 },
  ])('a read that fails with $code is attempted $attempts times', async ({ code, attempts }) => {
    const { outcome, host } = await play(lookUp('one', retry), () => fail(code))
    expect(outcome).toMatchObject({ status: 'failed', error: { code } })
    expect(host.calls).toHaveLength(attempts)
  })

  it('grows the pauses between attempts up to the longest', async () => {
    const policy = ', retry: { attempts: 5, delay: 1s, backoff: 3, max-delay: 5s }'
    const { host } = await play(lookUp('one', policy), () => fail('ConnectionLost'))
    const until = host.events.flatMap((event) => (event.type === 'waiting' ? [event.until] : []))
    expect(until).toEqual([1000, 4000, 9000, 14_000])
  })

  it.each([
    { code: 'ConnectionLost', status: 'unknown', error: 'OutcomeUnknown', calls: 1 },
    { code: 'InternalError', status: 'unknown', error: 'OutcomeUnknown', calls: 1 },
    { code: 'SomethingNew', status: 'unknown', error: 'OutcomeUnknown', calls: 1 },
    { code: 'InvalidParameter', status: 'failed', error: 'InvalidParameter', calls: 1 },
    { code: 'ConnectionRefused', status: 'failed', error: 'ConnectionRefused', calls: 3 },
  ])(
    'a create that fails with $code is $status after $calls calls',
    async ({ code, status, error, calls }) => {
      const { outcome, host } = await play(create(retry), () => fail(code))
      expect(outcome).toMatchObject({ status, error: { code: error } })
      expect(host.calls).toHaveLength(calls)
    },
  )

  it('a repeated write that is refused after an unclear attempt has an unknown outcome', async () => {
    const steps = `  - { id: off, uses: rum/issue/preset-severity/rules/disable, with: { application_id: a, rule_id: b }${retry} }\n`
    const { outcome } = await play(steps, (_, call) =>
      fail(call === 1 ? 'ConnectionLost' : 'ResourceNotFound'),
    )
    expect(outcome).toMatchObject({
      status: 'unknown',
      error: {
        code: 'OutcomeUnknown',
        details: { errors: [{ code: 'ConnectionLost' }, { code: 'ResourceNotFound' }] },
      },
    })
  })

  it('waits out RequestTooFrequently, which is no failure, also for a create', async () => {
    const { outcome, host } = await play(create(), (_, call) =>
      call < 4 ? fail('RequestTooFrequently', { retryAfterMs: 2000 }) : ok({ application_id: 'x' }),
    )
    expect(outcome.status).toBe('succeeded')
    expect(host.now()).toBe(6000)
  })

  it('never repeats without a pause, whatever time the service names', async () => {
    const { outcome, host } = await play(lookUp('one', ', throttle: { max-wait: 5s }'), () =>
      fail('RequestTooFrequently', { retryAfterMs: 0 }),
    )
    expect(outcome.error?.code).toBe('RequestTooFrequently')
    expect(host.calls).toHaveLength(6)
  })

  it('gives up on RequestTooFrequently after max-wait', async () => {
    const { outcome, host } = await play(lookUp('one', `${retry}, throttle: { max-wait: 5s }`), () =>
      fail('RequestTooFrequently', { retryAfterMs: 2000 }),
    )
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'RequestTooFrequently' } })
    expect(host.calls).toHaveLength(3)
  })
})

describe('batches', () => {
  it('are split into groups and merged in order', async () => {
    const { outcome, host } = await play(tools(), (request) => toolAnswer(request), toolInputs(20))
    expect(outcome.status).toBe('succeeded')
    expect(paths(host)).toEqual(['checks/group-1#1', 'checks/group-2#1', 'checks/group-3#1'])
    const finished = host.events.find((event) => event.type === 'step_finished')
    expect(finished).toMatchObject({ outputs: { total: 20, succeeded: 20, failed: 0, failures: [] } })
    const { results } = (finished as unknown as { outputs: { results: { tool: string }[] } }).outputs
    expect(results.map(({ tool }) => tool)).toEqual(Array.from({ length: 20 }, (_, index) => `t${index}`))
  })

  it('repeat only the items that failed, grouped anew', async () => {
    const { outcome, host } = await play(
      tools(', retry: { attempts: 2 }'),
      (request, call) => toolAnswer(request, call <= 3 ? ['t1', 't9', 't19'] : []),
      toolInputs(20),
    )
    expect(outcome.status).toBe('succeeded')
    expect(paths(host).slice(3)).toEqual(['checks/group-1#2'])
    expect(host.calls[3]?.input['tools']).toEqual([{ tool: 't1' }, { tool: 't9' }, { tool: 't19' }])
  })

  it.each([
    { tolerate: '0', status: 'failed' },
    { tolerate: '1', status: 'failed' },
    { tolerate: '2', status: 'succeeded' },
    { tolerate: '24%', status: 'failed' },
    { tolerate: '25%', status: 'succeeded' },
    { tolerate: 'all', status: 'succeeded' },
  ])('two of eight failed with tolerate $tolerate: $status', async ({ tolerate, status }) => {
    const { outcome } = await play(
      tools(`, tolerate: ${tolerate}`),
      (request) => toolAnswer(request, ['t1', 't2']),
      toolInputs(8),
    )
    expect(outcome.status).toBe(status)
    if (status === 'failed') expect(outcome.error?.code).toBe('TooManyFailures')
  })

  it('an error of one group is the error of its items', async () => {
    const { outcome, host } = await play(
      tools(', tolerate: all'),
      (request) => (request.path.endsWith('2') ? fail('target_unavailable') : toolAnswer(request)),
      toolInputs(20),
    )
    expect(outcome.status).toBe('succeeded')
    const finished = host.events.find((event) => event.type === 'step_finished')
    expect(finished).toMatchObject({ outputs: { total: 20, failed: 8, succeeded: 12 } })
    expect((finished as unknown as { outputs: { results: JsonObject[] } }).outputs.results[8]).toEqual({
      tool: 't8',
      data: null,
      error: { code: 'target_unavailable', message: 'said target_unavailable' },
    })
  })

  it('an error of every group is the error of the step', async () => {
    const { outcome } = await play(tools(), () => fail('target_unavailable'), toolInputs(20))
    expect(outcome.error?.code).toBe('target_unavailable')
  })

  it('a refusal that every group would hear ends the step at once', async () => {
    const { outcome, host } = await play(tools(', tolerate: all'), () => fail('Unauthorized'), toolInputs(20))
    expect(outcome.error?.code).toBe('Unauthorized')
    expect(host.calls).toHaveLength(1)
  })

  it('repeats what a list of codes names, also when every group would hear the same', async () => {
    const { outcome, host } = await play(
      tools(', retry: { attempts: 3, delay: 1ms, errors: [ResourceNotFound] }'),
      () => fail('ResourceNotFound'),
      toolInputs(2),
    )
    expect(outcome.error?.code).toBe('ResourceNotFound')
    expect(host.calls).toHaveLength(3)
  })

  it('an answer in another order is no answer', async () => {
    const { outcome } = await play(
      tools(),
      () => ok({ error: null, results: ['t1', 't0'].map((tool) => ({ tool, data: {}, error: null })) }),
      toolInputs(2),
    )
    expect(outcome.error?.code).toBe('InvalidAnswer')
  })

  it('a list that is empty is still one call, whose arguments are checked', async () => {
    const { host } = await play(tools(), () => ok({ results: [], error: null }), toolInputs(0))
    expect(host.calls).toHaveLength(1)
  })

  it('an answer of another length is no answer', async () => {
    const { outcome } = await play(tools(), () => ok({ results: [], error: null }), toolInputs(2))
    expect(outcome.error?.code).toBe('InvalidAnswer')
  })

  it('ids that were not found are missing, not failed', async () => {
    const steps = '  - { id: apps, uses: rum/application/infos, with: { application_ids: [a, b, c] } }\n'
    const { host } = await play(steps, () =>
      ok({ items: [{ application_id: 'c' }, { application_id: 'a' }] }),
    )
    expect(host.events.find((event) => event.type === 'step_finished')).toMatchObject({
      outputs: {
        items: [{ application_id: 'a' }, { application_id: 'c' }],
        missing: ['b'],
        failed: 0,
        succeeded: 2,
        total: 3,
      },
    })
  })
})

describe('for-each', () => {
  const each = (more = ''): string =>
    `  - { id: each, for-each: { items: "\${{ inputs.hosts }}", as: host${more} }, uses: monit/tools/catalog, with: { target_locator: "\${{ host }}-\${{ index }}" } }\n`
  const hosts = { hosts: ['a', 'b', 'c', 'd'] }

  it('runs the step once for each item, each with a path of its own', async () => {
    const { outcome, host } = await play(each(), () => ok(), hosts)
    expect(outcome.status).toBe('succeeded')
    expect(paths(host)).toEqual(['each[0]#1', 'each[1]#1', 'each[2]#1', 'each[3]#1'])
    expect(host.calls.map(({ input }) => input['target_locator'])).toEqual(['a-0', 'b-1', 'c-2', 'd-3'])
  })

  it('starts no more items once too many have failed, and says so', async () => {
    const { outcome, host } = await play(each(', tolerate: 1'), () => fail('AccessDenied'), hosts)
    expect(outcome.error).toMatchObject({ code: 'TooManyFailures', path: 'each' })
    expect(host.calls).toHaveLength(2)
  })

  it('keeps the order of items whatever the order of answers', async () => {
    const read = `  - { id: read, uses: core/set, with: { items: "\${{ steps.each.outputs.items }}" } }\n`
    const steps = each(', max-parallel: 4') + read
    const { host } = await play(steps, (request) => ok({ at: request.path }), hosts)
    expect(host.events.find((event) => event.type === 'step_finished')).toMatchObject({
      outputs: {
        items: [0, 1, 2, 3].map((index) => ({ status: 'succeeded', outputs: { at: `each[${index}]` } })),
      },
    })
  })

  it('refuses what is no list', async () => {
    const { outcome } = await play(each(), () => ok(), { hosts: 'a' })
    expect(outcome.error?.code).toBe('ExpressionFailed')
  })

  it('copes with ten thousand items', async () => {
    const many = { hosts: Array.from({ length: 10_000 }, (_, index) => `h${index}`) }
    const { outcome, host } = await play(each(', max-parallel: 50'), () => ok(), many)
    expect(outcome.status).toBe('succeeded')
    expect(host.calls).toHaveLength(10_000)
  })
})
