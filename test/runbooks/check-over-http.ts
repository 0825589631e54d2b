import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { opsbook } from '../cli/support/opsbook.ts'
import { type AtEnd, newFolder, pathOf } from './folder.ts'
import { type Routes, startHttpStandIn } from './http-stand-in.ts'
import { matching, nested, patternOf } from './matching.ts'
import { configurationOf, sectionOf } from './page.ts'
import type { RunbookCase } from './runbook-case.ts'
import { type ExpectPoll, startByEvents } from './start-by-events.ts'

/** Runs a case with the `opsbook.yaml` of its page against a stand-in, and looks at what that has received. */
export async function checkOverHttp(
  file: string,
  runbookCase: RunbookCase & { readonly http: Routes },
  atEnd: AtEnd,
  poll: ExpectPoll,
): Promise<void> {
  const standIn = await startHttpStandIn(runbookCase.http)
  atEnd(() => standIn.close())
  const { files, env } = configurationOf(sectionOf(file.replace('.yaml', '')), standIn)
  const folder = await newFolder(atEnd, { ...files, 'inputs.json': JSON.stringify(runbookCase.inputs ?? {}) })
  const run = ['run', pathOf(file), '--inputs-file', 'inputs.json', '--data-dir', 'data', '--output', 'json']
  const { code, stdout, stderr } = await (runbookCase.deliveries
    ? startByEvents(pathOf(file), runbookCase.deliveries, { folder, env, poll })
    : opsbook(run, { folder, env }))
  const said = stdout + stderr
  const calls = standIn.received.map(({ call }) => call)
  if (runbookCase.refused !== undefined) {
    expect({ code, calls }, said).toEqual({ code: runbookCase.exit ?? 2, calls: [] })
    expect(said).toMatch(patternOf(runbookCase.refused))
    return
  }
  const { status = 'succeeded', error, outputs } = runbookCase
  const report = JSON.parse(stdout)
  expect(report, said).toMatchObject({ status, ...matching({ error, outputs }) })
  expect(code).toBe(runbookCase.exit ?? { succeeded: 0, failed: 1, unknown: 4 }[status])
  if (runbookCase.calls) expect(calls).toEqual(runbookCase.calls)
  for (const request of runbookCase.sent ?? [])
    expect(standIn.received).toContainEqual(expect.objectContaining(nested(request)))
  for (const text of runbookCase.log ?? []) expect(stderr).toContain(text)

  const shown = await Promise.all(
    [
      ['show', 'latest', '--full'],
      ['logs', 'latest'],
    ].map((words) => opsbook([...words, '--data-dir', 'data'], { folder, env })),
  )
  const kept = filesIn(join(folder, 'data', 'runs', report.run_id))
  for (const [name, texts] of Object.entries(runbookCase.files ?? {}))
    for (const text of texts) expect(kept.get(name)).toContain(text)
  const texts = [stderr, ...shown.map((result) => result.stdout + result.stderr), ...kept.values()].join('\n')
  for (const secret of Object.values(env)) expect(stdout + texts).not.toContain(secret)
  // JSON output is for programs, and shows sensitive outputs.
  for (const text of runbookCase.hidden ?? []) expect(texts).not.toContain(text)
}

/** The files that a run has written, if it has. */
function filesIn(folder: string): ReadonlyMap<string, string> {
  if (!existsSync(folder)) return new Map()
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
  return new Map(files.map(({ name }) => [name, readFileSync(join(folder, name), 'utf8')]))
}
