import type { HttpRules } from '../../actions/index.ts'
import type { Forecast } from '../../core/forecast/forecast-plan.ts'
import type { CatchForecast, RunbookForecast, StepForecast } from '../../core/forecast/step-forecast.ts'
import type { Plan } from '../../core/plan.ts'
import type {
  CatchDocument,
  InputDocument,
  OutsideDocument,
  PlanDocument,
  RunbookDocument,
  StepDocument,
  TotalsDocument,
} from './document.ts'
import type { PlanInputs } from './read-plan-inputs.ts'
import { triggerDocuments } from './trigger-documents.ts'
import { limitDocument, toleranceDocument, usesDocument } from './uses-document.ts'

/** What else is known when a plan is shown. */
export interface PlanFacts {
  readonly nowMs: number
  readonly http: HttpRules
  readonly notChecked: PlanDocument['not_checked']
  /** Left out: the run would use no sandbox. */
  readonly outside?: OutsideDocument
}

/** The forecast of a plan as the document that is printed. */
export function toDocument(
  plan: Plan,
  inputs: PlanInputs,
  forecast: Forecast,
  { nowMs, http, notChecked, outside }: PlanFacts,
): PlanDocument {
  const { concurrency } = plan
  return {
    version: 1,
    runbook: plan.name,
    ...(plan.title === undefined ? {} : { title: plan.title }),
    ...(notChecked.length === 0 ? { plan_hash: plan.hash } : {}),
    inputs: inputs.list.map((input): InputDocument => {
      const { name, type, isRequired: required, state, value } = input
      return { name, type, required, state, ...(value === undefined ? {} : { value }) }
    }),
    triggers: triggerDocuments(plan.triggers, nowMs),
    ...(concurrency === undefined || forecast.concurrencyKey === undefined
      ? {}
      : { concurrency: { key: forecast.concurrencyKey, on_conflict: concurrency.onConflict } }),
    ...(plan.timeoutMs === undefined ? {} : { timeout_ms: plan.timeoutMs }),
    ...(sendsHttp(forecast)
      ? { http: { allow: http.allow ?? null, deny_private: http.denyPrivate === true } }
      : {}),
    ...(outside === undefined ? {} : { outside }),
    ...runbookDocument(forecast),
    totals: totalsDocument(forecast),
    not_checked: notChecked,
    problems: forecast.problems,
  }
}

function sendsHttp({ totals }: Forecast): boolean {
  return totals.actions.some(({ action }) => action === 'core/http')
}

function runbookDocument(runbook: RunbookForecast): RunbookDocument {
  return {
    steps: runbook.steps.map(stepDocument),
    catch: runbook.catch.map(catchDocument),
    finally: runbook.finally.map(stepDocument),
  }
}

function stepDocument(step: StepForecast): StepDocument {
  const { loop, uses } = step
  return {
    path: step.path,
    id: step.id,
    ...(step.name === undefined ? {} : { name: step.name }),
    kind: step.kind,
    runs: step.runs,
    ...(step.condition === undefined ? {} : { condition: step.condition }),
    ...(loop === undefined
      ? {}
      : {
          for_each: {
            items: loop.items,
            count: loop.count,
            as: loop.as,
            max_parallel: loop.maxParallel,
            tolerate: toleranceDocument(loop.tolerate),
            calls_per_item: loop.callsPerItem,
          },
        }),
    ...(uses === undefined
      ? {}
      : { uses: { ...usesDocument(uses), ...(uses.child ? { child: runbookDocument(uses.child) } : {}) } }),
    calls: step.calls,
    ...(step.shortestMs === undefined ? {} : { shortest_ms: step.shortestMs }),
    ...(step.timeoutMs === undefined ? {} : { timeout_ms: step.timeoutMs }),
    continue_on_error: step.continueOnError,
    ...(step.maxParallel === undefined ? {} : { max_parallel: step.maxParallel }),
    ...runbookDocument(step),
  }
}

function catchDocument({ errors, steps }: CatchForecast): CatchDocument {
  return { errors: errors === 'all' ? ['all'] : errors, steps: steps.map(stepDocument) }
}

function totalsDocument({ totals }: Forecast): TotalsDocument {
  return {
    calls: totals.calls,
    calls_by_risk: totals.byRisk,
    actions: totals.actions.map(({ action, connection, risk, limit, calls }) => ({
      action,
      ...(connection === undefined ? {} : { connection }),
      risk,
      ...(limit === undefined ? {} : { limits: limitDocument(limit) }),
      calls,
    })),
    shortest_ms: totals.leastMs,
    shortest_if_every_condition_holds_ms: totals.wholeMs,
    approvals: totals.approvals.map(({ path, message, isCertain: certain }) => ({
      path,
      ...(message === undefined ? {} : { message }),
      certain,
    })),
    secrets: totals.secrets,
  }
}
