/** `opsbook decide`: settles what nobody knew, and goes on with the run. */
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { createPlanIndex } from '../../core/record/plan-index.ts'
import { decideOutcome, type RunRecord, type UndecidedCall } from '../../engine/embedded/index.ts'
import { CommandError } from '../command-error.ts'
import type { DecideFlags } from '../commands/decide.ts'
import { type CommandContext, tell } from '../context.ts'
import { withEngine } from '../engine/with-engine.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { parseValue } from '../inputs/parse-value.ts'
import { readWho } from '../read-who.ts'
import { findRun } from '../record/find-run.ts'
import { resume } from '../resume/index.ts'
import { printableLine } from '../terminal/printable.ts'
import { outputProblems } from './output-problems.ts'

/** Records a decision, and carries the run on once nothing else of it is in doubt. */
export function decide(
  context: CommandContext,
  place: { readonly run: string; readonly step: string },
  options: DecideFlags,
): Promise<ExitCode> {
  const { as: decision } = options
  const who = readWho(options)
  const outputs = readOutputs(options)
  return withEngine(context, options, async (engine, dataDir) => {
    const run = await findRun(place.run, engine)
    const { run_id: runId } = run
    if (decision === 'succeeded')
      await checkOutputs(context, run, await engine.readUndecided(run), place.step, outputs)
    if (engine.kind === 'temporal') {
      const { decideOnTemporal } = await import('./decide-on-temporal.ts')
      const verdict = { decision, ...who, ...(outputs === undefined ? {} : { outputs }) }
      return decideOnTemporal(context, run, place.step, verdict, options)
    }
    const rest = await decideOutcome({
      dataDir,
      runId,
      step: place.step,
      decision,
      ...who,
      ...(outputs === undefined ? {} : { outputs }),
    })
    tell(
      context,
      `${printableLine(place.step)} of ${runId}: decided as ${decision} by ${printableLine(who.by)}`,
    )
    if (rest.length > 0) {
      tell(context, restLines(rest, runId))
      return exitCodes.undecided
    }
    if (options.resume) return resume(context, runId, options)
    tell(context, ['The run goes on with:', `  opsbook resume ${runId}`])
    return exitCodes.succeeded
  })
}

/** What nobody can correct later is looked at now: the steps after it go on with these outputs. */
async function checkOutputs(
  context: CommandContext,
  { run_id: runId, plan }: RunRecord,
  undecided: readonly UndecidedCall[],
  step: string,
  outputs: JsonObject | undefined,
): Promise<void> {
  const call = undecided.find(({ path }) => path === step) ?? undecided.find((one) => one.step === step)
  const isRead = call && createPlanIndex(plan).ownerOf(call.path)?.step.isRead === true
  if (!call || (outputs === undefined && !isRead)) return
  const { loadDescriptions } = await import('../load-actions.ts')
  const action = (await loadDescriptions(context.io)).find(({ name }) => name === call.action)
  const problems = action ? outputProblems(outputs ?? {}, action) : []
  if (outputs !== undefined && problems.length === 0) return
  const wrong =
    outputs === undefined
      ? `later steps read what ${call.path} answered: say it with --outputs`
      : `--outputs is not what ${call.action} answers: ${problems.join('; ')}`
  throw new CommandError(exitCodes.usage, wrong, {
    hints: [
      `"opsbook actions ${call.action}" shows its outputs; "opsbook show ${runId}" how to find them out`,
    ],
  })
}

function readOutputs({ as: decision, outputs }: DecideFlags): JsonObject | undefined {
  if (outputs === undefined) return undefined
  if (decision !== 'succeeded') {
    throw new CommandError(exitCodes.usage, `--outputs goes with "--as succeeded", not with "${decision}"`)
  }
  const parsed = parseValue(outputs)
  if ('problem' in parsed) {
    throw new CommandError(exitCodes.usage, `--outputs cannot be read: ${parsed.problem}`, {
      hints: [`such as --outputs '{"application_id": "app_1"}'`],
    })
  }
  if (!isJsonObject(parsed.value))
    throw new CommandError(exitCodes.usage, '--outputs must be a map, such as {}')
  return parsed.value
}

const named = 10

function restLines(rest: readonly UndecidedCall[], runId: string): readonly string[] {
  const more = rest.length > named ? [`  … and ${rest.length - named} more`] : []
  const commands = rest
    .slice(0, named)
    .map(({ path }) => `  opsbook decide ${runId} ${printableLine(path)} --as …`)
  return ['More of it is in doubt; the run goes on once all of it is decided:', ...commands, ...more]
}
