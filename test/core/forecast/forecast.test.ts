import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createActions } from '../../../src/actions/index.ts'
import type { Calls } from '../../../src/core/forecast/calls.ts'
import { type Forecast, forecastPlan } from '../../../src/core/forecast/forecast-plan.ts'
import type {
  ArgumentForecast,
  CatchForecast,
  StepForecast,
} from '../../../src/core/forecast/step-forecast.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { loadRunbook } from '../../../src/load/index.ts'

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
  readonly values?: Readonly<Record<string, string>>
  readonly problems?: readonly string[]
  readonly totals?: JsonObject
  /** Action, risk and calls. */
  readonly actions?: readonly string[]
  readonly approvals?: readonly string[]
  readonly secrets?: JsonObject
}

const folder = new URL('../../cases/forecast/', import.meta.url)
const actions = createActions()

for (const file of readdirSync(folder)) {
  const cases = parse(readFileSync(new URL(file, folder), 'utf8')) as readonly Case[]
  describe(`forecast/${file}`, () => {
    it.each(cases)('$name', (expected) => {
      const forecast = forecastOf(expected)
      const steps = everyStep(forecast)
      expect(steps.map(stepText)).toEqual(expected.steps)
      const values = steps.flatMap(({ path, uses }) =>
        (uses?.arguments ?? []).map((argument) => [`${path}.${argument.name}`, valueText(argument)] as const),
      )
      expect(Object.fromEntries(values)).toMatchObject(expected.values ?? {})
      expect(forecast.problems.map(({ path }) => path)).toEqual(expected.problems ?? [])
      if (expected.totals) expect(totalsOf(forecast)).toEqual(expected.totals)
      const ofActions = forecast.totals.actions.map(
        ({ action, risk, calls }) => `${action} ${risk} ${callsText(calls)}`,
      )
      if (expected.actions) expect(ofActions).toEqual(expected.actions)
      const approvals = forecast.totals.approvals.map(
        ({ path, isCertain }) => `${path} ${isCertain ? 'certain' : 'perhaps'}`,
      )
      expect(approvals).toEqual(expected.approvals ?? [])
      const secrets = forecast.totals.secrets.map((secret) => [secret.name, secret.steps] as const)
      expect(Object.fromEntries(secrets)).toEqual(expected.secrets ?? {})
    })
  })
}

function forecastOf({ runbook, children = {}, inputs = {}, missing = [], accounts = {} }: Case): Forecast {
  const readRunbook = (path: string): string | undefined => children[path]
  const { plan, diagnostics } = loadRunbook(runbook, actions, { readRunbook })
  if (!plan) throw new Error(JSON.stringify(diagnostics))
  return forecastPlan({
    plan,
    inputs,
    missingInputs: missing,
    actions,
    countedFor: (connection = '') => ({ account: accounts[connection] ?? connection, key: connection }),
  })
}

type Parts = Pick<Forecast, 'steps' | 'catch' | 'finally'>

function everyStep({ steps, finally: cleanUp, catch: caught }: Parts): readonly StepForecast[] {
  const handlers = caught.flatMap((entry: CatchForecast) => entry.steps)
  return [...steps, ...cleanUp, ...handlers].flatMap((step) => [
    step,
    ...(step.uses?.child ? everyStep(step.uses.child) : []),
    ...everyStep(step),
  ])
}

function stepText({ path, runs, calls, shortestMs }: StepForecast): string {
  return `${path} ${runs} ${callsText(calls)}${shortestMs ? ` ${shortestMs}` : ''}`
}

function callsText({ least, most }: Calls): string {
  return least === most ? String(least) : `${least}..${most ?? ''}`
}

function valueText(argument: ArgumentForecast): string {
  if (argument.state === 'known') return `known ${JSON.stringify(argument.value)}`
  if (argument.state === 'open') return `open ${argument.needs.join(' ')}`
  return argument.state === 'secret' ? `secret ${argument.secret}` : argument.state
}

function totalsOf({ totals }: Forecast): JsonObject {
  const byRisk = Object.entries(totals.byRisk).filter(([, calls]) => calls.most !== 0)
  const text = (calls: Calls): string | number =>
    calls.least === calls.most ? calls.least : callsText(calls)
  return {
    calls: text(totals.calls),
    ...Object.fromEntries(byRisk.map(([risk, calls]) => [risk, text(calls)])),
    least_ms: totals.leastMs,
    whole_ms: totals.wholeMs,
  }
}
