import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import type { FuzzReport } from './fuzz-loader.ts'

const run = promisify(execFile)
const script = fileURLToPath(new URL('./fuzz-loader.ts', import.meta.url))

/** Loads hostile files and mutated runbooks in a separate process, whose memory is the loader's alone and small. */
export async function expectLoaderSound(first: number, count: number): Promise<void> {
  const memory = ['--max-old-space-size=200', '--max-semi-space-size=8']
  const args = [...memory, '--import', 'tsx', script, String(count), String(first)]
  const { stdout } = await run(process.execPath, args)
  const report = JSON.parse(stdout) as FuzzReport
  expect(report).toMatchObject({ first, count, failures: [] })
  // Mutations that leave nothing sound would try only the first checks.
  expect(report.plans).toBeGreaterThan(count / 200)
}
