/** `opsbook inbox`: what waits for a person, in all runs. */

import type { ActionDescription } from '../../core/action.ts'
import { RunbookError } from '../../core/run-error.ts'
import type { InboxDocument } from '../../documents/index.ts'
import type { Engine, Inbox, UnreadRun } from '../../engine/index.ts'
import { withEngine } from '../../project/engine/index.ts'
import type { EngineFlags } from '../../project/index.ts'
import { findRun, loadKnownActions } from '../../project/records/index.ts'
import { locationFlags, printableLine } from '../../project/text/index.ts'
import { answer, answerJson, type CommandContext, tell } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import type { OutputFlags } from '../shared/options.ts'
import { countText } from '../shared/terminal/quantity-text.ts'
import { entryDocument } from './entry-document.ts'
import { entryLines } from './entry-lines.ts'
import { entriesOf, type WaitingEntry } from './inbox-entry.ts'
import { type NamedRun, readNamedRun } from './named-run.ts'

/** The flags of `inbox`, as the parser hands them over. */
export interface InboxFlags extends EngineFlags, OutputFlags {
  readonly limit: number
}

/** Lists the open questions and unresolved outcomes of all runs, the earliest deadline first. */
export async function inbox(context: CommandContext, options: InboxFlags): Promise<ExitCode> {
  const { found, location } = await withEngine<Found>(
    context,
    options,
    (engine) => readShown(engine, options.limit, () => loadKnownActions(context.io)),
    ({ location }) => ({ found: nothing, location }),
  )
  if (options.output === 'json') answerJson(context, documentOf(found, options))
  else writeText(context, found, location, options)
  return exitCodes.succeeded
}

interface Found {
  readonly found: Shown
  readonly location: string
}

/** The entries to show, with what masks and names them. */
interface Shown extends Pick<Inbox, 'unread' | 'hasMore'> {
  readonly entries: readonly (readonly [WaitingEntry, NamedRun])[]
  /** The number of entries beyond the limit. */
  readonly more: number
}

const nothing: Shown = { entries: [], unread: [], hasMore: false, more: 0 }

/** Only runs whose entries are shown are read as a whole, for their names and masks. */
async function readShown(engine: Engine, limit: number, load: LoadActions): Promise<Found> {
  const { runs, unread, hasMore } = await engine.readInbox()
  const all = runs.flatMap(entriesOf).toSorted((one, other) => one.order - other.order)
  const shown = all.slice(0, limit)
  const actions = await actionsOf(shown, load)
  const named = new Map<string, NamedRun | UnreadRun>()
  const rest = [...new Set(shown.map(({ run }) => run))].values()
  const readNext = async (): Promise<void> => {
    for (const run of rest) {
      const paths = shown.flatMap((entry) => (entry.run === run ? entry.paths : []))
      const reading = readNamedRun(run.run_id, paths, engine, actions)
      named.set(run.run_id, await reading.catch(unreadOf(run.run_id)))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, readNext))
  const failed = [...named.values()].filter((one) => 'code' in one)
  const entries = shown.flatMap((entry) => {
    const one = named.get(entry.run.run_id)
    return one && !('code' in one) ? [[entry, one] as const] : []
  })
  const found = { entries, unread: [...unread, ...failed], hasMore, more: all.length - shown.length }
  return { found, location: engine.location }
}

/** Loads the actions here. */
export type LoadActions = () => Promise<readonly ActionDescription[]>

/** The actions that say what the answer of a call looks like. Loaded only where an outcome is unknown. */
async function actionsOf(
  entries: readonly WaitingEntry[],
  load: LoadActions,
): Promise<readonly ActionDescription[]> {
  return entries.some(({ kind }) => kind === 'unknown_outcome') ? load() : []
}

/** How many runs are read at a time. */
const atOnce = 8

function unreadOf(runId: string): (thrown: unknown) => UnreadRun {
  return (thrown) => ({
    run_id: runId,
    code: RunbookError.is(thrown) ? thrown.code : 'InternalDefect',
    message: thrown instanceof Error ? thrown.message : String(thrown),
  })
}

/** The document of `inbox --output json`, with everything masked that `show` masks as text. */
export async function readInboxDocument(
  engine: Engine,
  { limit, ...flags }: Pick<InboxFlags, 'limit'> & EngineFlags,
  load: LoadActions,
): Promise<InboxDocument> {
  const { found } = await readShown(engine, limit, load)
  return documentOf(found, flags)
}

/** What of one run waits for a person, as a document of `inbox`. */
export async function readWaitingOf(
  given: string,
  engine: Engine,
  flags: EngineFlags,
  load: LoadActions,
): Promise<InboxDocument> {
  const run = await findRun(given, engine, { isWithoutSteps: true })
  const unresolved = await engine.readUnresolvedCalls(run)
  const entries = entriesOf({ ...run, unresolved }).toSorted((one, other) => one.order - other.order)
  if (entries.length === 0) return { waiting: [] }
  const paths = entries.flatMap((entry) => entry.paths)
  const named = await readNamedRun(run.run_id, paths, engine, await actionsOf(entries, load))
  return { waiting: entries.map((entry) => entryDocument(entry, named, locationFlags(flags))) }
}

function documentOf({ entries, unread, hasMore, more }: Shown, flags: EngineFlags): InboxDocument {
  return {
    waiting: entries.map(([entry, run]) => entryDocument(entry, run, locationFlags(flags))),
    ...(unread.length === 0 ? {} : { unread }),
    ...(hasMore || more > 0 ? { has_more: true as const } : {}),
  }
}

function writeText(
  context: CommandContext,
  { entries, unread, hasMore, more }: Shown,
  location: string,
  options: InboxFlags,
): void {
  const { paint } = context
  const view = { paint, now: Date.now(), flags: locationFlags(options) }
  for (const [at, [entry, run]] of entries.entries())
    answer(context, [...(at === 0 ? [] : ['']), ...entryLines(entry, run, view)])
  if (entries.length === 0 && unread.length === 0)
    answer(context, `nothing waits for a person in ${printableLine(location)}`)
  if (more > 0) answer(context, ['', paint.dim(`and ${more} more: raise --limit`)])
  if (hasMore) answer(context, ['', paint.dim('there are more runs than are read at a time')])
  if (unread.length > 0) tell(context, unreadLines(unread))
}

/** One line for each reason. */
function unreadLines(unread: readonly UnreadRun[]): readonly string[] {
  const reasons = new Map<string, string[]>()
  for (const { run_id, code, message } of unread) {
    const reason = `${code}: ${message}`
    reasons.set(reason, [...(reasons.get(reason) ?? []), run_id])
  }
  return [...reasons].map(([reason, [first = '', ...others]]) => {
    const which = others.length === 0 ? first : `${first} and ${countText(others.length, 'other run')}`
    return `warning: this list lacks ${which}: ${printableLine(reason)}`
  })
}
