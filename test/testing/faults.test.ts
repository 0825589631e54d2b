import { readFileSync } from 'node:fs'
import { loadTestFile, runTests, type TestFileResults } from 'opsbook/testing'
import { describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { checkFault } from '../../src/testing/faults/check-fault.ts'
import { playTest } from '../../src/testing/play/play-test.ts'
import { wholeRunbook } from '../conformance/run-case.ts'
import { testActions } from '../conformance/test-actions.ts'

interface FaultCase {
  readonly name: string
  readonly runbook: string
  readonly calls: object
  readonly answers?: object
  readonly tried: number
  readonly failed?: Readonly<Record<string, readonly string[]>>
}

const cases = parse(
  readFileSync(new URL('../cases/testing/faults.yaml', import.meta.url), 'utf8'),
) as readonly FaultCase[]

async function run({
  runbook,
  calls,
  answers = {},
}: Omit<FaultCase, 'name' | 'tried'>): Promise<TestFileResults> {
  const tests = [{ name: 'goes well', expect: { status: 'succeeded' } }]
  const text = stringify({ runbook: 'a.yaml', defaults: { calls, answers }, tests, faults: 'each' })
  const loaded = loadTestFile(text, testActions, { file: 'a.test.yaml', read: () => wholeRunbook(runbook) })
  expect(loaded.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  if (!loaded.tests) throw new Error('refused')
  return runTests(loaded.tests)
}

describe('faults: each', () => {
  it.each(cases)('$name', async ({ tried, failed = {}, ...one }) => {
    const { faults, tests } = await run(one)
    expect(tests.map(({ status }) => status)).toEqual(['passed'])
    expect(faults?.tried).toBe(tried)
    const found = (faults?.failed ?? []).map(({ fault, problems }) => [
      fault,
      problems.map((problem, index) => problem.slice(0, failed[fault]?.[index]?.length)),
    ])
    expect(Object.fromEntries(found)).toEqual(failed)
  })

  it('tells the story from the fault to the end', async () => {
    const { faults } = await run(cases[1] as FaultCase)
    expect(faults?.failed[0]?.story).toEqual([
      'make#1 is refused',
      'make#1 is sent',
      'make#1 fails: AccessDenied',
      'step make ends as failed: AccessDenied',
      'step clean ends as failed: ExpressionFailed',
      expect.stringContaining('the run ends as failed: AccessDenied'),
    ])
  })
})

describe('finally', () => {
  const runbook = `steps:
  - id: hosts
    for-each: { items: [1, 2], as: host }
    steps: [{ id: make, uses: test/write }]
    finally: [{ id: clean, uses: test/write }]
`
  it('of every item of a block is looked for', async () => {
    const read = () => wholeRunbook(runbook)
    const text = stringify({
      runbook: 'a.yaml',
      defaults: { calls: { 'test/write': { output: {} } } },
      tests: [{ name: 'one', expect: {} }],
    })
    const { tests } = loadTestFile(text, testActions, { file: 'a.test.yaml', read })
    const test = { name: 'one', expect: {} }
    const played = tests && (await playTest(tests, test))
    if (!tests || played?.kind !== 'run') throw new Error('it was not played')
    const whole = played.run
    const fault = { kind: 'refused', call: 'other#1', code: 'AccessDenied' } as const
    const ends = Object.fromEntries(
      Object.entries(whole.seen.ends).filter(([path]) => path !== 'hosts[1]/clean'),
    )
    const broken = { ...whole, seen: { ...whole.seen, ends, status: 'failed' as const } }
    expect(checkFault(tests, { fault, whole, processes: [broken] })).toEqual([
      'hosts[1]/clean of finally did not run',
    ])
    expect(
      checkFault(tests, {
        fault,
        whole,
        processes: [{ ...broken, seen: { ...whole.seen, status: 'failed' } }],
      }),
    ).toEqual([])
  })
})

describe('coverage', () => {
  it('counts each child runbook by itself, whatever step runs it', async () => {
    const child = wholeRunbook(
      'steps:\n  - { id: one, uses: test/read }\n  - { id: two, if: "${{ 1 > 2 }}", uses: test/read }\n',
    )
    const parent = wholeRunbook('steps:\n  - { id: run, uses: core/run, with: { runbook: ./child.yaml } }\n')
    const defaults = { calls: { 'test/read': { output: { value: 1 } } } }
    const text = stringify({ runbook: './a.yaml', defaults, tests: [{ name: 'one', expect: {} }] })
    const read = (path: string) => (path.includes('child') ? child : parent)
    const { tests, diagnostics } = loadTestFile(text, testActions, { file: 'in/a.test.yaml', read })
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    const { coverage } = tests ? await runTests(tests) : { coverage: undefined }
    expect(coverage).toMatchObject({ reached: 1, total: 1, missing: [] })
    const line = child.split('\n').findIndex((one) => one.includes('two')) + 1
    expect(coverage?.children).toEqual([
      {
        file: 'in/child.yaml',
        reached: 2,
        total: 4,
        missing: [
          { line, what: 'step two never runs' },
          { line, what: 'if of two is never true' },
        ],
      },
    ])
  })

  it('names what no test reaches, by line', async () => {
    const { coverage } = await run({
      runbook: `inputs: { type: object, properties: { go: { type: boolean, default: false } } }
steps:
  - { id: one, if: "\${{ inputs.go }}", uses: test/write }
  - id: two
    uses: test/read
    retry: { attempts: 2, errors: [ResourceNotFound, InternalError] }
    catch: [{ errors: [NoLicense], steps: [{ id: sorry, uses: test/read }] }]
  - id: way
    choose:
      - { when: "\${{ inputs.go }}", steps: [{ id: yes_way, uses: test/read }] }
      - { steps: [{ id: no_way, uses: test/read }] }
`,
      calls: { two: [{ error: 'InternalError' }, { output: {} }], 'test/read': { output: {} } },
    })
    expect(coverage.missing.map(({ line, what }) => `${line} ${what}`)).toEqual([
      '5 step one never runs',
      '5 if of one is never true',
      '8 two is never repeated after ResourceNotFound',
      '9 a catch of two is never used',
      '9 step two/sorry never runs',
      '12 branch 1 of way is never chosen',
      '12 step way/yes_way never runs',
    ])
    expect(coverage.reached).toBe(6)
  })
})
