import { readFileSync } from 'node:fs'
import { type LoadedTestFile, loadTestFile, runTests } from 'opsbook/testing'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { JsonObject, JsonValue } from '../../src/core/json.ts'
import { testActions } from '../conformance/test-actions.ts'
import { bookRunbook } from './book-runbook.ts'

const load = (text: string): LoadedTestFile =>
  loadTestFile(text, testActions, {
    file: 'book.test.yaml',
    read: (path) => (path === './book.yaml' ? bookRunbook : undefined),
  })

interface FindingsCase {
  readonly name: string
  readonly file: string
  /** `line:column CODE hint`. */
  readonly findings: readonly string[]
}

describe('findings in a test file', () => {
  it.each(read<FindingsCase>('findings'))('$name', ({ file, findings }) => {
    const { diagnostics, tests } = load(file)
    const found = diagnostics.map(({ range: { start }, code, hint }) =>
      `${start.line}:${start.column} ${code} ${hint ?? ''}`.trim(),
    )
    expect(found).toEqual(findings)
    expect(tests === undefined).toBe(diagnostics.some(({ severity }) => severity === 'error'))
  })
})

interface ResultCase {
  readonly name: string
  readonly test: string
  readonly failures?: readonly string[]
  /** The loader refuses the file. */
  readonly refused?: true
  /** Has no script in the defaults. */
  readonly unscripted?: string
}

/** The lines before that of the test. */
const before = `runbook: ./book.yaml
defaults:
  calls:
    look: { output: { value: 1 } }
    hosts/check: { output: {} }
    create: { output: { id: new } }
    clean: { output: {} }
  answers: { ask: { after: 1h } }
tests:
  - name: one
`

describe('the result of a test', () => {
  it.each(read<ResultCase>('results'))(
    '$name',
    async ({ test, failures = [], refused = false, unscripted }) => {
      const { tests, diagnostics } = load(defaultsWithout(unscripted) + test.replace(/^/gm, '    '))
      expect(diagnostics.length > 0).toBe(refused)
      if (!tests) return
      const [result] = (await runTests(tests)).tests
      const found = (result?.failures ?? []).map(
        ({ message, range: { start } }) => `${start.line - 10}:${start.column - 4} ${message}`,
      )
      expect(found.map((one, index) => beginningOf(one, failures[index]))).toEqual(failures)
      expect(result?.status).toBe(failures.length === 0 ? 'passed' : 'failed')
    },
  )
})

interface AnswersCase {
  readonly name: string
  readonly step: JsonObject
  readonly answers?: JsonValue
  readonly expect: JsonObject
  /** `line:column message | hint`. */
  readonly failures?: readonly string[]
}

describe('answers to a question', () => {
  it.each(read<AnswersCase>('answers'))('$name', async ({ step, answers, failures = [], ...test }) => {
    const runbook = { apiVersion: 'opsbook/v1', name: 'one', steps: [{ id: 'wait', ...step }] }
    const file = `runbook: ./one.yaml
tests:
  - name: one
    expect: ${JSON.stringify(test.expect)}
    answers: ${JSON.stringify(answers === undefined ? {} : { wait: answers })}
`
    const { tests, diagnostics } = loadTestFile(file, testActions, {
      file: 'one.test.yaml',
      read: () => JSON.stringify(runbook),
    })
    expect(diagnostics).toEqual([])
    const [result] = tests ? (await runTests(tests)).tests : []
    expect(
      result?.failures.map(
        ({ message, hints, range: { start } }) =>
          `${start.line}:${start.column} ${[message, ...hints].join(' | ')}`,
      ),
    ).toEqual(failures)
  })
})

it('runs only the tests whose names hold a text', async () => {
  const { tests } = load(`${before}    expect: {}\n  - { name: two, expect: {} }\n`)
  const results = tests ? (await runTests(tests, { only: 'tw' })).tests : []
  expect(results.map(({ name }) => name)).toEqual(['two'])
})

/** The lines before that of the test, with one script in a comment. */
function defaultsWithout(name: string | undefined): string {
  return name === undefined ? before : before.replace(new RegExp(`^    ${name}:`, 'm'), '    # ')
}

function beginningOf(found: string, expected = ''): string {
  return (/^\d/.test(expected) ? found : found.replace(/^\S+ /, '')).slice(0, expected.length || undefined)
}

function read<Case>(name: string): readonly Case[] {
  return parse(
    readFileSync(new URL(`../cases/testing/${name}.yaml`, import.meta.url), 'utf8'),
  ) as readonly Case[]
}
