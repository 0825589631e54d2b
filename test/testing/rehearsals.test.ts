import { readFileSync } from 'node:fs'
import { type RecordedRun, rehearseRun } from 'opsbook/testing'
import { describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import type { JsonObject, JsonValue } from '../../src/core/json.ts'
import { createMask } from '../../src/core/mask/index.ts'
import type { Plan } from '../../src/core/plan/plan.ts'
import { loadRunbook } from '../../src/load/index.ts'
import { testActions } from '../conformance/test-actions.ts'
import { type RecordedScript, recordRun } from './record-run.ts'

interface RehearsalCase extends RecordedScript {
  readonly name: string
  /** The steps, as YAML. */
  readonly before: string
  readonly after: string
  /** The inputs of the runbook afterwards. */
  readonly schema?: JsonObject
  /** Its outputs afterwards. */
  readonly outputs?: JsonObject
  readonly result: string
  readonly seen?: readonly string[]
}

const read = <T>(name: string): readonly T[] =>
  parse(readFileSync(new URL(`../cases/testing/${name}.yaml`, import.meta.url), 'utf8'))
const cases = read<RehearsalCase>('rehearsals')

const hosts = { type: 'object', properties: { hosts: { type: 'array', default: [] } } }

it.each(cases)('$name', async ({ before, after, schema = hosts, outputs, result, seen = [], ...script }) => {
  const recorded = await recordRun(planOf(before, hosts), script)
  const changed = planOf(after, schema, outputs)
  const found = await rehearseRun(recorded, changed, { actions: testActions })
  const text = (what: string, detail?: string): string => (detail === undefined ? what : `${what}: ${detail}`)
  expect([
    ...(found.reason === undefined ? [] : [found.reason]),
    ...found.differences.map(({ kind, what, detail }) => text(`${kind} ${what}`, detail)),
    ...found.unknown.map(({ what, detail }) => text(`? ${what}`, detail)),
  ]).toEqual(seen)
  expect(found.result).toBe(result)
})

const yes = { given: { approved: true, by: { name: 'ada', source: 'system-user' } }, afterMs: 1000 } as const

interface MaskedCase extends Pick<RehearsalCase, 'name' | 'before' | 'after' | 'schema' | 'inputs'> {
  /** Why the trigger would not start it. */
  readonly refusal?: string
}

it.each(read<MaskedCase>('masked-rehearsals'))(
  'masks $name',
  async ({ before, after, schema = hosts, inputs = {}, refusal }) => {
    const recorded = await recordRun(planOf(before, hosts), { inputs, answers: { ask: [yes] } })
    const found = await rehearseRun(recorded, planOf(after, schema), {
      actions: testActions,
      ...(refusal === undefined ? {} : { start: { refusal } }),
      mask: async () => {
        const mask = createMask(['geheimnis'])
        return <T extends JsonValue>(value: T): T => mask.value(value) as T
      },
    })
    expect(found.result).not.toBe('same')
    expect(JSON.stringify(found)).not.toContain('geheimnis')
    expect(JSON.stringify(found)).toContain('(masked)')
  },
)

describe('a cancellation of the record', () => {
  const nap = '- { id: nap, uses: core/wait, with: { for: 1m } }\n'
  const at = (ms: number): string => new Date(Date.UTC(2026, 0, 1) + ms).toISOString()
  const by = { name: 'ada', source: 'system-user' } as const
  const request = { kind: 'cancel', by, at: at(5000), over_at: at(1e9) } as const
  const rehearse = (recorded: RecordedRun, more: Partial<RecordedRun['run']>, changed: Plan) =>
    rehearseRun({ ...recorded, run: { ...recorded.run, ...more } }, changed, { actions: testActions })

  it('has no effect where the run was resumed after it, or succeeded without having obeyed it', async () => {
    const plan = planOf(nap, hosts)
    const recorded = await recordRun(plan)
    const resumed = {
      control_requests: [{ ...request, taken_at: at(5000) }],
      resumes: [{ number: 1, at: at(20_000), by }],
    }
    expect(await rehearse(recorded, resumed, plan)).toMatchObject({ result: 'same' })
    expect(await rehearse(recorded, { control_requests: [request] }, plan)).toMatchObject({ result: 'same' })
    // It would have one otherwise.
    const taken = { control_requests: [{ ...request, taken_at: at(5000) }] }
    expect(await rehearse(recorded, taken, plan)).toMatchObject({ result: 'left_out' })
  })

  it('has its effect when it was obeyed, and a second one ends clean-up, too', async () => {
    const make = '- { id: make, uses: test/write, with: { of: 1 } }\n'
    const steps = nap + make + nap.replace('nap', 'rest')
    const recorded = await recordRun(planOf(steps, hosts), { cancelMs: 90_000 })
    const changed = planOf(steps.replace('of: 1', 'of: 2'), hosts)
    const obeyed = (kind: 'cancel' | 'cancel-now') => ({
      control_requests: [{ ...request, kind, taken_at: at(90_000) }],
    })
    expect(await rehearse(recorded, obeyed('cancel'), changed)).toMatchObject({
      result: 'different',
      differences: [{ kind: 'write', step: 'make' }],
    })
    const tidy = (of: number): Plan => planOf(nap + nap.replace('nap', 'rest'), hosts, undefined, of)
    const cleaned = await recordRun(tidy(1), { cancelMs: 90_000 })
    expect(await rehearse(cleaned, obeyed('cancel'), tidy(2))).toMatchObject({ result: 'different' })
    expect(await rehearse(cleaned, obeyed('cancel-now'), tidy(2))).toMatchObject({ result: 'same' })
  })
})

it('leaves a run out whose own plan does not lead to its end', async () => {
  const plan = planOf('- { id: look, uses: test/read, with: { of: 1 } }', hosts)
  const { run, attempts } = await recordRun(plan)
  const [first] = attempts
  const lost = await rehearseRun({ run, attempts: [] }, plan, { actions: testActions })
  expect(lost).toMatchObject({ result: 'left_out', reason: 'its journal has no result of look' })
  const other = await rehearseRun(
    { run: { ...run, status: 'failed' }, attempts: first ? [first] : [] },
    plan,
    {
      actions: testActions,
    },
  )
  expect(other).toMatchObject({ result: 'left_out', reason: expect.stringContaining('ends as succeeded') })
})

it('needs no description of the actions: they are never called', async () => {
  const steps =
    '- { id: look, uses: test/read, with: { of: 1 } }\n- { id: make, uses: test/write, with: { of: 2 } }'
  const recorded = await recordRun(planOf(steps, hosts))
  const changed = planOf(steps.replace('of: 2', 'of: 3'), hosts)
  expect(await rehearseRun(recorded, changed, { actions: [] })).toMatchObject({
    result: 'different',
    differences: [{ kind: 'write', step: 'make' }],
  })
})

it('takes a recorded result that came late for one in time, and a shorter limit for a timeout', async () => {
  const steps = '- { id: look, uses: test/read, with: { of: 1 }, attempt-timeout: 10s }'
  const plan = planOf(steps, hosts)
  const { run, attempts } = await recordRun(plan)
  // The record of a worker holds the time in its queue, too.
  const late = [...attempts].map((one) => ({
    ...one,
    ended_at: new Date(Date.parse(one.started_at) + 60_000).toISOString(),
  }))
  const rehearse = (changed: Plan) => rehearseRun({ run, attempts: late }, changed, { actions: testActions })
  expect(await rehearse(plan)).toMatchObject({ result: 'same' })
  expect(await rehearse(planOf(steps.replace('10s', '5s'), hosts))).toMatchObject({
    result: 'different',
    differences: [{ what: 'would end as failed with AttemptTimeout at look (was succeeded)' }, {}],
  })
})

function planOf(steps: string, inputs: JsonObject, outputs?: JsonObject, cleans?: number): Plan {
  const clean = [{ id: 'clean', uses: 'test/write', with: { of: cleans ?? 0 } }]
  const rest =
    (outputs === undefined ? '' : stringify({ outputs })) +
    (cleans === undefined ? '' : stringify({ finally: clean }))
  const text = `apiVersion: opsbook/v1\nname: book\nsecrets: [one, two]\n${stringify({ inputs })}steps:\n${steps.replace(/^/gm, '  ').trimEnd()}\n${rest}`
  const { plan, diagnostics } = loadRunbook(text, testActions)
  if (!plan) throw new Error(diagnostics.map(({ message }) => message).join('\n'))
  return plan
}
