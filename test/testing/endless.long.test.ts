import { loadTestFile, runTests } from 'opsbook/testing'
import { expect, it } from 'vitest'
import { testActions } from '../conformance/test-actions.ts'

const runbook = `apiVersion: opsbook/v1
name: endless
steps:
  - id: wait
    uses: test/read
    with: { of: 1 }
    repeat: { until: "\${{ outputs.value == 2 }}", interval: 1s, max-wait: 10000h }
`
const file = `runbook: ./a.yaml
tests:
  - name: one
    calls: { wait: { output: { value: 1 } } }
    expect: { status: failed }
`

it('a poll that no answer ends fails its test, also where a failure is expected', async () => {
  const { tests } = loadTestFile(file, testActions, { file: 'a.test.yaml', read: () => runbook })
  const results = tests ? (await runTests(tests)).tests : []
  expect(results.map(({ failures }) => failures.map(({ message }) => message))).toEqual([
    [expect.stringMatching(/more than 50000 calls/)],
  ])
})
