import type { JsonObject } from '../../core/json.ts'
import { publicJson } from '../../documents/index.ts'
import { commandsFor } from './entry-commands.ts'
import type { InboxEntry } from './inbox-entry.ts'
import type { NamedRun } from './named-run.ts'

/** An entry for programs: with every question that it stands for. */
export function entryDocument(entry: InboxEntry, named: NamedRun, flags: string): JsonObject {
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
  return mask.value(publicJson(document, items)) as JsonObject
}

function questionFacts({ group, untilMs }: Extract<InboxEntry, { kind: 'question' }>): object {
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
