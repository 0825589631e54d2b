import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { answerQuestion } from 'opsbook'
import { startSandbox } from 'opsbook/sandbox'
import { expect } from 'vitest'
import { opsbook, type Surroundings } from '../cli/support/opsbook.ts'
import { type AtEnd, newFolder, pathOf } from './folder.ts'
import { matching, nested, patternOf } from './matching.ts'
import type { RunbookCase } from './runbook-case.ts'

/** Runs a case against a sandbox, and looks at what the service has received. */
export async function checkWithService(file: string, runbookCase: RunbookCase, atEnd: AtEnd): Promise<void> {
  const sandbox = await startSandbox({ limits: false, shape: runbookCase.shape ?? 'document' })
  atEnd(() => sandbox.close())
  const control = async (path: string, body?: unknown): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' }
    const how = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await fetch(`${sandbox.url}/_sandbox/${path}`, how)
    if (!answer.ok) throw new Error(await answer.text())
    return answer.json()
  }
  // What hosts and metrics say depends on the time.
  await control('clock', { now: '2026-02-01T12:00:00Z' })
  await control('faults', runbookCase.faults ?? [])
  const { folder, code, stdout, stderr } = await run(file, runbookCase, sandbox.url, atEnd)
  const { requests } = (await control('requests')) as { requests: readonly Received[] }
  const said = stdout + stderr
  for (const secret of Object.values(runbookCase.secrets ?? {})) expect(said).not.toContain(secret)

  if (runbookCase.refused !== undefined) {
    expect({ code, requests }, said).toEqual({ code: runbookCase.exit ?? 2, requests: [] })
    expect(said).toMatch(patternOf(runbookCase.refused))
    return
  }
  const { status = 'succeeded', error, outputs, calls, changes = [], sent = [] } = runbookCase
  const report = JSON.parse(stdout)
  expect(report, said).toMatchObject({ status, ...matching({ error, outputs }) })
  expect(code).toBe(runbookCase.exit ?? { succeeded: 0, failed: 1, unknown: 4 }[status])
  const received = requests.map((request) => [request.operation, request.code ?? 'OK'].join(' '))
  if (calls) expect(received.map((call) => call.replace(/ OK$/, ''))).toEqual(calls)
  expect(requests.flatMap(({ unknown_fields }) => unknown_fields)).toEqual([])
  for (const request of sent) expect(requests).toContainEqual(expect.objectContaining(nested(request)))
  const { entries } = (await control('audit')) as { entries: readonly AuditEntry[] }
  expect(entries.map(({ operation, detail }) => ({ operation, ...detail }))).toMatchObject(changes)
  expect(entries).toHaveLength(changes.length)
  for (const [name, texts] of Object.entries(runbookCase.files ?? {})) {
    const written = readFileSync(join(folder, 'data', 'runs', report.run_id, name), 'utf8')
    for (const text of texts) expect(written).toContain(text)
  }
  for (const text of runbookCase.log ?? []) expect(stderr).toContain(text)
}

interface Received {
  readonly operation: string | null
  readonly code: string | null
  readonly unknown_fields: readonly string[]
}

interface AuditEntry {
  readonly operation: string
  readonly detail: object
}

interface Ran {
  readonly folder: string
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

async function run(
  file: string,
  { inputs = {}, secrets = {}, key, answer, other }: RunbookCase,
  url: string,
  atEnd: AtEnd,
): Promise<Ran> {
  const folder = await newFolder(atEnd)
  const variables = Object.keys(secrets).map((name) => [name, `TEST_${name.toUpperCase()}`] as const)
  const configuration = {
    ...(variables.length > 0 && {
      secrets: Object.fromEntries(variables.map(([name, of]) => [name, `env:${of}`])),
    }),
    ...(other !== undefined && { people: { trust: ['system-user'] } }),
  }
  if (Object.keys(configuration).length > 0)
    await writeFile(join(folder, 'opsbook.yaml'), JSON.stringify(configuration))
  await writeFile(join(folder, 'inputs.json'), JSON.stringify(inputs))
  const env = {
    OPSBOOK_BASE_URL: url,
    OPSBOOK_APP_KEY: key ?? 'sandbox-owner',
    ...Object.fromEntries(variables.map(([name, of]) => [of, secrets[name] ?? ''])),
  }
  const words = [
    'run',
    pathOf(file),
    '--inputs-file',
    'inputs.json',
    '--data-dir',
    'data',
    '--output',
    'json',
  ]
  const atTerminal = answer === undefined ? {} : answering(answer)
  const elsewhere: Promise<unknown>[] = []
  const onWrite: Surroundings['onWrite'] = (text, command) => {
    atTerminal.onWrite?.(text, command)
    const [, runId, step] = / waits for \\?"opsbook approve (\S+) (\S+)/.exec(text) ?? []
    if (other !== undefined && runId !== undefined && step !== undefined)
      elsewhere.push(answersElsewhere({ folder, runId, step }, other))
  }
  const result = await opsbook(words, { folder, env, ...atTerminal, onWrite })
  await Promise.all(elsewhere)
  return { folder, ...result }
}

/** First the starter of the run says yes, and is refused, then the other user. */
async function answersElsewhere(
  { folder, runId, step }: Record<'folder' | 'runId' | 'step', string>,
  user: string,
): Promise<void> {
  const own = await opsbook(['approve', runId, step, '--data-dir', 'data'], { folder })
  expect(own.stderr).toContain('started or changed the run, and may not answer this question')
  const by = { name: user, source: 'system-user', verified: true, user } as const
  await answerQuestion({ dataDir: join(folder, 'data'), runId, step, answer: { approved: true, by } })
}

/** A person at the terminal who says the same to everything, or one line after the other. */
function answering(answer: string | readonly string[]): Surroundings {
  const keyboard = new PassThrough()
  const lines = [...answer]
  return {
    isTerminal: true,
    keyboard,
    onWrite: (text) => {
      // A prompt is the only text that ends within a line.
      if (!text.endsWith(': ')) return
      const line = typeof answer === 'string' ? answer : lines.shift()
      if (line !== undefined) keyboard.write(`${line}\n`)
    },
  }
}
