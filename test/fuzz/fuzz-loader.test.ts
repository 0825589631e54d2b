import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import type { FuzzReport } from './fuzz-loader.ts'

const run = promisify(execFile)
const script = fileURLToPath(new URL('./fuzz-loader.ts', import.meta.url))

const count = process.env['OPSBOOK_FUZZ_COUNT'] ?? '2000'
const first = process.env['OPSBOOK_FUZZ_SEED'] ?? '1'
const mostMegabytes = 300

// A process of its own, whose memory is the loader's and nobody else's.
it(`loads ${count} mutated runbooks, the first with the seed ${first}, and hostile files`, async () => {
  const memory = ['--max-old-space-size=200', '--max-semi-space-size=8']
  const { stdout } = await run(process.execPath, [...memory, '--import', 'tsx', script, count, first])
  const report = JSON.parse(stdout) as FuzzReport
  expect(report).toMatchObject({ first: Number(first), count: Number(count), failures: [] })
  // Mutations that leave nothing sound would try only the first checks.
  expect(report.plans).toBeGreaterThan(Number(count) / 200)
  expect(report.mostMegabytes).toBeLessThan(mostMegabytes)
}, 600_000)
