/** `opsbook decide`: resolves an unknown outcome, and resumes the run. */

import { corrected, type OutputsProblem, OutputsRefused, resolveOutcome } from '../../acts/decide/index.ts'
import { readWho, type WhoFlags } from '../../acts/index.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { identityText } from '../../core/people/index.ts'
import { shellWord } from '../../core/text/index.ts'
import { maskDocument, publicJson } from '../../documents/index.ts'
import type { Decision } from '../../engine/embedded/index.ts'
import { chooseCall } from '../../engine/record/index.ts'
import { parseValue } from '../../load/yaml/index.ts'
import { readRunConfiguration } from '../../project/configuration/index.ts'
import type { ServiceChoice } from '../../project/connections/index.ts'
import { withEngine } from '../../project/engine/index.ts'
import { CommandError } from '../../project/index.ts'
import {
  findRun,
  maskOf,
  outputsWords,
  readItemNames,
  readUnknownOutcomes,
  refuseVagueLatest,
} from '../../project/records/index.ts'
import { locationFlags, printableLine } from '../../project/text/index.ts'
import type { ItemNames } from '../../view/run/index.ts'
import { resume } from '../resume/index.ts'
import { refuseLocal } from '../resume/read-changes.ts'
import { answer, answerJson, type CommandContext, tell } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import type { FollowFlags } from '../shared/options.ts'

/** The flags of `decide`, as the parser hands them over. */
export interface DecideFlags extends WhoFlags, ServiceChoice, FollowFlags {
  readonly as: Decision
  readonly outputs?: string
  readonly replace?: boolean
  /** False with `--no-resume`. */
  readonly resume: boolean
}

/** Records a decision, and resumes the run once it has no other unknown outcome. */
export async function decide(
  context: CommandContext,
  runName: string,
  step: string,
  options: DecideFlags,
): Promise<ExitCode> {
  const { as: decision } = options
  const who = readWho(options)
  const outputs = readOutputs(options)
  // Before anything is recorded.
  if (options.resume) await readRunConfiguration(context.io)
  return withEngine(context, options, async (engine) => {
    await refuseVagueLatest(runName, engine, ['unknown'])
    const run = await findRun(runName, engine)
    const { run_id: runId } = run
    const unresolved = await engine.readUnresolvedCalls(run)
    const items = await readItemNames(run, [step, ...unresolved.map(({ path }) => path)], engine)
    const earlier = corrected(run, unresolved, step)
    // Fails as the engine would, with the names of items in the message.
    const call =
      earlier ??
      (unresolved.length > 0 ? chooseCall(unresolved, { runId, step }, run.status, items.label) : undefined)
    if (engine.kind === 'temporal' && options.resume) refuseLocal(options)
    const { left } = await resolveOutcome(
      run,
      {
        step,
        decision,
        ...who,
        ...(outputs === undefined ? {} : { outputs: () => outputs }),
        ...(options.replace ? { replaces: true } : {}),
      },
      { ...context, engine, flags: options },
    ).catch((thrown: unknown) => {
      throw thrown instanceof OutputsRefused ? refusedOutputs(thrown.problem, runId, options) : thrown
    })
    const instead =
      earlier === undefined
        ? ''
        : `; replaces ${earlier.decision} by ${printableLine(identityText(earlier.by))}`
    const decided = { path: call?.path ?? step, decision, ...who }
    const answerDocument = async (): Promise<void> => {
      if (options.output === 'text') return
      const record = (await engine.readRun(runId)) ?? run
      const outcomes = await readUnknownOutcomes(record, engine, context.io)
      const mask = await maskOf(record, engine)
      const document = { run_id: runId, status: record.status, ...decided, unknown_outcomes: outcomes }
      if (options.output === 'json') answerJson(context, maskDocument(mask, publicJson(document)))
      else answer(context, JSON.stringify(maskDocument(mask, publicJson({ type: 'decided', ...document }))))
    }
    tell(
      context,
      `${printableLine(items.label(call?.path ?? step))} of ${runId}: resolved as ${decision} by ${printableLine(identityText(who.by))}${instead}`,
    )
    if (left.length > 0) {
      tell(context, restLines(left, runId, items))
      await answerDocument()
      return exitCodes.unresolved
    }
    if (options.resume) return resume(context, runId, options)
    tell(context, ['Every unknown outcome is resolved. To resume the run:', `  opsbook resume ${runId}`])
    await answerDocument()
    return exitCodes.succeeded
  })
}

/** Outputs that do not fit the action, or lack what later steps read, in the words of the flags. */
function refusedOutputs(
  { called, path, wrong, lack, missing, fields, isGiven, hint }: OutputsProblem,
  runId: string,
  options: DecideFlags,
): CommandError {
  const problem =
    wrong.length > 0
      ? `--outputs is not what ${called} answers: ${wrong.join('; ')}`
      : `${lack}: ${isGiven ? `--outputs lacks ${missing.join(', ')}` : 'give it with --outputs'}`
  const words = [
    ...['opsbook decide', runId, shellWord(printableLine(path)), '--as succeeded'],
    ...outputsWords(fields.length === 0 ? undefined : fields),
    ...(options.replace ? ['--replace'] : []),
    locationFlags(options),
  ]
  return new CommandError('usage', problem, {
    hints: [
      words.join(' ').trim(),
      `"opsbook actions ${called}" lists its outputs; "opsbook show ${runId}" shows how to find their values`,
      ...(hint === undefined ? [] : [hint]),
    ],
  })
}

function readOutputs({ as: decision, outputs }: DecideFlags): JsonObject | undefined {
  if (outputs === undefined) return undefined
  if (decision !== 'succeeded')
    throw new CommandError('usage', `--outputs needs "--as succeeded", not "${decision}"`)
  const parsed = parseValue(outputs)
  if ('problem' in parsed) {
    throw new CommandError('usage', `--outputs cannot be read: ${parsed.problem}`, {
      hints: [`such as --outputs '{"application_id": "app_1"}'`],
    })
  }
  if (!isJsonObject(parsed.value)) throw new CommandError('usage', '--outputs must be a map, such as {}')
  return parsed.value
}

const mostListed = 10

function restLines(rest: readonly string[], runId: string, items: ItemNames): readonly string[] {
  const more = rest.length > mostListed ? [`  … and ${rest.length - mostListed} more`] : []
  const commands = rest
    .slice(0, mostListed)
    .flatMap((path) => [
      ...(path.includes('[') ? [`${printableLine(items.label(path))}:`] : []),
      `  opsbook decide ${runId} ${shellWord(printableLine(path))} --as …`,
    ])
  const count = rest.length === 1 ? '1 more call has' : `${rest.length} more calls have`
  const these = rest.length === 1 ? 'this' : 'these'
  return [`${count} an unknown outcome. The run can resume once you resolve ${these}:`, ...commands, ...more]
}
