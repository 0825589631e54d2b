/** `opsbook cancel`: ends a run, through the process that carries it out or in its place. */
import type { ErrorCode } from '../../core/errors.ts'
import { RunbookError } from '../../core/run-error.ts'
import { closeRun } from '../../engine/embedded/index.ts'
import type { Engine, OpenCall } from '../../engine/engine.ts'
import type { CancelFlags } from '../commands/cancel.ts'
import type { CommandContext } from '../context.ts'
import { withEngine } from '../engine/with-engine.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { readWho } from '../read-who.ts'
import { findStanding, refuseVagueLatest } from '../record/find-run.ts'
import { resume } from '../resume/index.ts'
import { tellDone } from '../terminal/tell-done.ts'

/** Cancels a run. Answers once that is under way, or done where no other process carries the run out. */
export function cancel(context: CommandContext, given: string, options: CancelFlags): Promise<ExitCode> {
  const { now = false } = options
  const who = readWho(options)
  return withEngine(context, options, async (engine, dataDir) => {
    try {
      return await cancelRun(engine, dataDir)
    } catch (error) {
      if (!now || !engine.endAtServer || !isUnanswering(error)) throw error
      const { run_id: runId } = error.details
      const { calls, isResumable } = await engine.endAtServer(runId, { ...who, because: error.code })
      tellDone(context, options, {
        document: {
          run_id: runId,
          status: 'interrupted',
          because: error.code,
          is_resumable: isResumable,
          open_calls: calls,
        },
        text: `${runId} is ended on the server, without its clean-up, since its workflow cannot answer (${error.code})${openText(calls)}${isResumable ? '' : '; it cannot be resumed'}`,
        ...(isResumable ? { next: `resume ${runId}` } : {}),
      })
      return exitCodes.succeeded
    }
  })

  async function cancelRun(engine: Engine, dataDir: string): Promise<ExitCode> {
    await refuseVagueLatest(given, engine, ['queued', 'running', 'waiting', 'paused'])
    const { run_id: runId, control_requests } = await findStanding(given, engine)
    const isAgain = control_requests.some(
      ({ kind, over_at }) => kind.startsWith('cancel') && over_at === undefined,
    )
    const run = { dataDir, runId }
    const isTold = async (): Promise<boolean> => {
      if (!(await engine.requestControl(runId, { ...who, kind: now ? 'cancel-now' : 'cancel' }))) return false
      tellDone(context, options, {
        document: { run_id: runId, status: 'cancelling' },
        text: `${runId} is being cancelled${cleanUpText(now, isAgain)}`,
        next: `watch ${runId}`,
      })
      return true
    }
    const inItsPlace = async (): Promise<ExitCode> => {
      if (!now) {
        const exitCode = await resume(context, runId, options, { cancel: who })
        // That it ends as cancelled is what was asked for.
        return exitCode === exitCodes.cancelled ? exitCodes.succeeded : exitCode
      }

      await closeRun({ ...run, ...who })
      tellDone(context, options, {
        document: { run_id: runId, status: 'cancelled' },
        text: `${runId} is cancelled, without its clean-up: no process carried it out`,
      })
      return exitCodes.succeeded
    }
    if (await isTold()) return exitCodes.succeeded
    try {
      return await inItsPlace()
    } catch (error) {
      // Somebody has taken the run up in between: it is their process that is to be told.
      const isTaken = RunbookError.is(error) && error.code === 'RunInUse'
      if (isTaken && (await isTold())) return exitCodes.succeeded
      throw error
    }
  }
}

/** An error that names an open run which no worker can answer for. */
type Unanswering = RunbookError & { readonly details: { readonly run_id: string } }

const unanswering: readonly ErrorCode[] = ['CodeCannotReplay', 'BuildIsGone']

function isUnanswering(error: unknown): error is Unanswering {
  if (!RunbookError.is(error) || !unanswering.includes(error.code)) return false
  return (error.details as { run_id?: unknown } | undefined)?.run_id !== undefined
}

function openText(calls: readonly OpenCall[]): string {
  if (calls.length === 0) return ''
  const named = calls.map(({ path, action, safety }) => `${path} (${action}, ${safety})`)
  return `; begun, and how it ended is not known: ${named.join(', ')}`
}

function cleanUpText(now: boolean, isAgain: boolean): string {
  if (now) return ', without its clean-up'
  return isAgain
    ? ' for the second time: what is left of its clean-up is given up'
    : '; its clean-up is carried out, and a second "cancel" would give that up'
}
