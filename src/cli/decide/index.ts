/** `opsbook decide`: settles what nobody knew, and goes on with the run. */

import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { identityText } from '../../core/record/identity.ts'
import { createPlanIndex } from '../../core/record/plan-index.ts'
import { shellWord } from '../../core/shell-word.ts'
import type { DecisionRecord, RunRecord, UndecidedCall } from '../../engine/embedded/index.ts'
import { CommandError } from '../command-error.ts'
import type { DecideFlags } from '../commands/decide.ts'
import { readRunConfiguration } from '../configuration/index.ts'
import { type CommandContext, tell } from '../context.ts'
import { withEngine } from '../engine/with-engine.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { parseValue } from '../inputs/parse-value.ts'
import { readWho } from '../read-who.ts'
import { findRun, refuseVagueLatest } from '../record/find-run.ts'
import { resume } from '../resume/index.ts'
import { printableLine } from '../terminal/printable.ts'
import { outputProblems } from './output-problems.ts'
import { outputsRead } from './outputs-read.ts'

/** Records a decision, and carries the run on once nothing else of it is in doubt. */
export async function decide(
  context: CommandContext,
  place: { readonly run: string; readonly step: string },
  options: DecideFlags,
): Promise<ExitCode> {
  const { as: decision } = options
  const who = readWho(options)
  const outputs = readOutputs(options)
  // Before anything is recorded.
  if (options.resume) await readRunConfiguration(context.io)
  return withEngine(context, options, async (engine) => {
    await refuseVagueLatest(place.run, engine, ['unknown'])
    const run = await findRun(place.run, engine)
    const { run_id: runId } = run
    const undecided = await engine.readUndecided(run)
    if (decision === 'succeeded') await checkOutputs(context, run, undecided, place.step, outputs)
    if (engine.kind === 'temporal' && options.resume) {
      const { refuseLocal } = await import('../resume/refuse-local.ts')
      refuseLocal(options)
    }
    const verdict = { decision, ...who, ...(outputs === undefined ? {} : { outputs }) }
    const rest = await engine.decideOutcome(runId, place.step, verdict)
    const earlier = corrected(run, undecided, place.step)
    const instead =
      earlier === undefined
        ? ''
        : `; until now as ${earlier.decision} by ${printableLine(identityText(earlier.by))}`
    tell(
      context,
      `${printableLine(place.step)} of ${runId}: decided as ${decision} by ${printableLine(identityText(who.by))}${instead}`,
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

/** The decision that another one takes the place of. */
function corrected(
  { decisions, plan }: RunRecord,
  undecided: readonly UndecidedCall[],
  step: string,
): DecisionRecord | undefined {
  if (undecided.some((call) => call.path === step || call.step === step)) return undefined
  const index = createPlanIndex(plan)
  const isMeant = (path: string): boolean => path === step || index.ownerOf(path)?.step.id === step
  return decisions.findLast(({ path, decision }) => decision !== 'cancelled' && isMeant(path))
}

/** Refuses outputs that the steps after it could not work with. */
async function checkOutputs(
  context: CommandContext,
  run: RunRecord,
  undecided: readonly UndecidedCall[],
  step: string,
  outputs: JsonObject | undefined,
): Promise<void> {
  const { run_id: runId, plan } = run
  const call =
    undecided.find(({ path }) => path === step) ??
    undecided.find((one) => one.step === step) ??
    corrected(run, undecided, step)
  const decided = call && createPlanIndex(plan).ownerOf(call.path)?.step
  if (decided?.kind !== 'uses' || (outputs === undefined && !decided.isRead)) return
  const { loadDescriptions } = await import('../load-actions.ts')
  const called = decided.uses.action.name
  const action = (await loadDescriptions(context.io)).find(({ name }) => name === called)
  const problems = action ? outputProblems(outputs ?? {}, action) : []
  const read = action ? outputsRead(plan, decided, action) : []
  const missing = read.filter((name) => !Object.hasOwn(outputs ?? {}, name))
  if (outputs !== undefined && problems.length === 0 && missing.length === 0) return
  const wrong =
    problems.length > 0
      ? `--outputs is not what ${called} answers: ${problems.join('; ')}`
      : `later steps read ${read.length === 0 ? 'what' : `${read.join(', ')} of what`} ${call?.path} answered: ${
          outputs === undefined ? 'say it with --outputs' : `--outputs lacks ${missing.join(', ')}`
        }`
  throw new CommandError(exitCodes.usage, wrong, {
    hints: [
      `"opsbook actions ${called}" shows its outputs; "opsbook show ${runId}" how to find them out`,
      ...(missing.length === 0 ? [] : ['give null for one that cannot be found out any more']),
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
    .map(({ path }) => `  opsbook decide ${runId} ${shellWord(printableLine(path))} --as …`)
  return ['More of it is in doubt; the run goes on once all of it is decided:', ...commands, ...more]
}
