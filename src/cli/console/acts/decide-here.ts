import { ConsoleError, type DecideHere } from '../../../console/server/index.ts'
import type { ActionDescription } from '../../../core/action.ts'
import type { JsonObject, JsonSchema, JsonValue } from '../../../core/json.ts'
import { createMask } from '../../../core/mask/index.ts'
import { wordOf } from '../../../core/people/index.ts'
import {
  createPlanIndex,
  type Identity,
  type RunRecord,
  type RunState,
  refused,
} from '../../../core/record/index.ts'
import { RunbookError } from '../../../core/run-error.ts'
import type { Engine } from '../../../engine/index.ts'
import { checkOutputs, outputsRead } from '../../decide/index.ts'
import type { CommandContext } from '../../shared/context.ts'
import { loadDescriptions } from '../../shared/load-actions.ts'
import { readWho } from '../../shared/read-who.ts'
import { findRun } from '../../shared/record/find-run.ts'
import { learnSecrets } from '../../shared/record/learn-secrets.ts'
import { readUnknownOutcomes, type UnknownOutcome } from '../../shared/record/unknown-outcomes.ts'
import { readForm } from './read-form.ts'

interface Surroundings {
  readonly context: CommandContext
  readonly engine: Engine
}

/** The calls of a run with an unknown outcome, each with its word and with what its answer looks like. */
export async function readOutcomes(id: string, { context, engine }: Surroundings): Promise<object> {
  const run = await findRun(id, engine)
  const outcomes = await readUnknownOutcomes(run, engine, context.io)
  const actions = outcomes.length === 0 ? [] : await knownActions(context)
  const mask = createMask()
  await learnSecrets(run, engine, mask)
  const documents = outcomes.map((outcome) => ({
    ...outcome,
    shown: shownOf(outcome),
    ...answerOf(outcome, run, actions),
  }))
  return { outcomes: mask.value(documents as unknown as JsonValue) }
}

/** Resolves a call with an unknown outcome as `opsbook decide` does, if it is still the one that was shown. */
export async function decideHere(
  { run_id: runId }: RunState,
  { step, shown, decision, outputs, fields, comment }: DecideHere,
  by: Identity,
  { context, engine }: Surroundings,
): Promise<object> {
  const run = await findRun(runId, engine)
  const outcome = (await readUnknownOutcomes(run, engine, context.io)).find(({ path }) => path === step)
  if (outcome !== undefined && shownOf(outcome) !== shown)
    throw new ConsoleError({
      status: 409,
      code: 'InvalidInput',
      detail: `${step} of ${runId} was called again since it was shown`,
      more: await readOutcomes(runId, { context, engine }),
    })
  if (outputs !== undefined && decision !== 'succeeded')
    throw refused(`outputs need the decision "succeeded", not "${decision}"`)
  const { output } = outcome === undefined ? {} : answerOf(outcome, run, await knownActions(context))
  const given = fields === undefined ? outputs : presentIn(readForm('output', output, fields))
  if (decision === 'succeeded' && outcome !== undefined)
    await checkOutputs(context, run, await engine.readUnresolvedCalls(run), step, given)
  const { by: _, ...said } = readWho(comment === undefined ? {} : { comment })
  try {
    const verdict = { decision, by, ...said, ...(given === undefined ? {} : { outputs: given }) }
    const left = await engine.decideOutcome(runId, step, verdict)
    return { run_id: runId, step, decision, by, left: left.map(({ path }) => path) }
  } catch (error) {
    if (!RunbookError.is(error) || error.code !== 'InvalidInput') throw error
    // The engine says who was faster.
    const { message: detail, code, next: hint } = error
    const more = await readOutcomes(runId, { context, engine })
    throw new ConsoleError({ status: 409, code, detail, ...(hint === undefined ? {} : { hint }), more })
  }
}

/** Nothing typed is no answer, which `opsbook decide` accepts where nothing reads it. */
function presentIn(outputs: JsonObject): JsonObject | undefined {
  return Object.keys(outputs).length === 0 ? undefined : outputs
}

function shownOf({ path, action, attempt, started_at }: UnknownOutcome): string {
  return wordOf(1, [path, action, attempt, started_at])
}

/** What the answer of a call looks like, and what of it later steps need. */
function answerOf(
  { path, action }: Pick<UnknownOutcome, 'path' | 'action'>,
  { plan }: RunRecord,
  actions: readonly ActionDescription[],
): { readonly output?: JsonSchema; readonly reads: readonly string[] } {
  const described = actions.find(({ name }) => name === action)
  const step = createPlanIndex(plan).ownerOf(path)?.step
  if (described === undefined) return { reads: [] }
  return {
    output: described.output,
    reads: step?.kind === 'uses' ? outputsRead(plan, step, described) : [],
  }
}

/** Actions of a project that cannot be loaded are left out. */
function knownActions({ io }: CommandContext): Promise<readonly ActionDescription[]> {
  return loadDescriptions(io).catch(() => [])
}
