import { createMask } from '../../../core/mask/index.ts'
import type { AttemptRecord, RecordedEvent, RunRecord } from '../../../core/record/index.ts'
import {
  maskDocument,
  publicJson,
  type Run,
  readWaits,
  type UnknownOutcome,
  waitDocument,
} from '../../../documents/index.ts'
import type { Engine } from '../../../engine/index.ts'
import type { Surroundings } from '../../../project/index.ts'
import { findRun, learnSecrets, readItemNames, readUnknownOutcomes } from '../../../project/records/index.ts'
import type { ItemNames } from '../../../view/run/index.ts'

/** What happened in a run, in its order. */
export interface RunJournal {
  readonly events: Iterable<RecordedEvent>
  readonly attempts: Iterable<AttemptRecord>
}

/** A run as one document: that of `run --output json` with the further fields of the record, and its journal if given. */
export function showDocument(run: RunRecord, journal: RunJournal | undefined, items: ItemNames): Run {
  const { plan, ...record } = run
  const more = journal
    ? { attempts: [...journal.attempts], waits: readWaits(journal.events).map(waitDocument) }
    : {}
  return publicJson({ ...record, plan_hash: plan.hash, ...more }, items)
}

/** The record with the calls whose outcome is unknown, if there are any or if they decide the status. */
export async function withUnknownOutcomes(
  found: RunRecord,
  engine: Engine,
  io: Surroundings,
): Promise<RunRecord & { readonly unknown_outcomes?: readonly UnknownOutcome[] }> {
  const outcomes = await readUnknownOutcomes(found, engine, io)
  const isNamed = found.status === 'unknown' || outcomes.length > 0
  return isNamed ? { ...found, unknown_outcomes: outcomes } : found
}

/** The document of `show --output json`, with everything masked that `show` masks as text. */
export async function readShowDocument(
  given: string,
  engine: Engine,
  io: Surroundings,
  part: Parameters<Engine['readRun']>[1] = {},
): Promise<Run> {
  const run = await withUnknownOutcomes(await findRun(given, engine, part), engine, io)
  const mask = createMask()
  await learnSecrets(run, engine, mask)
  const items = await readItemNames(run, pathsIn(run), engine)
  return maskDocument(mask, showDocument(run, undefined, items))
}

/** The paths in a record that can be those of items. */
function pathsIn({ steps, questions, decisions, artifacts, error }: RunRecord): readonly string[] {
  const of = (list: readonly { readonly path: string }[]): string[] => list.map(({ path }) => path)
  return [...of(steps), ...of(questions), ...of(decisions), ...of(artifacts), error?.path ?? '']
}

/** The text of the runbook that a run was started with, masked. Undefined: it is not on record. */
export async function readTextOfRun(given: string, engine: Engine): Promise<string | undefined> {
  const run = await findRun(given, engine, { isWithoutSteps: true })
  const mask = createMask()
  await learnSecrets(run, engine, mask)
  return run.plan.text === undefined ? undefined : mask.text(run.plan.text)
}
