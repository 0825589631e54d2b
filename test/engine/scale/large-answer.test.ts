import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createActions, type JsonObject, type TimedRunEvent } from 'opsbook'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type OpenSandbox, openSandbox, validBodies } from '../../sandbox/open-sandbox.ts'
import { compile, runPlan } from '../support/run-runbook.ts'

const actions = createActions()
const bytes = 600 * 1024
let sandbox: OpenSandbox
let dataDir: string
beforeEach(async () => {
  sandbox = await openSandbox({ limits: false })
  dataDir = mkdtempSync(join(tmpdir(), 'opsbook-large-'))
  await sandbox.control('faults', [{ operation: 'E5', huge_body: bytes }])
})
afterEach(async () => {
  await sandbox.close()
  rmSync(dataDir, { recursive: true })
})

async function ask(more: JsonObject) {
  const ended: TimedRunEvent[] = []
  const steps = [{ id: 'query', uses: 'monit/preview/sync', with: validBodies.E5, ...more }]
  const report = await runPlan(
    compile({ steps, outputs: { query: '${{ steps.query.outputs }}' } }, actions),
    {
      dataDir,
      actions,
      url: sandbox.url,
      onEvent: (event) => ended.push(event),
    },
  )
  const { requests } = await sandbox.control('requests')
  return { report, ended, requests }
}

it('an answer of 600 KiB is too large to be kept, and is not asked for again', async () => {
  const { report, requests } = await ask({ retry: { attempts: 3, delay: '1ms' } })
  expect(report).toMatchObject({
    status: 'failed',
    error: { code: 'OutputTooLarge', path: 'query', message: expect.stringContaining('save-as') },
  })
  expect(requests).toHaveLength(1)
})

it('with save-as it is a file, and the outputs say which', async () => {
  const { report } = await ask({ 'save-as': 'answers/query.json' })
  expect(report.error).toBeUndefined()
  const file = readFileSync(join(report.artifacts_dir, 'answers/query.json'))
  expect(report.outputs).toEqual({
    query: {
      path: 'answers/query.json',
      bytes: file.length,
      sha256: createHash('sha256').update(file).digest('hex'),
    },
  })
  expect(JSON.parse(file.toString()).padding.length).toBeGreaterThan(bytes - 1000)
  expect(readdirSync(join(report.artifacts_dir, 'answers'))).toEqual(['query.json'])
})
