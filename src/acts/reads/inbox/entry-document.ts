import { type InboxEntry, maskDocument, publicJson } from '../../../documents/index.ts'
import { commandsFor } from './entry-commands.ts'
import type { WaitingEntry as Entry } from './inbox-entry.ts'
import type { NamedRun } from './named-run.ts'

/** An entry for programs: with every question that it stands for. */
export function entryDocument(entry: Entry, named: NamedRun, flags: string): InboxEntry {
  const { items, mask } = named
  const { run_id, runbook, title, status, labels } = entry.run
  const about = entry.kind === 'question' ? questionFacts(entry) : { ...entry.call }
  const document = {
    kind: entry.kind,
    run_id,
    runbook,
    ...(title === undefined ? {} : { title }),
    labels,
    status,
    ...about,
    commands: commandsFor(entry, named, flags),
  }
  return maskDocument(mask, publicJson(document, items)) as InboxEntry
}

function questionFacts({ group, untilMs }: Extract<Entry, { kind: 'question' }>): object {
  const { step, questions, shown } = group
  return {
    step,
    count: questions.length,
    asked_at: questions[0]?.asked_at,
    ...(untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() }),
    shown,
    questions,
  }
}
