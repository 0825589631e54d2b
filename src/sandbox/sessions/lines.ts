import type { JsonObject } from '../json.ts'

/** How the lines of a session are asked for. */
export interface LineOptions {
  readonly includeSubagents: boolean
  readonly closing: AbortSignal
}

/** One record of a session as a line. */
export function formatLine(record: JsonObject): string {
  return `${JSON.stringify(record)}\n`
}

/**
 * Passes lines on until they end, fail, or the time is over. Headers are sent by then, so a failure becomes
 * one last error line; it has neither `seq` nor `ts`, unlike the `error` events of a session.
 */
export async function* capLines(
  lines: AsyncIterable<string>,
  { capMs, requestId }: { readonly capMs: number; readonly requestId: string },
): AsyncGenerator<string> {
  const endsAt = performance.now() + capMs
  try {
    for await (const chunk of lines) {
      if (performance.now() >= endsAt) {
        yield errorLine(`the export took longer than ${capMs} ms and was stopped`, requestId)
        return
      }
      yield chunk
    }
  } catch (error) {
    yield errorLine(error instanceof Error ? error.message : String(error), requestId)
  }
}

function errorLine(message: string, requestId: string): string {
  return formatLine({ type: 'error', error: { code: 'InternalError', message }, request_id: requestId })
}
