import type { Logger } from 'pino'
import type { TimedRunEvent } from '../../core/events.ts'
import type { JsonObject } from '../../core/json.ts'
import type { RunHandle, RunReport } from '../../engine/embedded/index.ts'
import { CommandError } from '../command-error.ts'
import type { RunOptions } from '../commands/run.ts'
import { answer, answerJson, type CommandContext } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { chooseLogLevel } from '../log-level.ts'
import { createLogger } from '../logger.ts'
import { exitCodeOfRun } from '../run-exit-code.ts'
import { createMask, type Mask } from '../terminal/mask.ts'
import { chooseSymbols } from '../terminal/symbols.ts'
import { chooseFollower } from './follow/choose-follower.ts'
import type { Follower } from './follow/follower.ts'
import { createRunState, type RunState } from './follow/run-state.ts'
import { reportLines } from './report/report-lines.ts'
import { handleStopSignals } from './stop-signals.ts'

/** Where a run that is being started tells what happens. */
export interface RunListeners {
  readonly onEvent: (event: TimedRunEvent) => void
  readonly logger: Logger | undefined
}

/** What the views need to know about a run before it starts. */
export interface RunFacts {
  /** In no output of any kind. */
  readonly appKey: string
  /** The actions that make something new. */
  readonly creating: ReadonlySet<string>
}

/** Starts a run, shows it while it goes on, obeys signals, and answers when it has ended. */
export async function followRun(
  context: CommandContext,
  options: RunOptions,
  { appKey, creating }: RunFacts,
  start: (listeners: RunListeners) => Promise<RunHandle>,
): Promise<ExitCode> {
  const { io } = context
  const keyMask = createMask([appKey])
  const fullMask = createMask([appKey])
  const textMask = options.reveal ? keyMask : fullMask
  const state = createRunState({ creating })
  const isForProgram = options.output !== 'text' && io.stderr.isTTY !== true && !options.quiet
  const level = chooseLogLevel(context, isForProgram ? 'info' : 'silent')
  const logger = await createLogger(level, io, fullMask, () => ({ run: state.runId }))
  const follower = await chooseFollower(options, state, context, textMask, logger)
  const onEvent = (event: TimedRunEvent): void => {
    if (event.type === 'step_finished') fullMask.learn(event.outputs, event.sensitive ?? [])
    state.take(event)
    follower.take(event)
    if (options.output === 'ndjson' && event.type !== 'run_finished') writeLine(context, event, keyMask)
  }
  const report = await untilEnd(context, follower, state, () => start({ onEvent, logger }))
  writeAnswer(context, options, report, state, options.output === 'text' ? textMask : keyMask)
  const { status, error } = report
  return exitCodeOfRun({ status, errorCode: error?.code, wasAnswered: state.wasAnswered })
}

async function untilEnd(
  { io }: CommandContext,
  follower: Follower,
  state: RunState,
  start: () => Promise<RunHandle>,
): Promise<RunReport> {
  let handle: RunHandle | undefined
  let isStopped = false
  const forgetSignals = handleStopSignals(io, {
    onStop() {
      follower.say('stopping at the next safe point; Ctrl-C again leaves at once')
      isStopped = true
      handle?.interrupt()
    },
    onLeave: () => follower.end({ isKept: true }),
  })
  try {
    handle = await start()
    if (isStopped) handle.interrupt()
    return await handle.result.catch((cause: unknown) => {
      throw journalLost(cause, state)
    })
  } finally {
    forgetSignals()
    // Where the report goes to the same screen, it takes the place of the live view.
    follower.end({ isKept: io.stdout.isTTY !== true })
  }
}

/** A run stops where its journal cannot be written. Its report is lost with it, what it did is not. */
function journalLost(cause: unknown, { runId, steps }: RunState): CommandError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const ended = steps.filter(({ status }) => status === 'succeeded').map(({ path }) => path)
  return new CommandError(
    exitCodes.environment,
    `the journal could not be written, so the run stopped: ${reason}`,
    {
      hints: [
        `done, and stays done: ${ended.length === 0 ? 'nothing' : ended.join(', ')} (${runId ?? 'no run id'})`,
        'make space in the data directory, or name another one with --data-dir',
      ],
      cause,
    },
  )
}

function writeAnswer(
  context: CommandContext,
  { output }: RunOptions,
  report: RunReport,
  state: RunState,
  mask: Mask,
): void {
  if (output === 'text') {
    const style = { paint: context.paint, symbols: chooseSymbols(context.io.env) }
    answer(
      context,
      reportLines(report, state, {
        ...style,
        mask,
        width: context.io.stdout.columns,
        now: Date.now(),
        flags: '',
      }),
    )
  } else if (output === 'json') answerJson(context, mask.value(report as unknown as JsonObject))
  else writeLine(context, { type: 'run_finished', ...report }, mask)
}

function writeLine(context: CommandContext, document: object, mask: Mask): void {
  answer(context, JSON.stringify(mask.value(document as JsonObject)))
}
