import type { TestProject } from 'vitest/node'
import { searchAttributes } from '../../../src/engine/temporal/messages.ts'
import { retryStart } from '../../support/retry-start.ts'
import { startDevServer } from '../../support/temporal-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the one server that all tests of a run share. */
    readonly temporalAddress: string
  }
}

/**
 * Starts the server that all `.server` tests of a run share. Where there is none, they fail; `npm test` looks for one
 * first, and leaves them out.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const tell = (line: string): void => void process.stderr.write(`${line}\n`)
  const server = await retryStart(() => startDevServer({ tell, searchAttributes }))
  project.provide('temporalAddress', server.address)
  return () => server.stop()
}
