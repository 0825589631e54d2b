import type { CommandRules, HttpRules } from '../../../actions/index.ts'
import type { ConnectionLimit, RateLimit } from '../../../core/action.ts'
import type { Template } from '../../../core/expressions/index.ts'
import { type KnownScope, templateEntriesOf, unknown } from '../../../core/expressions/index.ts'
import { type AnswerPolicy, type People, policyProblem } from '../../../core/people/index.ts'
import type { Plan, Tolerance, TriggerPlan } from '../../../core/plan/index.ts'
import {
  type CatchPreview,
  type Preview,
  previewValue,
  type RunbookPreview,
  type StepPreview,
  type UsesPreview,
} from '../../../core/preview/index.ts'
import type {
  CatchDocument,
  LimitDocument,
  OutsideDocument,
  PlanDocument,
  RunbookPlanDocument,
  StepDocument,
  ToleranceDocument,
  TotalsDocument,
  TriggerDocument,
  TriggerInput,
  UsesDocument,
  ValueDocument,
} from '../../../documents/index.ts'
import { nextStarts, type Schedule } from '../../../triggers/schedules/index.ts'
import type { PlanInputs } from './read-plan-inputs.ts'

/** Further facts that the document shows. */
export interface PlanSource {
  readonly nowMs: number
  readonly http: HttpRules
  readonly commands: CommandRules
  readonly people: People
  readonly notChecked: PlanDocument['not_checked']
  /** Only with `--sandbox`. */
  readonly outside?: OutsideDocument
}

/** The preview of a plan as the document that is printed. */
export function toDocument(
  plan: Plan,
  inputs: PlanInputs,
  preview: Preview,
  { nowMs, http, commands, people, notChecked, outside }: PlanSource,
): PlanDocument {
  const { concurrency } = plan
  return {
    version: 1,
    runbook: plan.name,
    ...(plan.title === undefined ? {} : { title: plan.title }),
    ...(notChecked.length === 0 ? { plan_hash: plan.hash } : {}),
    inputs: inputs.list,
    triggers: triggerDocuments(plan.triggers, nowMs),
    ...(concurrency === undefined || preview.concurrencyKey === undefined
      ? {}
      : {
          concurrency: {
            key: preview.concurrencyKey,
            limit: concurrency.limit,
            on_conflict: concurrency.onConflict,
          },
        }),
    ...(plan.timeoutMs === undefined ? {} : { timeout_ms: plan.timeoutMs }),
    ...(calls(preview, 'core/http')
      ? { http: { allow: http.allow ?? null, deny_private: http.denyPrivate === true } }
      : {}),
    ...(calls(preview, 'core/command')
      ? { commands: { local: commands.local === true, ssh: commands.ssh ?? [] } }
      : {}),
    ...(outside === undefined ? {} : { outside }),
    ...runbookDocument(preview),
    totals: totalsDocument(preview, people),
    not_checked: notChecked,
    problems: preview.problems,
  }
}

function calls({ totals }: Preview, name: string): boolean {
  return totals.actions.some(({ action }) => action === name)
}

function runbookDocument(runbook: RunbookPreview): RunbookPlanDocument {
  return {
    steps: runbook.steps.map(stepDocument),
    finally: runbook.finally.map(stepDocument),
  }
}

