import { startSandbox } from 'opsbook/sandbox'
import { onTestFinished } from 'vitest'

/** A service for one test, and how a command is told about it. */
export interface Service {
  readonly url: string
  /** The connection as environment variables. */
  env(key?: string): Record<string, string>
  /** Replaces the faults. */
  fault(...rules: readonly object[]): Promise<void>
  /** The operations that were called, in order; null for any other request. */
  calls(): Promise<readonly (string | null)[]>
}

/** Starts a sandbox without rate limits. */
export async function startService(): Promise<Service> {
  const sandbox = await startSandbox({ limits: false })
  onTestFinished(() => sandbox.close())
  const control = async (path: string, body?: unknown): Promise<string> => {
    const headers = { 'content-type': 'application/json' }
    const how = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await fetch(`${sandbox.url}/_sandbox/${path}`, how)
    if (!answer.ok) throw new Error(await answer.text())
    return answer.text()
  }
  return {
    url: sandbox.url,
    env: (key = 'sandbox-owner') => ({ OPSBOOK_BASE_URL: sandbox.url, OPSBOOK_APP_KEY: key }),
    fault: async (...rules) => {
      await control('faults', rules)
    },
    calls: async () => {
      const { requests } = JSON.parse(await control('requests')) as {
        requests: { operation: string | null }[]
      }
      return requests.map(({ operation }) => operation)
    },
  }
}
