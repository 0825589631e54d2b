import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { JsonObject } from 'opsbook'
import { opsbookWords } from './opsbook-process.ts'

/** A request as the sandbox recorded it. */
export interface SeenRequest {
  readonly number: number
  readonly request_id: string
  /** Of this machine. */
  readonly arrived_ms: number
  readonly operation: string | null
  readonly executed: boolean
  readonly fault: string | null
  readonly unknown_fields: readonly string[]
  readonly body: JsonObject
}

/** The service, in a process that nobody kills: its record says what was really done. */
export interface SandboxProcess {
  readonly url: string
  /** Everything as on the first day, and then these faults. */
  reset(faults: readonly JsonObject[]): Promise<void>
  /** Every request since the reset. */
  requests(): Promise<readonly SeenRequest[]>
  /** The names of all applications that were created since the reset, by id. */
  applications(): Promise<ReadonlyMap<string, string>>
  /** How often each request id stands in the audit log, by operation. */
  audit(): Promise<readonly { readonly operation: string; readonly request_id: string }[]>
  close(): Promise<void>
}

/** Starts the sandbox, without rate limits: the client keeps them all the same. */
export async function startSandboxProcess(stateFile: string): Promise<SandboxProcess> {
  const words = [...opsbookWords, 'sandbox', '--port', '0', '--no-limits', '--state', stateFile]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'ignore'] })
  const killLast = (): void => void child.kill('SIGKILL')
  process.once('exit', killLast)
  const url = await firstLine(child)
  const control = async (path: string, body?: unknown): Promise<JsonObject> => {
    const headers = { 'content-type': 'application/json' }
    const how = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await fetch(`${url}/_sandbox/${path}`, how)
    if (!answer.ok) throw new Error(`the sandbox refuses ${path}: ${await answer.text()}`)
    return (await answer.json()) as JsonObject
  }
  return {
    url,
    async reset(faults) {
      await control('reset', {})
      await control('faults', faults)
    },
    async requests() {
      return (await control('requests'))['requests'] as unknown as readonly SeenRequest[]
    },
    async applications() {
      const { applications } = await control('state')
      const list = applications as readonly { application_id: string; record: { application_name: string } }[]
      return new Map(list.map(({ application_id, record }) => [application_id, record.application_name]))
    },
    async audit() {
      const { entries } = await control('audit')
      return entries as readonly { operation: string; request_id: string }[]
    },
    async close() {
      const ended = once(child, 'close')
      child.kill('SIGTERM')
      await ended
      process.off('exit', killLast)
    },
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('the sandbox has no output')
  for await (const line of createInterface({ input: child.stdout })) return line
  throw new Error('the sandbox did not start')
}
