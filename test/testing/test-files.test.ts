import { readFileSync } from 'node:fs'
import { type LoadedTestFile, loadTestFile, runTests } from 'opsbook/testing'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
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

describe('a run without an end fails its test', () => {
  it.each([
    {
      about: 'nobody answers',
      step: 'uses: core/approve, with: { message: m }',
      script: '',
      failure: /^UnscriptedAnswer: the run waits at wait /,
    },
    {
      about: 'an answer that does not count',
      step: 'uses: core/approve, with: { message: m, from: { groups: [ops] } }',
      script: 'answers: { wait: { by: ada } }',
      failure: /^UnscriptedAnswer: the run waits at wait /,
    },
    {
      about: 'no event',
      step: 'uses: core/listen, with: { callback: built }',
      script: '',
      failure: /^UnscriptedEvent: the run waits at wait /,
    },
  ])('$about', async ({ step, script, failure }) => {
    const runbook = `apiVersion: opsbook/v1\nname: endless\nsteps: [{ id: wait, ${step} }]\n`
    const file = `runbook: ./a.yaml\ntests:\n  - name: one\n    ${script}\n    expect: { status: failed }\n`
    const { tests, diagnostics } = loadTestFile(file, testActions, {
      file: 'a.test.yaml',
      read: () => runbook,
    })
    expect(diagnostics).toEqual([])
    const results = tests ? (await runTests(tests)).tests : []
    expect(results.map(({ failures }) => failures.map(({ message }) => message))).toEqual([
      [expect.stringMatching(failure)],
    ])
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
