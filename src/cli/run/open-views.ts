import type { Logger } from 'pino'
import type { ErrorCode } from '../../core/errors.ts'
import type { RunStatus, TimedRunEvent } from '../../core/events.ts'
import { createMask, type Mask } from '../../core/mask/index.ts'
import type { Plan } from '../../core/plan/index.ts'
import { isExecuted } from '../../core/record/index.ts'
import { maskDocument, publicEvent, publicJson } from '../../documents/index.ts'
import { withEngine } from '../../project/engine/index.ts'
import { connectionCodes, localCodes } from '../../project/errors/index.ts'
import type { EngineFlags } from '../../project/index.ts'
import { isOfInputs, learnFromEvent, readUnknownOutcomes } from '../../project/records/index.ts'
import { createRunTree, type LiveRunTree, type RunTree, runFacts } from '../../view/run/index.ts'
import { answer, answerJson, type CommandContext } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import { chooseLogLevel, createLogger } from '../shared/logger.ts'
import type { FollowFlags, ViewOptions } from '../shared/options.ts'
import { type Follower, silentFollower } from './follow/follower.ts'
import { reportLines } from './report/report-lines.ts'
import { type ReportedRun, type ReportOptions, reportOptions } from './report/reported-run.ts'

/** Adds unresolved calls from the record to a run. If the record cannot be read, the report leaves them out. */
async function withUnknownOutcomes(
  context: CommandContext,
  flags: EngineFlags,
  run: ReportedRun,
): Promise<ReportedRun> {
  if (run.status !== 'unknown' && run.status !== 'cancelled' && run.status !== 'failed') return run
  try {
    return await withEngine(context, flags, async (engine) => {
      const record = await engine.readRun(run.run_id)
      if (record?.status !== run.status) return run
      const { control_requests } = record
      const outcomes = await readUnknownOutcomes(record, engine, context.io)
      return outcomes.length === 0 ? run : { ...run, control_requests, unknown_outcomes: outcomes }
    })
  } catch {
    return run
  }
}

/** Facts about a run that its views need before its first event. */
export interface ViewFacts {
  /** Masked in all output. */
  readonly appKey?: string
  readonly plan: Plan
  /** The run is resumed, whether its earlier events are recalled or not. */
  readonly hasBegun?: true | 'cancelled'
  /** What the user of a live view can do. */
  readonly note?: string
}

/** Everything that shows a run, during its execution and at its end. */
export interface RunViews {
  readonly state: RunTree
  readonly follower: Follower
  /** Masks what text output must not show. */
  readonly mask: Mask
  /** Masks also what `--reveal` shows, for text that leaves this machine. */
  readonly secretMask: Mask
  readonly logger: Logger | undefined
  /** Shows an event. */
  take(event: TimedRunEvent): void
  /** Masks a secret in all output from now on. */
  hide(secret: string): void
  /** Takes an earlier event without showing it. */
  recall(event: TimedRunEvent): void
  /** Writes the report of the run, and returns the exit code. */
  end(run: ReportedRun): Promise<ExitCode>
}

