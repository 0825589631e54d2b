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

function planOf(steps: string, inputs: JsonObject, outputs?: JsonObject): Plan {
  const rest = outputs === undefined ? '' : stringify({ outputs })
  const text = `apiVersion: opsbook/v1\nname: book\nsecrets: [one, two]\n${stringify({ inputs })}steps:\n${steps.replace(/^/gm, '  ').trimEnd()}\n${rest}`
  const { plan, diagnostics } = loadRunbook(text, testActions)
  if (!plan) throw new Error(diagnostics.map(({ message }) => message).join('\n'))
  return plan
}
