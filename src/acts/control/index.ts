/** Control requests to the process that executes a run: `cancel`, `cancel-now`, `pause` and `unpause`. */
import { answererText } from '../../core/people/index.ts'
import type { ControlKind, RunState } from '../../core/record/index.ts'
import { RunbookError } from '../../core/run-error.ts'
import { type Controlled, maskDocument } from '../../documents/index.ts'
import type { Engine } from '../../engine/index.ts'
import { CommandError } from '../../project/index.ts'
import { findRun, maskOf } from '../../project/records/index.ts'
import { Outdated } from '../outdated.ts'
import type { Who } from '../read-who.ts'

/** A control request. */
export interface ControlAct extends Who {
  readonly kind: ControlKind
  /** How many control requests of the run were shown. Left out: it is sent whatever was sent before. */
  readonly shown?: number
}

/** No process executes the run: nobody would do what is requested. */
export class NotExecuted extends CommandError {}

/**
 * Sends a control request to the process that executes a run. One that another person has sent since the run was shown
 * refuses it: a second "cancel" aborts the clean-up, and nobody may do that by mistake.
 */
export async function controlRun(run: RunState, act: ControlAct, engine: Engine): Promise<Controlled> {
  const { kind, shown, ...who } = act
  const { run_id, control_requests } = run
  try {
    if (shown !== undefined && control_requests.length !== shown) throw sentSince(run)
    if (kind === 'pause' || kind === 'unpause') refusePause(kind, run)
    if (await engine.requestControl(run_id, { kind, ...who })) return { run_id, kind, by: who.by }
    throw notExecuted(run, act)
  } catch (error) {
    if (shown === undefined || !isRefusal(error)) throw error
    throw await outdated(error, run_id, engine)
  }
}

function sentSince({ run_id, control_requests }: RunState): CommandError {
  const last = control_requests.at(-1)
  const what = last === undefined ? '' : `: "${last.kind}" by ${answererText(last.by)}`
  return new CommandError('usage', `${run_id} was sent another request since it was shown${what}`)
}

/** Refuses to pause a paused run, and to continue one that is not paused. */
function refusePause(kind: 'pause' | 'unpause', { run_id, status }: RunState): void {
  const isPaused = status === 'paused'
  if (isPaused !== (kind === 'pause')) return
  const message = isPaused ? `${run_id} is already paused` : `${run_id} is not paused: it is ${status}`
  throw new CommandError('usage', message)
}

function notExecuted({ run_id, status }: RunState, { kind, shown }: ControlAct): NotExecuted {
  const hints = kind.startsWith('cancel')
    ? [`"opsbook cancel ${run_id}" cancels it in a terminal`]
    : // A page shows how to continue.
      shown === undefined
      ? [`"opsbook show ${run_id}" shows how to continue`]
      : []
  return new NotExecuted('usage', `${run_id} is ${status}: no process executes it`, { hints })
}

function isRefusal(error: unknown): error is CommandError | RunbookError {
  return error instanceof CommandError || (RunbookError.is(error) && error.code === 'InvalidInput')
}

/** The refusal, with where the run stands now. */
async function outdated(
  error: CommandError | RunbookError,
  runId: string,
  engine: Engine,
): Promise<Outdated> {
  const run = await findRun(runId, engine, { isWithoutSteps: true })
  const mask = await maskOf(run, engine)
  const { status, control_requests } = run
  const next = error instanceof CommandError ? error.hints.join('\n') : (error.next ?? '')
  const now = maskDocument(mask, { run_id: runId, status, control_requests })
  return new Outdated({ code: 'InvalidInput', message: mask.text(error.message), next }, { run: now })
}
