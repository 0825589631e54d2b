import { ConsoleError, type DecideHere } from '../../../console/server/index.ts'
import { safetyOf } from '../../../core/action.ts'
import type { Identity } from '../../../core/events.ts'
import type { JsonObject } from '../../../core/json.ts'
import { createMask } from '../../../core/mask/index.ts'
import type { RunState } from '../../../core/record/index.ts'
import { RunbookError, refused } from '../../../core/run-error.ts'
import { type Decided, maskDocument, type Outcomes, publicJson } from '../../../documents/index.ts'
import type { Engine } from '../../../engine/index.ts'
import { callWord } from '../../../engine/record/index.ts'
import { findRun, learnSecrets, readUnknownCalls, type UnknownCall } from '../../../project/records/index.ts'
import { findOutputsProblem, type OutputsProblem } from '../../decide/find-outputs-problem.ts'
import type { CommandContext } from '../../shared/context.ts'
import { readWho } from '../../shared/read-who.ts'
import { readForm } from './read-form.ts'

interface Surroundings {
  readonly context: CommandContext
  readonly engine: Engine
}

/** The calls of a run with an unknown outcome, each with its word and with what its answer looks like. */
export async function readOutcomes(id: string, { context, engine }: Surroundings): Promise<Outcomes> {
  const run = await findRun(id, engine)
  const calls = await readUnknownCalls(run, engine, context.io)
  const mask = createMask()
  await learnSecrets(run, engine, mask)
  const outcomes = calls.map(({ outcome, described }) => ({
    ...publicJson(outcome),
    shown: callWord(outcome, run),
    reads: outcome.reads ?? [],
    ...(described === undefined ? {} : { output: described.output }),
    risk: described === undefined ? ('create' as const) : safetyOf(described, outcome.sent?.input ?? {}),
  }))
  return maskDocument(mask, { outcomes })
}

/** Resolves a call with an unknown outcome as `opsbook decide` does, if it is still the one that was shown. */
export async function decideHere(
  { run_id: runId }: RunState,
  sent: DecideHere,
  by: Identity,
  { context, engine }: Surroundings,
): Promise<Decided> {
  const { step, shown, decision, comment } = sent
  const run = await findRun(runId, engine)
  // Of what is not as it was shown, no field is read: the engine refuses it, and says what has happened.
  const asShown = ({ outcome }: UnknownCall): boolean =>
    outcome.path === step && callWord(outcome, run) === shown
  const call = (await readUnknownCalls(run, engine, context.io)).find(asShown)
  if (sent.outputs !== undefined && decision !== 'succeeded')
    throw refused(`outputs need the decision "succeeded", not "${decision}"`)
  const given = call && readGiven(call, sent)
  if (decision === 'succeeded' && call !== undefined)
    refuseOutputs(
      await findOutputsProblem(context, run, await engine.readUnresolvedCalls(run), step, given),
      sent,
    )
  const { by: _, ...said } = readWho(comment === undefined ? {} : { comment })
  try {
    const verdict = { decision, shown, by, ...said, ...(given === undefined ? {} : { outputs: given }) }
    const left = await engine.decideOutcome(runId, step, verdict)
    return { run_id: runId, step, decision, by, left: left.map(({ path }) => path) }
  } catch (error) {
    if (!RunbookError.is(error) || !isRefusal(error)) throw error
    // The engine says who was faster.
    const { message: detail, code, next: hint } = error
    const more = await readOutcomes(runId, { context, engine })
    throw new ConsoleError({ status: 409, code, detail, ...(hint === undefined ? {} : { hint }), more })
  }
}

/** Somebody else was faster, or the run is being resumed. */
function isRefusal({ code }: RunbookError): boolean {
  return code === 'InvalidInput' || code === 'RunInUse'
}

function readGiven({ described }: UnknownCall, { outputs, fields }: DecideHere): JsonObject | undefined {
  return fields === undefined ? outputs : presentIn(readForm('output', described?.output, fields))
}

/** Refuses an answer that does not fit, in the words of who has sent it: a form has fields. */
function refuseOutputs(found: OutputsProblem | undefined, { fields }: DecideHere): void {
  if (found === undefined) return
  const { called, wrong, lack, missing, hint } = found
  const what = missing.length === 0 ? 'what it has answered' : missing.join(', ')
  throw new ConsoleError({
    status: 400,
    code: 'InvalidUsage',
    detail:
      wrong.length > 0
        ? `this is not what ${called} answers: ${wrong.join('; ')}`
        : `${lack}: ${fields === undefined ? `give ${what} in "outputs"` : `fill in ${what}`}`,
    ...(hint === undefined ? {} : { hint }),
  })
}

/** Nothing typed is no answer, which `opsbook decide` accepts where nothing reads it. */
function presentIn(outputs: JsonObject): JsonObject | undefined {
  return Object.keys(outputs).length === 0 ? undefined : outputs
}
