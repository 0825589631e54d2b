import { bareAction } from '../../core/action.ts'
import type { RunStatus, StepStatus } from '../../core/events.ts'
import { type CallbackAddresses, callbackHook, callbackNames } from '../../core/hooks/index.ts'
import type { CallRequest } from '../../core/host/index.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Question } from '../../core/people/index.ts'
import { callingSteps, type Plan } from '../../core/plan/index.ts'
import { createPlanIndex, plannedAction } from '../../core/record/index.ts'
import type { ErrorData } from '../../core/run-error.ts'
import { playRun } from '../host/play-run.ts'
import type { ScriptedAction, ScriptedReply, ScriptedWorld, WorldAnswer } from '../host/scripted-world.ts'
import { NothingHappens } from '../host/virtual-clock.ts'
import { answerOfRecording, inputAsShown } from '../recording/find-recorded.ts'
import type { RecordedRun } from './recorded-run.ts'

/** What a plan meets: the recorded results, as far as there are any. */
export interface RecordedWorld {
  /** Undefined: the journal holds no such call. */
  call(request: CallRequest): WorldAnswer | undefined
  /** The replies to a question. Undefined: the journal holds no such question. */
  people(question: Question): readonly ScriptedReply[] | undefined
}

/** A call of a walk. */
export interface WalkedCall {
  readonly request: CallRequest
  readonly isWrite: boolean
  /** The arguments as records show them. */
  readonly shown: JsonObject
}

/** Something of a plan that the journal does not hold. Nothing that follows from it can be known. */
export type OpenPoint =
  | ({ readonly kind: 'call' } & WalkedCall)
  | { readonly kind: 'question'; readonly question: Question }

/** How a step or an item ended. */
export interface WalkedEnd {
  readonly status: StepStatus
  readonly error?: ErrorData
}

/** The way of a plan through a recorded world. */
export interface RehearsalWalk {
  readonly calls: readonly WalkedCall[]
  readonly questions: readonly Question[]
  /** By the paths of steps and items. */
  readonly ends: ReadonlyMap<string, WalkedEnd>
  readonly open: readonly OpenPoint[]
  /** Left out: the run stands still at what is open. */
  readonly end?: { readonly status: RunStatus; readonly error?: ErrorData; readonly outputs?: JsonObject }
}

/** Walks a plan through the world of a recorded run, in virtual time. Nothing is sent. */
export async function walkRun(
  plan: Plan,
  inputs: JsonObject,
  { run }: RecordedRun,
  world: RecordedWorld,
  known: readonly ScriptedAction[],
): Promise<RehearsalWalk> {
  const index = createPlanIndex(plan)
  const calls: WalkedCall[] = []
  const questions: Question[] = []
  const ends = new Map<string, WalkedEnd>()
  const open: OpenPoint[] = []
  const note = (request: CallRequest): WalkedCall => {
    const isWrite = (plannedAction(index, request)?.safety ?? 'create') !== 'read'
    const call = { request, isWrite, shown: inputAsShown(index, request) }
    calls.push(call)
    return call
  }
  const answer = (request: CallRequest): WorldAnswer | Promise<WorldAnswer> => {
    const call = note(request)
    const held = world.call(request) ?? (request.action === 'core/write' ? answerOfRecording({}) : undefined)
    if (held) return held
    open.push({ kind: 'call', ...call })
    return never()
  }
  const scripted: ScriptedWorld = {
    actions: knownActions(plan, known).map((action) => ({
      ...action,
      // A recorded result came in time: only a limit that the plan names can be another one.
      defaultTimeoutMs: Number.POSITIVE_INFINITY,
    })),
    answer,
    people(_path, question) {
      questions.push(question)
      const replies = world.people(question)
      if (replies) return replies
      open.push({ kind: 'question', question })
      return never()
    },
    async listen(request) {
      const { result, takesMs } = await answer(request)
      return { result, takesMs }
    },
    ...(run.started_by ? { startedBy: run.started_by } : {}),
    onEvent(event) {
      if (event.type === 'step_finished' || event.type === 'item_finished') {
        const { path, status } = event
        const error = 'error' in event ? event.error : undefined
        ends.set(path, { status, ...(error ? { error } : {}) })
      }
    },
  }
  const startMs = Date.parse(run.started_at)
  const walked = { calls, questions, ends, open }
  try {
    const { seen } = await playRun(plan, inputs, scripted, {
      startMs,
      facts: {
        id: run.run_id,
        callbacks: callbacksOf(plan, run.run_id),
        url: `https://console.test/runs/${run.run_id}`,
      },
      cancel: cancelTimes(run, startMs),
    })
    const { status, error, outputs } = seen
    return { ...walked, end: { status, ...(error ? { error } : {}), ...(outputs ? { outputs } : {}) } }
  } catch (error) {
    if (error instanceof NothingHappens) return walked
    throw error
  }
}

/** Of an action that is not known here, the plan says enough: it is never called. */
export function knownActions(plan: Plan, known: readonly ScriptedAction[]): readonly ScriptedAction[] {
  const names = new Set(known.map(({ name }) => name))
  const more = new Map<string, ScriptedAction>()
  for (const { uses } of callingSteps(plan)) {
    const { name, safety } = uses.action
    if (!names.has(name)) more.set(name, bareAction(name, safety))
  }
  return [...known, ...more.values()]
}

/** Leaves a call or a question open: the run never gets a result. */
function never(): Promise<never> {
  return new Promise(() => {})
}

/** When the run was cancelled: what was asked for before its last resume, or was never obeyed, has no effect. */
function cancelTimes(
  { control_requests: requests, resumes = [], status }: RecordedRun['run'],
  startMs: number,
): readonly number[] {
  const resumedMs = Date.parse(resumes.at(-1)?.at ?? '') || 0
  return requests.flatMap(({ kind, at, taken_at }) => {
    if (kind !== 'cancel' && kind !== 'cancel-now') return []
    // Workers keep no time of it.
    const takenAt = taken_at ?? (status === 'succeeded' ? undefined : at)
    if (takenAt === undefined || Date.parse(at) < resumedMs) return []
    const afterMs = Math.max(Date.parse(takenAt) - startMs, 0)
    return kind === 'cancel-now' ? [afterMs, afterMs] : [afterMs]
  })
}

/** The tokens of the addresses are gone; both walks see the same ones. */
function callbacksOf(plan: Plan, runId: string): CallbackAddresses {
  return Object.fromEntries(
    callbackNames(plan).map((name) => [name, `https://callbacks.test/${callbackHook(runId, name)}`]),
  )
}
