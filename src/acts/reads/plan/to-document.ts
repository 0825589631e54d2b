import type { CommandRules, HttpRules } from '../../../actions/index.ts'
import type { Template } from '../../../core/expressions/index.ts'
import { type KnownScope, templateEntriesOf, unknown } from '../../../core/expressions/index.ts'
import { type AnswerPolicy, type People, policyProblem } from '../../../core/people/index.ts'
import type { Plan, TriggerPlan } from '../../../core/plan/index.ts'
import { type Preview, previewValue, type ValuePreview } from '../../../core/preview/index.ts'
import type {
  OutsideDocument,
  PlanDocument,
  TotalsDocument,
  TriggerDocument,
  TriggerInput,
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
    steps: preview.steps,
    finally: preview.finally,
    totals: totalsDocument(preview, people),
    not_checked: notChecked,
    problems: preview.problems,
  }
}

function calls({ totals }: Preview, name: string): boolean {
  return totals.actions.some(({ action }) => action === name)
}

function totalsDocument({ totals }: Preview, people: People): TotalsDocument {
  return {
    ...totals,
    approvals: totals.approvals.map(({ path, message, certain, from, ...late }) => ({
      path,
      ...(message === undefined ? {} : { message }),
      certain,
      ...(from?.state === 'known' ? policyDocument(from.value as AnswerPolicy, people) : {}),
      ...late,
    })),
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
  const value = (template: Template): ValuePreview => previewValue(template, scope)
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
