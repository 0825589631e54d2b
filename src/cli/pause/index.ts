/** `opsbook pause` and `opsbook unpause`. */
import { CommandError } from '../command-error.ts'
import type { PauseFlags } from '../commands/pause.ts'
import type { CommandContext } from '../context.ts'
import { withEngine } from '../engine/with-engine.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { readWho } from '../read-who.ts'
import { findStanding } from '../record/find-run.ts'
import { tellDone } from '../terminal/tell-done.ts'

/** Pauses a run that another process carries out, or lets it go on. */
export function pause(
  context: CommandContext,
  kind: 'pause' | 'unpause',
  given: string,
  options: PauseFlags,
): Promise<ExitCode> {
  const who = readWho(options)
  return withEngine(context, options, async (engine) => {
    const { run_id: runId, status } = await findStanding(given, engine)
    const isPaused = status === 'paused'
    if (isPaused === (kind === 'pause')) {
      const message = isPaused ? `${runId} is paused already` : `${runId} is not paused: it is ${status}`
      throw new CommandError(exitCodes.usage, message)
    }
    if (!(await engine.requestControl(runId, { kind, ...who }))) {
      throw new CommandError(exitCodes.usage, `${runId} is ${status}: no process carries it out`, {
        hints: [`"opsbook show ${runId}" says how to go on`],
      })
    }
    const text = kind === 'pause' ? 'is paused; what is in flight ends' : 'goes on'
    tellDone(context, options, {
      document: { run_id: runId, status: kind === 'pause' ? 'paused' : 'running' },
      text: `${runId} ${text}`,
      next: kind === 'pause' ? `unpause ${runId}` : `watch ${runId}`,
    })
    return exitCodes.succeeded
  })
}
