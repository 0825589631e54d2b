/** What waits for a person, in all runs or in one. */
import type { ActionDescription } from '../../../core/action.ts'
import { errorData } from '../../../core/run-error.ts'
import type { InboxDocument } from '../../../documents/index.ts'
import type { Engine, Inbox, UnreadRun } from '../../../engine/index.ts'
import type { EngineFlags } from '../../../project/index.ts'
import { findRun } from '../../../project/records/index.ts'
import { locationFlags } from '../../../project/text/index.ts'
import { entryDocument } from './entry-document.ts'
import { entriesOf, type WaitingEntry } from './inbox-entry.ts'
import { type NamedRun, readNamedRun } from './named-run.ts'

export { commandsFor } from './entry-commands.ts'
export { entriesOf, type WaitingEntry } from './inbox-entry.ts'
export { type NamedRun, readNamedRun } from './named-run.ts'

/** The entries to show, with what masks and names them. */
export interface ShownInbox extends Pick<Inbox, 'unread' | 'hasMore'> {
  readonly entries: readonly (readonly [WaitingEntry, NamedRun])[]
  /** The number of entries beyond the limit. */
  readonly more: number
}

/** An inbox without runs. */
export const emptyInbox: ShownInbox = { entries: [], unread: [], hasMore: false, more: 0 }

/** Only runs whose entries are shown are read as a whole, for their names and masks. */
export async function readShownInbox(engine: Engine, limit: number, load: LoadActions): Promise<ShownInbox> {
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
  return { entries, unread: [...unread, ...failed], hasMore, more: all.length - shown.length }
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
  return (thrown) => {
    const { code, message } = errorData(thrown)
    return { run_id: runId, code, message }
  }
}

/** Reads the document of `inbox --output json`, with everything masked that `show` masks as text. */
export async function readInboxDocument(
  engine: Engine,
  { limit, ...flags }: EngineFlags & { readonly limit: number },
  load: LoadActions,
): Promise<InboxDocument> {
  return inboxDocument(await readShownInbox(engine, limit, load), flags)
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

/** The document of `inbox --output json`. */
export function inboxDocument(
  { entries, unread, hasMore, more }: ShownInbox,
  flags: EngineFlags,
): InboxDocument {
  return {
    waiting: entries.map(([entry, run]) => entryDocument(entry, run, locationFlags(flags))),
    ...(unread.length === 0 ? {} : { unread }),
    ...(hasMore || more > 0 ? { has_more: true as const } : {}),
  }
}
