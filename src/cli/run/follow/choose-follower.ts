import type { Logger } from 'pino'
import type { Mask } from '../../../core/mask/mask.ts'
import type { CommandContext } from '../../context.ts'
import type { ViewOptions } from '../open-views.ts'
import { type Follower, silentFollower } from './follower.ts'
import type { LiveRunState } from './run-state.ts'

/**
 * Who shows the run: a live view on a terminal, plain lines elsewhere, log lines where the answer is for a
 * program. Only one of them, so that nothing is told twice.
 */
export async function chooseFollower(
  { quiet, output, note }: ViewOptions & { readonly note: string },
  state: LiveRunState,
  context: CommandContext,
  mask: Mask,
  logger: Logger | undefined,
): Promise<Follower> {
  const { io, errorPaint } = context
  if (logger) return (await import('./event-log.ts')).createEventLog(logger, state.items)
  if (quiet) return silentFollower
  const isTerminal = io.stderr.isTTY === true && io.env['TERM'] !== 'dumb'
  // Two things written to one screen at the same time would tear each other.
  if (output === 'ndjson' && io.stdout.isTTY) return silentFollower
  if (isTerminal) return (await import('./live-view.ts')).createLiveView(state, io, errorPaint, mask, note)
  return (await import('./plain-lines.ts')).createPlainLines(state, (text) => io.stderr.write(text), mask)
}
