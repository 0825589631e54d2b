/** `opsbook pause` and `opsbook unpause`. */

import type { RunState } from '../../core/record/index.ts'
import { withEngine } from '../../project/engine/index.ts'
import { CommandError, type EngineFlags } from '../../project/index.ts'
import { findRunState } from '../../project/records/index.ts'
import { answerDone, type CommandContext } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import type { OutputFlags } from '../shared/options.ts'

import { readWho, type WhoFlags } from '../shared/read-who.ts'

/** The flags of `pause` and `unpause`, as the parser hands them over. */
export interface PauseFlags extends WhoFlags, EngineFlags, OutputFlags {}

/** Pauses or continues a run that another process executes. */
export function pause(
  context: CommandContext,
  kind: 'pause' | 'unpause',
  given: string,
  options: PauseFlags,
): Promise<ExitCode> {
  const who = readWho(options)
  return withEngine(context, options, async (engine) => {
    const run = await findRunState(given, engine)
    const { run_id: runId, status } = run
    refusePause(kind, run)
    if (!(await engine.requestControl(runId, { kind, ...who }))) {
      throw new CommandError('usage', `${runId} is ${status}: no process executes it`, {
        hints: [`"opsbook show ${runId}" shows how to continue`],
      })
    }
    const text = kind === 'pause' ? 'is paused; calls in flight end' : 'continues'
    answerDone(context, options, {
      document: { run_id: runId, status: kind === 'pause' ? 'paused' : 'running' },
      text: `${runId} ${text}`,
      next: kind === 'pause' ? `unpause ${runId}` : `watch ${runId}`,
    })
    return exitCodes.succeeded
  })
}

/** Refuses to pause a paused run, and to continue one that is not paused. */
export function refusePause(
  kind: 'pause' | 'unpause',
  { run_id: runId, status }: Pick<RunState, 'run_id' | 'status'>,
): void {
  const isPaused = status === 'paused'
  if (isPaused !== (kind === 'pause')) return
  const message = isPaused ? `${runId} is already paused` : `${runId} is not paused: it is ${status}`
  throw new CommandError('usage', message)
}
