import type { JsonObject } from '../../core/json.ts'
import type { RunReader, RunRecord } from '../../engine/embedded/index.ts'
import { publicJson } from '../run/public-json.ts'
import { readWaits, waitDocument } from './journal/waits.ts'

/** A run as one document: that of `run --output json`, and what else the record has. */
export function showDocument(run: RunRecord, reader: RunReader, isFull: boolean): JsonObject {
  const { plan, ...record } = run
  const journal = isFull
    ? {
        attempts: [...reader.readAttempts(run.run_id)],
        waits: readWaits(reader, run.run_id).map(waitDocument),
      }
    : {}
  return publicJson({ ...record, plan_hash: plan.hash, ...journal })
}
