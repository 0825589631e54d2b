import type { Logger } from 'pino'
import type { TimedRunEvent } from '../../core/events.ts'
import type { JsonObject } from '../../core/json.ts'
import { createMask, type Mask } from '../../core/mask/mask.ts'
import type { Plan } from '../../core/plan.ts'
import { isCarriedOut } from '../../core/record/run-record.ts'
import type { EngineFlags } from '../commands/options.ts'
import { placeFlags } from '../configuration/place-flags.ts'
import { answer, answerJson, type CommandContext } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { chooseLogLevel } from '../log-level.ts'
import { createLogger } from '../logger.ts'
import { learnFromEvent } from '../record/learn-secrets.ts'
import { exitCodeOfRun } from '../run-exit-code.ts'
import { chooseSymbols } from '../terminal/symbols.ts'
import { chooseFollower } from './follow/choose-follower.ts'
import type { Follower } from './follow/follower.ts'
import { runFacts } from './follow/run-facts.ts'
import { createRunState, type RunState } from './follow/run-state.ts'
import { publicEvent, publicJson } from './public-json.ts'
import { reportLines } from './report/report-lines.ts'
import type { ReportedRun } from './report/reported-run.ts'

/** The flags that say how a run is shown. */
export interface ViewOptions extends EngineFlags {
  readonly output: 'text' | 'json' | 'ndjson'
  readonly reveal?: boolean
  readonly quiet?: boolean
}

/** What the views need to know of a run before they see it. */
export interface ViewFacts {
  /** In no output of any kind. */
  readonly appKey?: string
  readonly plan: Plan
  /** Nobody is waited for. */
  readonly approvesAll?: boolean
  /** What the person at a live view can do. */
  readonly note?: string
}

/** Everything that shows a run: while it goes on, and when it has ended. */
export interface RunViews {
  readonly state: RunState
  readonly follower: Follower
  /** Hides in text what is not to be shown. */
  readonly mask: Mask
  /** Hides it in what leaves this machine, whatever is to be revealed here. */
  readonly secretMask: Mask
  readonly logger: Logger | undefined
  /** Shows what happens. */
  take(event: TimedRunEvent): void
  /** From now on this is in no output of any kind. */
  hide(secret: string): void
  /** Takes in what happened before anybody looked. */
  recall(event: TimedRunEvent): void
  /** Writes the answer, and says what the exit code is. */
  end(run: ReportedRun): ExitCode
}

/** Opens the views that the flags ask for. */
export async function openViews(
  context: CommandContext,
  options: ViewOptions,
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
  const state = createRunState({ ...runFacts(facts.plan), approvesAll: facts.approvesAll === true, mask })
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
    // Inputs that the runbook marks as sensitive are secrets: also --reveal does not show them.
    learnFromEvent(event.type === 'run_started' ? everyMask : fullMask, event)
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
    end(run) {
      if (options.output === 'text') writeReport(context, options, run, state, mask)
      else if (options.output === 'json') answerJson(context, keyMask.value(publicJson(run, state.items)))
      else writeLine(context, publicJson({ type: 'run_finished', ...run }, state.items), keyMask)
      return exitCodeOf(run, state)
    },
  }
}

function writeReport(
  context: CommandContext,
  options: ViewOptions,
  run: ReportedRun,
  state: RunState,
  mask: Mask,
): void {
  const { paint, io } = context
  const symbols = chooseSymbols(io.env)
  const width = io.stdout.columns
  const flags = placeFlags(options)
  answer(
    context,
    reportLines(run, state, {
      paint,
      symbols,
      mask,
      items: state.items,
      width,
      now: Date.now(),
      flags,
    }),
  )
}

function exitCodeOf({ status, error }: ReportedRun, { wasAnswered }: RunState): ExitCode {
  // Only somebody who stopped looking is told of a run that goes on.
  if (isCarriedOut(status)) return exitCodes.interrupted
  return exitCodeOfRun({ status, errorCode: error?.code, wasAnswered })
}

function writeLine(context: CommandContext, document: JsonObject, mask: Mask): void {
  answer(context, JSON.stringify(mask.value(document)))
}
