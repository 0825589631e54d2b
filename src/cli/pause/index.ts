/** `opsbook pause` and `opsbook unpause`. */
import { controlRun } from '../../acts/control/index.ts'
import { readWho, type WhoFlags } from '../../acts/index.ts'
import { withEngine } from '../../project/engine/index.ts'
import type { EngineFlags } from '../../project/index.ts'
import { findRunState } from '../../project/records/index.ts'
import { answerDone, type CommandContext } from '../shared/context.ts'
import type { OutputFlags } from '../shared/options.ts'

/** The flags of `pause` and `unpause`, as the parser hands them over. */
export interface PauseFlags extends WhoFlags, EngineFlags, OutputFlags {}

/** Pauses or continues a run that another process executes. */
export function pause(
  context: CommandContext,
  kind: 'pause' | 'unpause',
  given: string,
  options: PauseFlags,
): Promise<void> {
  const who = readWho(options)
  return withEngine(context, options, async (engine) => {
    const run = await findRunState(given, engine)
    const { run_id: runId } = await controlRun(run, { kind, ...who }, engine)
    const text = kind === 'pause' ? 'is paused; calls in flight end' : 'continues'
    answerDone(context, options, {
      document: { run_id: runId, status: kind === 'pause' ? 'paused' : 'running' },
      text: `${runId} ${text}`,
      next: kind === 'pause' ? `unpause ${runId}` : `watch ${runId}`,
    })
  })
}
