/** `opsbook cancel`: cancels a run through the process that executes it, or in its place. */

import { controlRun, NotExecuted } from '../../acts/control/index.ts'
import { readWho, type WhoFlags } from '../../acts/index.ts'
import type { ErrorCode } from '../../core/errors.ts'
import { hasCleanUp } from '../../core/plan/index.ts'
import { openStatuses } from '../../core/record/index.ts'
import { RunbookError } from '../../core/run-error.ts'
import { maskDocument, publicJson } from '../../documents/index.ts'
import { closeRun } from '../../engine/embedded/index.ts'
import type { Engine, OpenCall } from '../../engine/index.ts'
import type { ServiceChoice } from '../../project/connections/index.ts'
import { withEngine } from '../../project/engine/index.ts'
import type { EngineFlags } from '../../project/index.ts'
import {
  findRunState,
  maskOf,
  readItemNames,
  readUnknownOutcomes,
  refuseVagueLatest,
} from '../../project/records/index.ts'
import { printableLine } from '../../project/text/index.ts'
import { runTreeOf } from '../../view/run/index.ts'
import { resume } from '../resume/index.ts'
import { reportOptions } from '../run/report/reported-run.ts'
import { unknownOutcomeLines } from '../run/report/unknown-outcome-lines.ts'
import { answerDone, type CommandContext } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import type { OutputFlags } from '../shared/options.ts'

/** The flags of `cancel`, as the parser hands them over. */
export interface CancelFlags extends WhoFlags, ServiceChoice, EngineFlags, OutputFlags {
  readonly now?: boolean
}

/** Cancels a run. Returns when its process has the request, or at the end if no other process executes the run. */
export function cancel(context: CommandContext, given: string, options: CancelFlags): Promise<ExitCode> {
  const { now = false } = options
  const kind = now ? 'cancel-now' : 'cancel'
  const who = readWho(options)
  return withEngine(context, options, async (engine, dataDir) => {
    try {
      return await cancelRun(engine, dataDir)
    } catch (error) {
      if (!now || !engine.endAtServer || !isUnanswering(error)) throw error
      const { run_id: runId } = error.details
      const { calls, isResumable } = await engine.endAtServer(runId, { ...who, because: error.code })
      const label = await labelsOf(engine, runId, calls)
      answerDone(context, options, {
        document: {
          run_id: runId,
          status: 'interrupted',
          because: error.code,
          is_resumable: isResumable,
          open_calls: calls,
        },
        text: `${runId} was ended on the server without clean-up, since its workflow cannot answer (${error.code})${openText(calls, label)}${isResumable ? '' : '; it cannot be resumed'}`,
        ...(isResumable ? { next: `resume ${runId}` } : {}),
      })
      return exitCodes.succeeded
    }
  })

  async function cancelRun(engine: Engine, dataDir: string): Promise<ExitCode> {
    await refuseVagueLatest(given, engine, openStatuses)
    const state = await findRunState(given, engine)
    const { run_id: runId, control_requests } = state
    const isAgain = control_requests.some(
      ({ kind, over_at }) => kind.startsWith('cancel') && over_at === undefined,
    )
    const run = { dataDir, runId }
    const isRequested = async (): Promise<boolean> => {
      try {
        await controlRun(state, { ...who, kind }, engine)
      } catch (error) {
        if (error instanceof NotExecuted) return false
        throw error
      }
      // The request is recorded, whether or not the run can be read. No worker is asked: none may be there.
      const plan = await engine.readRun(runId, { isWithoutSteps: true, isUnasked: true }).then(
        (run) => run?.plan,
        () => undefined,
      )
      const isCleanedUp = plan === undefined || hasCleanUp(plan)
      answerDone(context, options, {
        document: { run_id: runId, status: 'cancelling' },
        text: `${runId} is being cancelled${isCleanedUp ? cleanUpText(now, isAgain) : ''}`,
        next: `watch ${runId}`,
      })
      return true
    }
    const inItsPlace = async (): Promise<ExitCode> => {
      // On Temporal a worker ends the run, also one without clean-up.
      if (!now || engine.kind === 'temporal') {
        const exitCode = await resume(context, runId, options, { ...who, kind })
        // Ending as cancelled is the requested result.
        return exitCode === exitCodes.cancelled ? exitCodes.succeeded : exitCode
      }

      await closeRun({ ...run, ...who })
      const left = await readLeft(context, runId, engine)
      answerDone(context, options, {
        document: {
          run_id: runId,
          status: 'cancelled',
          ...(left.outcomes.length === 0 ? {} : { unknown_outcomes: left.outcomes }),
        },
        text: `${runId} was cancelled without clean-up: no process executed it`,
        more: left.lines,
      })
      return exitCodes.succeeded
    }
    if (await isRequested()) return exitCodes.succeeded
    try {
      return await inItsPlace()
    } catch (error) {
      // Another process has claimed the run in the meantime: the request goes to that process.
      const isTaken = RunbookError.is(error) && error.code === 'RunInUse'
      if (isTaken && (await isRequested())) return exitCodes.succeeded
      throw error
    }
  }
}

/** An error about an open run that no worker can continue. */
type Unanswering = RunbookError & { readonly details: { readonly run_id: string } }

const unanswering: readonly ErrorCode[] = ['CodeCannotReplay', 'BuildIsGone']

function isUnanswering(error: unknown): error is Unanswering {
  if (!RunbookError.is(error) || !unanswering.includes(error.code)) return false
  return (error.details as { run_id?: unknown } | undefined)?.run_id !== undefined
}

/** Names the items of loops, where the run can still be read. */
async function labelsOf(
  engine: Engine,
  runId: string,
  calls: readonly OpenCall[],
): Promise<(path: string) => string> {
  const paths = calls.map(({ path }) => path)
  try {
    return (await readItemNames({ run_id: runId }, paths, engine)).label
  } catch {
    return (path) => path
  }
}

function openText(calls: readonly OpenCall[], label: (path: string) => string): string {
  if (calls.length === 0) return ''
  const named = calls.map(
    ({ path, action, safety }) => `${printableLine(label(path))} (${action}, ${safety})`,
  )
  return `; calls in flight, whose outcome is unknown: ${named.join(', ')}`
}

function cleanUpText(now: boolean, isAgain: boolean): string {
  if (now) return ', without clean-up'
  return isAgain
    ? ' for the second time: the rest of its clean-up is aborted'
    : '; its clean-up runs, and a second "cancel" would abort it'
}

/** Reads the calls of a cancelled run whose outcome is unknown: as documents and as text. */
async function readLeft(context: CommandContext, runId: string, engine: Engine) {
  const run = await engine.readRun(runId)
  if (!run) return { outcomes: [], lines: [] }
  const outcomes = await readUnknownOutcomes(run, engine, context.io)
  const mask = await maskOf(run, engine)
  const { items } = runTreeOf(run, await engine.readEvents(runId), mask)
  const report = reportOptions(context, items, { mask, revealMask: mask })
  return {
    outcomes: outcomes.map((one) => maskDocument(mask, publicJson(one, items))),
    lines: unknownOutcomeLines({ ...run, unknown_outcomes: outcomes }, report).map((line) => mask.text(line)),
  }
}