function stepDocument(step: StepPreview): StepDocument {
  const { loop, turns, uses } = step
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
    ...(turns === undefined
      ? {}
      : {
          repeat: {
            at_most: turns.atMost,
            until: turns.until,
            interval_ms: turns.intervalMs,
            calls_per_turn: turns.callsPerTurn,
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
    catch: step.catch.map(catchDocument),
    ...(step.branches === undefined
      ? {}
      : { branches: step.branches.map((branch) => ({ ...branch, steps: branch.steps.map(stepDocument) })) }),
  }
}

function catchDocument({ errors, when, steps, keepsFailure }: CatchPreview): CatchDocument {
  return {
    errors: errors === 'all' ? ['all'] : errors,
    ...(when === undefined ? {} : { when }),
    steps: steps.map(stepDocument),
    ...(keepsFailure ? { keeps_failure: true } : {}),
  }
}

function totalsDocument({ totals }: Preview, people: People): TotalsDocument {
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
    approvals: totals.approvals.map(
      ({ path, message, isCertain: certain, from, timeout, onTimeout, covers }) => ({
        path,
        ...(message === undefined ? {} : { message }),
        certain,
        ...(from?.state === 'known' ? policyDocument(from.value as AnswerPolicy, people) : {}),
        ...(timeout === undefined ? {} : { timeout }),
        ...(onTimeout === undefined ? {} : { on_timeout: onTimeout }),
        ...(covers === undefined ? {} : { covers }),
      }),
    ),
    secrets: totals.secrets,
  }
}

/** Who may answer, and why no one can. */
function policyDocument(
  from: AnswerPolicy,
  people: People,
): { readonly from: AnswerPolicy; readonly unanswerable?: string } {
  const problem = policyProblem(from, people)
  return { from, ...(problem === undefined ? {} : { unanswerable: problem }) }
}

/** The call of an action in the document. */
function usesDocument(uses: UsesPreview): UsesDocument {
  const { connection, limit, batch, saveAs, retry, attemptTimeoutMs, repeat, sensitive } = uses
  return {
    action: uses.action,
    risk: uses.risk,
    ...(connection === undefined ? {} : { connection }),
    ...(limit === undefined ? {} : { limits: limitDocument(limit) }),
    arguments: uses.arguments,
    ...(batch === undefined ? {} : { batch }),
    ...(saveAs === undefined ? {} : { save_as: saveAs }),
    ...(sensitive === undefined ? {} : { sensitive }),
    retry: {
      attempts: retry.attempts,
      ...(retry.errors === undefined ? {} : { errors: retry.errors }),
      ...(retry.except === undefined ? {} : { except: retry.except }),
      ...(retry.when === undefined ? {} : { when: retry.when }),
    },
    tolerate: toleranceDocument(uses.tolerate),
    ...(attemptTimeoutMs === undefined ? {} : { attempt_timeout_ms: attemptTimeoutMs }),
    ...(repeat === undefined
      ? {}
      : { repeat: { until: repeat.until, interval_ms: repeat.intervalMs, max_wait_ms: repeat.maxWaitMs } }),
    ...(uses.listen === undefined ? {} : { listen: uses.listen }),
    expect: uses.expect,
    secrets: uses.secrets,
  }
}

function limitDocument({ per, perSecond, perMinute, perDay }: RateLimit | ConnectionLimit): LimitDocument {
  return {
    per,
    ...(perSecond === undefined ? {} : { per_second: perSecond }),
    ...(perMinute === undefined ? {} : { per_minute: perMinute }),
    ...(perDay === undefined ? {} : { per_day: perDay }),
  }
}

/** As a runbook writes it. */
function toleranceDocument(tolerance: Tolerance): ToleranceDocument {
  return typeof tolerance === 'object' ? `${tolerance.percent}%` : tolerance
}

type Incident = TriggerPlan & { readonly type: 'incident' }

const shownStarts = 5

/** The triggers of a runbook in the document. */
export function triggerDocuments(
  triggers: readonly TriggerPlan[] | undefined,
  nowMs: number,
): readonly TriggerDocument[] {
  return (triggers ?? []).map((trigger) =>
    trigger.type === 'incident' ? incidentDocument(trigger) : scheduleDocument(trigger, nowMs),
  )
}

function incidentDocument({
  hook,
  where,
  dedupeKey,
  cooldown,
  maxStarts,
  with: given,
}: Incident): TriggerDocument {
  const scope: KnownScope = { event: unknown }
  const value = (template: Template): ValueDocument => previewValue(template, scope)
  return {
    type: 'incident',
    ...(hook === undefined ? {} : { hook }),
    ...(where === undefined ? {} : { where: where.source }),
    ...(dedupeKey === undefined ? {} : { dedupe_key: value(dedupeKey) }),
    ...(cooldown === undefined
      ? {}
      : { cooldown: { for_ms: cooldown.forMs, ...(cooldown.key ? { key: value(cooldown.key) } : {}) } }),
    max_starts: { count: maxStarts.count, per_ms: maxStarts.perMs },
    inputs: inputsOf(given, scope),
  }
}

function scheduleDocument(schedule: Schedule, nowMs: number): TriggerDocument {
  const { cron, everyMs, timezone, overlap, catchUpMs } = schedule
  return {
    type: 'schedule',
    ...(cron === undefined ? {} : { cron }),
    ...(everyMs === undefined ? {} : { every_ms: everyMs }),
    timezone,
    overlap,
    catch_up_ms: catchUpMs,
    next: nextStarts(schedule, nowMs, shownStarts).map((time) => new Date(time).toISOString()),
    inputs: inputsOf(schedule.with, {}),
  }
}

/** The inputs that a trigger gives; under an empty name if one expression makes all of them. */
function inputsOf(given: Template | undefined, scope: KnownScope): readonly TriggerInput[] {
  if (given === undefined) return []
  const isMap = given.kind === 'object' || given.kind === 'literal'
  const entries = isMap ? templateEntriesOf(given) : [['', given] as const]
  return entries.map(([name, template]) => ({ name, ...previewValue(template, scope) }))
}
