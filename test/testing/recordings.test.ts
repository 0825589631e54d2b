import { readFileSync } from 'node:fs'
import { loadTestFile, type RecordedCall, type Recording, runTests } from 'opsbook/testing'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { loadRunbook } from '../../src/load/index.ts'
import { recordedPlan } from '../../src/testing/recording/recording.ts'
import { testActions } from '../conformance/test-actions.ts'
import { bookRunbook } from './book-runbook.ts'

interface RecordingCase {
  readonly name: string
  readonly calls?: readonly RecordedCall[]
  readonly change?: Partial<Recording>
  /** Stands in the file in place of a recording. */
  readonly text?: string
  readonly test: string
  readonly failures?: readonly string[]
  readonly hints?: readonly string[]
  readonly warnings?: readonly string[]
  readonly findings?: readonly string[]
}

/** The lines before that of the test. */
const before = `runbook: ./book.yaml
defaults:
  calls:
    test/read: { recording: past }
    create: { output: { id: new } }
    clean: { output: {} }
  answers: { ask: { after: 1s } }
tests:
  - name: one
`

const { plan } = loadRunbook(bookRunbook, testActions)
const cases = parse(
  readFileSync(new URL('../cases/testing/recordings.yaml', import.meta.url), 'utf8'),
) as readonly RecordingCase[]

it.each(cases)('$name', async ({ calls, change, text, test, ...expected }) => {
  const { failures = [], hints = [], warnings = [], findings = [] } = expected
  if (!plan) throw new Error('the runbook is wrong')
  const recording = {
    version: 1,
    ...recordedPlan(plan, testActions),
    inputs: {},
    calls: calls ?? [],
    ...change,
  }
  const files: Readonly<Record<string, string>> = {
    './book.yaml': bookRunbook,
    'recordings/past.json': text ?? JSON.stringify(recording),
  }
  const { tests, diagnostics } = loadTestFile(before + test.replace(/^/gm, '    '), testActions, {
    file: 'book.test.yaml',
    read: (path) => files[path],
  })
  const found = diagnostics.map(
    ({ range: { start }, code, message }) =>
      `${start.line - 9}:${start.line > 9 ? start.column - 4 : start.column} ${code} ${message}`,
  )
  expect(found.map((one, at) => one.slice(0, findings[at]?.length))).toEqual(findings)
  if (!tests) return
  const results = await runTests(tests)
  const [result] = results.tests
  const failed = result?.failures ?? []
  expect(failed.map(({ message }) => message)).toEqual(failures)
  expect(failed.flatMap((one) => one.hints)).toEqual(hints)
  const warned = results.warnings
    .map(({ message }) => message)
    .filter((one) => !one.startsWith('no call uses the script'))
  expect(warned.map((one, at) => one.slice(0, warnings[at]?.length))).toEqual(warnings)
})
