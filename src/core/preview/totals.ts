import type { CoversFinder, PlannedCovers } from '../approval/plan-covers.ts'
import { grouped } from '../group.ts'
import type { Calls, LimitPreview, Risk, RunbookPreview, StepPreview, ValuePreview } from './step-preview.ts'
import { type ActionUsage, callsIn, type Usage } from './walk-context.ts'

/** The calls of one action and risk over one connection, and the limit they share. */
export interface ActionTotal extends ActionUsage {
  readonly limits?: LimitPreview
}

/** A person is asked. */
export interface ApprovalTotal {
  /** Path of the step. */
  readonly path: string
  readonly message?: ValuePreview
  /** Who may answer. Left out: anyone. */
  readonly from?: ValuePreview
  /** How long the step waits, and what it does then. Left out: it waits for ever. */
  readonly timeout?: ValuePreview
  readonly on_timeout?: ValuePreview
  /** The writes that a yes covers. */
  readonly covers?: PlannedCovers
  /** Asked in any case, as long as nothing fails. */
  readonly certain: boolean
}

/** A secret is read. */
export interface SecretTotal {
  readonly name: string
  /** Paths of the steps that read it. */
  readonly steps: readonly string[]
}

export interface Totals {
  readonly calls: Calls
  /** Calls by what they can do. */
  readonly calls_by_risk: Readonly<Record<Exclude<Risk, 'local'>, Calls>>
  readonly actions: readonly ActionTotal[]
  /** The shortest time with the steps that are certain, in milliseconds. */
  readonly shortest_ms: number
  /** The same if every open condition held. Items that are not known yet are in neither. */
  readonly shortest_if_every_condition_holds_ms: number
  readonly approvals: readonly ApprovalTotal[]
  readonly secrets: readonly SecretTotal[]
}

/** What the steps of a runbook come to. */
export function totalsOf(
  runbook: RunbookPreview,
  usage: readonly Usage[],
  time: Pick<Totals, 'shortest_ms' | 'shortest_if_every_condition_holds_ms'>,
  covers?: CoversFinder,
): Totals {
  const all = everyStep(runbook, true)
  const calls = (risk: Risk): Calls => callsIn(usage, (one) => one.risk === risk)
  return {
    calls: callsIn(usage),
    calls_by_risk: { read: calls('read'), idempotent: calls('idempotent'), create: calls('create') },
    actions: actionTotals(usage, all),
    ...time,
    approvals: all.flatMap((one) => approvalOf(one, covers)),
    secrets: secretTotals(all),
  }
}

interface FoundStep {
  readonly step: StepPreview
  /** Done in any case, as long as nothing fails. */
  readonly isCertain: boolean
}

function everyStep(
  parts: RunbookPreview & Partial<Pick<StepPreview, 'catch'>>,
  isCertain: boolean,
): readonly FoundStep[] {
  const inside = (steps: readonly StepPreview[], isSure: boolean): readonly FoundStep[] =>
    steps.flatMap((step) => {
      if (step.runs === 'no') return []
      const sure =
        isSure && step.runs === 'yes' && step.for_each?.count !== null && step.for_each?.count !== 0
      const child = step.uses?.child === undefined ? [] : everyStep(step.uses.child, sure)
      const branches = (step.branches ?? []).flatMap(({ steps, runs }) =>
        runs === 'no' ? [] : inside(steps, sure && runs === 'yes'),
      )
      return [{ step, isCertain: sure }, ...everyStep(step, sure), ...branches, ...child]
    })
  return [
    ...inside([...parts.steps, ...parts.finally], isCertain),
    ...(parts.catch ?? []).flatMap(({ steps }) => inside(steps, false)),
  ]
}

function actionTotals(usage: readonly Usage[], all: readonly FoundStep[]): readonly ActionTotal[] {
  const groups = new Map(everyUsage(usage).map((one) => [groupOf(one), one]))
  return [...groups].map(([group, { calls: _, ...named }]) => {
    const isOne = ({ step: { uses } }: FoundStep): boolean =>
      uses?.action === named.action && uses.connection === named.connection
    const limits = all.find(isOne)?.step.uses?.limits
    const calls = callsIn(usage, (one) => groupOf(one) === group)
    return { ...named, ...(limits === undefined ? {} : { limits }), calls }
  })
}

function groupOf({ action, connection, risk }: ActionUsage): string {
  return JSON.stringify([action, connection, risk])
}

function everyUsage(usage: readonly Usage[]): readonly ActionUsage[] {
  return usage.flatMap((one) => ('either' in one ? one.either.flatMap(everyUsage) : [one]))
}

function approvalOf({ step, isCertain }: FoundStep, covers?: CoversFinder): readonly ApprovalTotal[] {
  if (step.uses?.action !== 'core/approve' && step.uses?.action !== 'core/ask') return []
  const given = new Map(step.uses.arguments.map(({ name, ...value }) => [name, value]))
  const [message, from, timeout, onTimeout] = ['message', 'from', 'timeout', 'on-timeout'].map((name) =>
    given.get(name),
  )
  return [
    {
      path: step.path,
      ...(message ? { message } : {}),
      certain: isCertain,
      ...(from ? { from } : {}),
      ...(timeout ? { timeout, ...(onTimeout ? { on_timeout: onTimeout } : {}) } : {}),
      ...(covers ? { covers: covers.coversOf(step.path) } : {}),
    },
  ]
}

/** A step that calls an action. */
export interface CallingStep {
  readonly path: string
  readonly action: string
}

/** The steps that call an action, or may call it: not those that are certain to be skipped. */
export function callingPreviews(runbook: RunbookPreview): readonly CallingStep[] {
  return everyStep(runbook, true).flatMap(({ step: { path, uses } }) =>
    uses === undefined ? [] : [{ path, action: uses.action }],
  )
}

/** The names of the secrets that a run reads, or may read: not those of steps that are certain to be skipped. */
export function secretsRead(runbook: RunbookPreview): readonly string[] {
  return secretTotals(everyStep(runbook, true)).map(({ name }) => name)
}

function secretTotals(all: readonly FoundStep[]): readonly SecretTotal[] {
  const read = all.flatMap(({ step }) => (step.uses?.secrets ?? []).map((name) => [name, step.path] as const))
  return [...grouped(read)].map(([name, paths]) => ({ name, steps: paths }))
}
