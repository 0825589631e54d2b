import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { WorkflowHandle } from '@temporalio/client'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>

/** Writes a history into this folder; answers with the name of the file. */
export function writeHistory(name: string, history: History): string {
  const file = `${name}.json`
  writeFileSync(fileURLToPath(new URL(file, import.meta.url)), withoutPlaces(historyToJSON(history)))
  return file
}

/** Nothing of the machine that it was recorded on. */
function withoutPlaces(json: string): string {
  return `${JSON.stringify(
    JSON.parse(json, (key: string, value: unknown) => {
      if (key === 'identity') return 'somewhere'
      if (key === 'stackTrace') return ''
      if (isStickyQueue(value)) return { ...value, name: 'sticky' }
      return value
    }),
  )}\n`
}

/** Its name says where its worker runs. */
function isStickyQueue(value: unknown): value is object {
  return typeof value === 'object' && (value as { kind?: unknown } | null)?.kind === 'TASK_QUEUE_KIND_STICKY'
}
