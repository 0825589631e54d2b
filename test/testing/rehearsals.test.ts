import { readFileSync } from 'node:fs'
import { rehearseRun } from 'opsbook/testing'
import { expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import type { JsonObject } from '../../src/core/json.ts'
import type { Plan } from '../../src/core/plan.ts'
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

const cases = parse(
  readFileSync(new URL('../cases/testing/rehearsals.yaml', import.meta.url), 'utf8'),
) as readonly RehearsalCase[]

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

function planOf(steps: string, inputs: JsonObject, outputs?: JsonObject): Plan {
  const rest = outputs === undefined ? '' : stringify({ outputs })
  const text = `apiVersion: opsbook/v1\nname: book\nsecrets: [one, two]\n${stringify({ inputs })}steps:\n${steps.replace(/^/gm, '  ').trimEnd()}\n${rest}`
  const { plan, diagnostics } = loadRunbook(text, testActions)
  if (!plan) throw new Error(diagnostics.map(({ message }) => message).join('\n'))
  return plan
}
