import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createActions } from '../../../src/actions/index.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { type Preview, previewPlan } from '../../../src/core/preview/preview-plan.ts'
import type {
  ArgumentPreview,
  Calls,
  CatchPreview,
  StepPreview,
} from '../../../src/core/preview/step-preview.ts'
import { checkInputs, loadRunbook } from '../../../src/load/index.ts'
import { wholeRunbook } from '../../conformance/run-case.ts'

interface Case {
  readonly name: string
  readonly runbook: string
  /** The runbooks it runs, by path. */
  readonly children?: Readonly<Record<string, string>>
  readonly inputs?: JsonObject
  readonly missing?: readonly string[]
  /** The account of a connection, where it is not one of its own. */
  readonly accounts?: Readonly<Record<string, string>>
  readonly steps: readonly string[]
  /** The calls of one item, by the paths of loops. */
  readonly perItem?: Readonly<Record<string, string>>
  readonly values?: Readonly<Record<string, string>>
  /** Open values as they are shown. */
  readonly sources?: Readonly<Record<string, string>>
  readonly problems?: readonly string[]
  readonly totals?: JsonObject
  /** Action, risk and calls. */
  readonly actions?: readonly string[]
  readonly approvals?: readonly string[]
  readonly secrets?: JsonObject
}

const folder = new URL('../../cases/preview/', import.meta.url)
const actions = createActions()

for (const file of readdirSync(folder)) {
  const cases = parse(readFileSync(new URL(file, folder), 'utf8')) as readonly Case[]
  describe(`preview/${file}`, () => {
    it.each(cases)('$name', (expected) => {
      const preview = previewOf(expected)
      const steps = everyStep(preview)
      expect(steps.map(stepText)).toEqual(expected.steps)
      const perItem = steps.flatMap(({ path, for_each: loop }) =>
        loop === undefined ? [] : [[path, callsText(loop.calls_per_item)] as const],
      )
      expect(Object.fromEntries(perItem)).toMatchObject(expected.perItem ?? {})
      const values = steps.flatMap(({ path, uses }) =>
        (uses?.arguments ?? []).flatMap((argument) => valueTexts(path, argument)),
      )
      expect(Object.fromEntries(values)).toMatchObject(expected.values ?? {})
      const sources = steps.flatMap(({ path, uses }) =>
        (uses?.arguments ?? []).map((argument) => [`${path}.${argument.name}`, sourceOf(argument)] as const),
      )
      expect(Object.fromEntries(sources)).toMatchObject(expected.sources ?? {})
      expect(preview.problems.map(({ path }) => path)).toEqual(expected.problems ?? [])
      if (expected.totals) expect(totalsOf(preview)).toEqual(expected.totals)
      const ofActions = preview.totals.actions.map(
        ({ action, risk, calls }) => `${action} ${risk} ${callsText(calls)}`,
      )
      if (expected.actions) expect(ofActions).toEqual(expected.actions)
      const approvals = preview.totals.approvals.map(
        ({ path, certain }) => `${path} ${certain ? 'certain' : 'perhaps'}`,
      )
      expect(approvals).toEqual(expected.approvals ?? [])
      const secrets = preview.totals.secrets.map((secret) => [secret.name, secret.steps] as const)
      expect(Object.fromEntries(secrets)).toEqual(expected.secrets ?? {})
    })
  })
}

function previewOf({ runbook, children = {}, inputs = {}, missing = [], accounts = {} }: Case): Preview {
  const readRunbook = (path: string): string | undefined => children[path]
  const { plan, diagnostics } = loadRunbook(wholeRunbook(runbook), actions, { readRunbook })
  if (!plan) throw new Error(JSON.stringify(diagnostics))
  return previewPlan({
    plan,
    inputs,
    missingInputs: missing,
    actions,
    checkInputs,
    countedFor: (connection = '') => ({ account: accounts[connection] ?? connection, key: connection }),
  })
}

type Parts = Pick<Preview, 'steps' | 'finally'> & Partial<Pick<StepPreview, 'catch'>>

function everyStep({ steps, finally: cleanUp, catch: caught = [] }: Parts): readonly StepPreview[] {
  const handlers = caught.flatMap((entry: CatchPreview) => entry.steps)
  return [...steps, ...cleanUp, ...handlers].flatMap((step) => [
    step,
    ...(step.uses?.child ? everyStep(step.uses.child) : []),
    ...(step.branches ?? []).flatMap(({ steps: ofBranch }) => everyStep({ steps: ofBranch, finally: [] })),
    ...everyStep(step),
  ])
}

function stepText({ path, runs, calls, shortest_ms: shortestMs }: StepPreview): string {
  return `${path} ${runs} ${callsText(calls)}${shortestMs ? ` ${shortestMs}` : ''}`
}

function callsText({ least, most }: Calls): string {
  return least === most ? String(least) : `${least}..${most ?? ''}`
}

/** An argument by its path, and the members of a map of which something is known. */
function valueTexts(holder: string, argument: ArgumentPreview): readonly (readonly [string, string])[] {
  const path = `${holder}.${argument.name}`
  const members = argument.state === 'open' ? (argument.members ?? []) : []
  return [[path, valueText(argument)], ...members.flatMap((member) => valueTexts(path, member))]
}

function valueText(argument: ArgumentPreview): string {
  if (argument.state === 'known') return `known ${JSON.stringify(argument.value)}`
  if (argument.state === 'open') return `open ${argument.needs.join(' ')}`
  return argument.state === 'secret' ? `secret ${argument.secret}` : argument.state
}

function sourceOf(argument: ArgumentPreview): string | undefined {
  return argument.state === 'open' ? argument.source : undefined
}

function totalsOf({ totals }: Preview): JsonObject {
  const byRisk = Object.entries(totals.calls_by_risk).filter(([, calls]) => calls.most !== 0)
  const text = (calls: Calls): string | number =>
    calls.least === calls.most ? calls.least : callsText(calls)
  return {
    calls: text(totals.calls),
    ...Object.fromEntries(byRisk.map(([risk, calls]) => [risk, text(calls)])),
    least_ms: totals.shortest_ms,
    whole_ms: totals.shortest_if_every_condition_holds_ms,
  }
}
