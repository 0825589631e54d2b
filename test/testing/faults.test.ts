import { readFileSync } from 'node:fs'
import { loadTestFile, runTests, type TestFileResults } from 'opsbook/testing'
import { describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
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

describe('coverage', () => {
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
