import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { createActions } from '../../src/actions/index.ts'
import type { JsonObject, JsonValue } from '../../src/core/json.ts'
import { loadRunbook } from '../../src/load/index.ts'
import { type SectionName, sections } from '../../src/load/language/index.ts'

/**
 * The editor schema and the reference print the default of a key, and the compiler applies it. A runbook that writes
 * the default out must compile to the same plan as one without the key.
 */
type Build = (keys: JsonObject, key: string) => JsonObject

const read = { id: 'one', uses: 'rum/application/infos', with: { application_ids: ['a'] } }
const branches = [{ id: 'left', uses: 'core/log', with: { message: 'hi' } }]
const document = (keys: JsonObject): JsonObject => ({
  apiVersion: 'opsbook/v1',
  name: 'a',
  steps: [read],
  ...keys,
})
const step = (keys: JsonObject): JsonObject => document({ steps: [{ ...read, ...keys }] })
const trigger = (keys: JsonObject): JsonObject => document({ triggers: [keys] })

/** A runbook with a section, of which these keys are written out. */
const runbooks: Partial<Record<SectionName, Build>> = {
  step: (keys, key) =>
    key === 'on-branch-error'
      ? document({ steps: [{ id: 'all', parallel: branches, ...keys }] })
      : step(keys),
  'for-each': (keys) => step({ 'for-each': { items: [1, 2], ...keys } }),
  retry: (keys) => step({ retry: keys }),
  throttle: (keys) => step({ throttle: keys }),
  repeat: (keys) => step({ repeat: { until: '${{ has(outputs.items) }}', ...keys } }),
  catch: (keys) => step({ catch: [{ errors: ['all'], steps: branches, ...keys }] }),
  concurrency: (keys) => document({ concurrency: { key: 'one', ...keys } }),
  trigger: (keys) => trigger({ type: 'schedule', every: '6h', ...keys }),
  // Both keys are required; a trigger without the section has the defaults of both.
  'max-starts': (keys) =>
    trigger({
      type: 'incident',
      hook: 'alerts',
      ...(Object.keys(keys).length === 0 ? {} : { 'max-starts': { count: 20, per: '10m', ...keys } }),
    }),
}

const cases = Object.values(sections).flatMap(({ name, keys }) =>
  keys.flatMap(({ key, default: value }) => (value === undefined ? [] : [{ name, key, value }])),
)

describe('the default of a key is the one that the compiler applies', () => {
  it.each(cases)('$name $key', ({ name, key, value }) => {
    const build = runbooks[name]
    if (!build) throw new Error(`add a runbook with the section "${name}" to this test`)
    expect(planOf(build({ [key]: value }, key))).toEqual(planOf(build({}, key)))
  })
})

function planOf(runbook: JsonObject): JsonValue {
  const { plan, diagnostics } = loadRunbook(stringify(runbook), createActions())
  if (!plan) throw new Error(JSON.stringify(diagnostics))
  const { hash: _, text: __, ...rest } = JSON.parse(JSON.stringify(plan))
  return rest
}
