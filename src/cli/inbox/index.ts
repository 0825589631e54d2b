/** `opsbook inbox`: what waits for a person, in all runs. */

import { emptyInbox, inboxDocument, readShownInbox, type ShownInbox } from '../../acts/reads/inbox/index.ts'
import type { UnreadRun } from '../../engine/index.ts'
import { withEngine } from '../../project/engine/index.ts'
import type { EngineFlags } from '../../project/index.ts'
import { loadKnownActions } from '../../project/records/index.ts'
import { locationFlags, printableLine } from '../../project/text/index.ts'
import { answer, answerJson, type CommandContext, tell } from '../shared/context.ts'
import type { OutputFlags } from '../shared/options.ts'
import { countText } from '../shared/terminal/quantity-text.ts'
import { entryLines } from './entry-lines.ts'

/** The flags of `inbox`, as the parser hands them over. */
export interface InboxFlags extends EngineFlags, OutputFlags {
  readonly limit: number
}

/** Lists the open questions and unresolved outcomes of all runs, the earliest deadline first. */
export async function inbox(context: CommandContext, options: InboxFlags): Promise<void> {
  const load = () => loadKnownActions(context.io)
  const [found, location] = await withEngine<readonly [ShownInbox, string]>(
    context,
    options,
    async (engine) => [await readShownInbox(engine, options.limit, load), engine.location],
    (engine) => [emptyInbox, engine.location],
  )
  if (options.output === 'json') answerJson(context, inboxDocument(found, options))
  else writeText(context, found, location, options)
}

function writeText(
  context: CommandContext,
  { entries, unread, hasMore, more }: ShownInbox,
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
