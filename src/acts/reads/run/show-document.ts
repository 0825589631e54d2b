import { errorRule } from '../../../core/errors.ts'
import { isForPerson, type TimedRunEvent, type Warning } from '../../../core/events.ts'
import {
  type AttemptRecord,
  failuresIn,
  isExecuted,
  isLeftUnresolved,
  isPathInside,
  type RecordedEvent,
  type RunRecord,
} from '../../../core/record/index.ts'
import type { ErrorData } from '../../../core/run-error.ts'
import {
  type AttemptDocument,
  maskDocument,
  publicJson,
  type Run,
  readWaits,
  type StepDocument,
  type StepLogLine,
  type UnknownOutcome,
} from '../../../documents/index.ts'
import type { Engine } from '../../../engine/index.ts'
import type { Surroundings } from '../../../project/index.ts'
import { findRun, maskOf, readItemNames, readUnknownOutcomes } from '../../../project/records/index.ts'
import { type ItemNames, isItem, isTolerated, runTreeOf } from '../../../view/run/index.ts'
import { isNotBegun, partOf, type RunJournal } from './part-of-run.ts'

/** A run as one document: that of `run --output json` with the further fields of the record, and its journal if given. */
export function showDocument(run: RunRecord, journal: RunJournal | undefined, items: ItemNames): Run {
  const { plan, ...record } = run
  const more = journal ? { attempts: [...journal.attempts], waits: readWaits(journal.events) } : {}
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
  const mask = await maskOf(run, engine)
  const items = await readItemNames(run, pathsIn(run), engine)
  return maskDocument(mask, showDocument(run, undefined, items))
}

/** Lines of the log of a step that a page shows. */
const mostLogged = 1000
/** Most that a page of attempts takes, in characters of JSON, unless one alone takes more. */
const mostOfPage = 1_000_000

/** One step of a run with its attempts, a page at a time, with everything masked that `show` masks as text. */
export async function readStepDocument(
  given: string,
  path: string,
  engine: Engine,
  { after = 0, limit }: { readonly after?: number; readonly limit: number },
): Promise<StepDocument> {
  const found = await findRun(given, engine)
  const events = await engine.readEvents(found.run_id)
  const journal = { events, attempts: await engine.readAttempts(found.run_id, { inside: path }) }
  const mask = await maskOf(found, engine)
  const { items } = runTreeOf(found, events, mask)
  const named = publicJson({ run_id: found.run_id, path }, items)
  if (isNotBegun(found, events, path)) return maskDocument(mask, { ...named, is_not_begun: true, ...nothing })
  const { run, journal: own } = partOf(found, journal, path)
  const attempts: AttemptDocument[] = []
  let [place, size, hasMore] = [0, 0, false]
  for (const attempt of own.attempts) {
    if (place++ < after) continue
    size += JSON.stringify(attempt).length
    hasMore = attempts.length === limit || (attempts.length > 0 && size > mostOfPage)
    if (hasMore) break
    const { error } = attempt
    attempts.push({
      ...publicJson(attempt, items),
      ...(error && isLastFailure(attempt) ? adviceOf(error, found) : {}),
    })
  }
  const [step] = run.steps.filter((one) => one.path === path)
  const failure = failureIn(own.events, path)
  const ends = lastEnds(own.events)
  const logged = loggedIn(own.events)
  return maskDocument(mask, {
    ...named,
    ...(step === undefined ? {} : { step: publicJson(step, items) }),
    ...(isItem(path)
      ? { item_status: ends.get(path)?.status ?? (isExecuted(run.status) ? 'running' : 'interrupted') }
      : {}),
    ...([...ends.values()].some(isTolerated) ? { has_tolerated: true } : {}),
    ...(failure === undefined ? {} : { error: publicJson(failure, items), ...adviceOf(failure, found) }),
    failed: failedParts(ends, path).map((failure) => publicJson(failure, items)),
    attempts,
    ...(hasMore ? { next: after + attempts.length } : {}),
    waits: readWaits(own.events).filter(({ reason }) => !isForPerson(reason)),
    questions: run.questions.map((question) => publicJson(question, items)),
    log: logged.slice(-mostLogged),
    ...(logged.length > mostLogged ? { log_left_out: logged.length - mostLogged } : {}),
    files: run.artifacts.map((artifact) => publicJson(artifact, items)),
  })
}

/** How a step and what is inside of it ended, by their paths. What has begun again since has not ended. */
function lastEnds(events: Iterable<RecordedEvent>): ReadonlyMap<string, EndEvent> {
  const ends = new Map<string, EndEvent>()
  for (const { event } of events)
    if (event.type === 'step_finished' || event.type === 'item_finished') ends.set(event.path, event)
    else if (event.type === 'item_started') ends.delete(event.path)
  return ends
}

type EndEvent = TimedRunEvent & { readonly type: 'step_finished' | 'item_finished' }

/** What failed in a step, by what it says: its own failed items, and those that loops and batches in it tolerate. */
function failedParts(ends: ReadonlyMap<string, EndEvent>, step: string): readonly Warning[] {
  // What too many failures inside were is with those of the loop around them.
  return failuresIn(
    [...ends].map(([path, { status, failed_items: failed }]) => [
      path,
      path === step || status === 'succeeded' ? failed : undefined,
    ]),
  )
}

const nothing = { failed: [], attempts: [], waits: [], questions: [], log: [], files: [] }

/** What to do next; nothing where the author of the runbook has made the code. */
export function adviceOf(error: ErrorData, run?: RunRecord): Pick<AttemptDocument, 'advice'> {
  const { code, path = '' } = error
  const left = run?.decisions.filter(({ decision }) => code === 'Cancelled' && decision === 'cancelled')
  if (isLeftUnresolved(error) || left?.some((one) => isPathInside(one.path, path)))
    return { advice: 'Find out by hand whether it was executed before you start the runbook again.' }
  const { next } = errorRule(code)
  return next === '' ? {} : { advice: next }
}

/** Why a step failed in the end. */
export function failureIn(events: Iterable<RecordedEvent>, path: string): ErrorData | undefined {
  const ends = [...events].flatMap(({ event }) =>
    event.type === 'step_finished' && event.path === path ? [event] : [],
  )
  return ends.at(-1)?.error
}

function loggedIn(events: Iterable<RecordedEvent>): readonly StepLogLine[] {
  return [...events].flatMap(({ event }) =>
    event.type === 'logged'
      ? { at: event.at, path: event.path, level: event.level, message: event.message }
      : [],
  )
}

/** Whether an attempt is the failure that its call ended with. */
export function isLastFailure({ status, is_repeated, is_superseded }: AttemptRecord): boolean {
  return status === 'failed' && !is_repeated && !is_superseded
}

/** The paths in a record that can be those of items. */
function pathsIn({ steps, questions, decisions, artifacts, error }: RunRecord): readonly string[] {
  const of = (list: readonly { readonly path: string }[]): string[] => list.map(({ path }) => path)
  return [...of(steps), ...of(questions), ...of(decisions), ...of(artifacts), error?.path ?? '']
}

/** The text of the runbook that a run was started with, masked. Undefined: it is not on record. */
export async function readTextOfRun(given: string, engine: Engine): Promise<string | undefined> {
  const run = await findRun(given, engine, { isWithoutSteps: true })
  const mask = await maskOf(run, engine)
  return run.plan.text === undefined ? undefined : mask.text(run.plan.text)
}
