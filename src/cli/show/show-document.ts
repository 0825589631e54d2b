import type { JsonObject } from '../../core/json.ts'
import type { RunRecord } from '../../core/record/run-record.ts'
import type { ItemNames } from '../run/follow/item-names.ts'
import { publicJson } from '../run/public-json.ts'
import { readWaits, waitDocument } from './journal/waits.ts'
import type { RunJournal } from './read-journal.ts'

/** A run as one document: that of `run --output json`, and what else the record has; its journal where it is given. */
export function showDocument(run: RunRecord, journal: RunJournal | undefined, items: ItemNames): JsonObject {
  const { plan, ...record } = run
  const more = journal
    ? { attempts: [...journal.attempts], waits: readWaits(journal.events).map(waitDocument) }
    : {}
  return publicJson({ ...record, plan_hash: plan.hash, ...more }, items)
}