/** Opens the views that the flags ask for. */
export async function openViews(
  context: CommandContext,
  options: FollowFlags,
  facts: ViewFacts,
): Promise<RunViews> {
  const { io } = context
  const secrets = facts.appKey === undefined ? [] : [facts.appKey]
  const keyMask = createMask(secrets)
  const fullMask = createMask(secrets)
  const mask = options.reveal ? keyMask : fullMask
  const everyMask = {
    hide(secret: string) {
      for (const one of [keyMask, fullMask]) one.hide(secret)
    },
  }
  const state = createRunTree({
    ...runFacts(facts.plan),
    approvesAll: options.yes === true,
    hasBegun: facts.hasBegun ?? false,
    mask,
  })
  const isForProgram = options.output !== 'text' && io.stderr.isTTY !== true && !options.quiet
  const level = chooseLogLevel(context, isForProgram ? 'info' : 'silent')
  const logger = await createLogger(level, io, fullMask, () => ({ run: state.runId }))
  const follower = await chooseFollower(
    { ...options, note: facts.note ?? 'Ctrl-C stops' },
    state,
    context,
    mask,
    logger,
  )
  const recall = (event: TimedRunEvent): void => {
    // Inputs that the runbook marks as sensitive are secrets: --reveal does not show them either.
    learnFromEvent(isOfInputs(event) ? everyMask : fullMask, event)
    state.take(event)
  }
  return {
    state,
    follower,
    mask,
    secretMask: fullMask,
    logger,
    recall,
    hide: everyMask.hide,
    take(event) {
      recall(event)
      follower.take(event)
      const isLine = options.output === 'ndjson' && event.type !== 'run_finished'
      if (isLine) writeLine(context, publicEvent(event, state.items), keyMask)
    },
    async end(ended) {
      const run = await withUnknownOutcomes(context, options, ended)
      if (options.output === 'text') writeReport(context, options, run, state, { mask, revealMask: keyMask })
      else if (options.output === 'json')
        answerJson(context, maskDocument(keyMask, publicJson(run, state.items)))
      else writeLine(context, publicJson({ type: 'run_finished', ...run }, state.items), keyMask)
      return exitCodeOf(run, state)
    },
  }
}

/**
 * Chooses how the run is shown: a live view on a terminal, plain lines elsewhere, log lines where the answer is for a
 * program. Only one of them, so that nothing is shown twice.
 */
async function chooseFollower(
  { quiet, output, note }: ViewOptions & { readonly note: string },
  state: LiveRunTree,
  context: CommandContext,
  mask: Mask,
  logger: Logger | undefined,
): Promise<Follower> {
  const { io, errorPaint } = context
  if (logger) return (await import('./follow/event-log.ts')).createEventLog(logger, state.items)
  if (quiet) return silentFollower
  const isTerminal = io.stderr.isTTY === true && io.env['TERM'] !== 'dumb'
  // A live view and lines of JSON on one screen would break each other.
  if (output === 'ndjson' && io.stdout.isTTY) return silentFollower
  if (isTerminal)
    return (await import('./follow/live-view.ts')).createLiveView(state, io, errorPaint, mask, note)
  const { createPlainLines } = await import('./follow/plain-lines.ts')
  return createPlainLines(state, (text) => io.stderr.write(text), mask)
}

function writeReport(
  context: CommandContext,
  options: ViewOptions,
  run: ReportedRun,
  state: RunTree,
  masks: Pick<ReportOptions, 'mask' | 'revealMask'>,
): void {
  answer(context, reportLines(run, state, reportOptions(context, state.items, masks, options)))
}

function exitCodeOf({ status, error }: ReportedRun, { wasAnswered }: RunTree): ExitCode {
  // An open run is reported only after the user detached.
  if (isExecuted(status)) return exitCodes.interrupted
  return exitCodeOfRun(status, error?.code, wasAnswered)
}

function writeLine(context: CommandContext, document: object, mask: Mask): void {
  answer(context, JSON.stringify(maskDocument(mask, document)))
}

/**
 * The exit code of a run. A rejection counts like a cancellation. A run without any answer because of its connection, or
 * that could not write its files, failed because of its environment. Every other failure is one of the run.
 */
function exitCodeOfRun(status: RunStatus, errorCode: ErrorCode | undefined, wasAnswered: boolean): ExitCode {
  if (status !== 'failed') return exitCodes[status === 'unknown' ? 'unresolved' : status]
  if (errorCode === undefined) return exitCodes.failed
  if (errorCode === 'ApprovalRejected') return exitCodes.cancelled
  if (localCodes.includes(errorCode)) return exitCodes.environment
  return !wasAnswered && connectionCodes.includes(errorCode) ? exitCodes.environment : exitCodes.failed
}
