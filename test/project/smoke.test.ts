import { expect, it } from 'vitest'
import { runCaseFiles } from '../conformance/run-case-files.ts'
import { resumeCases } from '../engine/conformance/play-resume-case.ts'
import { faultCases, trialsOf } from '../engine/faults/fault-case.ts'
import { casesOf, shipped } from '../runbooks/shipped-cases.ts'
import { type MarkedCase, smoke } from '../support/smoke.ts'

const files: readonly (readonly [name: string, cases: readonly MarkedCase[]])[] = [
  ...runCaseFiles.map(({ file, cases }) => [`run/${file}`, cases] as const),
  ...resumeCases.map(([file, cases]) => [`resume/${file}`, cases] as const),
  ...shipped.map((file) => [`runbooks/${file}`, casesOf(file)] as const),
  ...faultCases.map((row) => [`faults/${row.file}: ${row.fault}`, trialsOf(row)] as const),
]

it('each file of cases has some for each change, but for those that are long', () => {
  const wrong = files.filter(([name, cases]) => smoke(cases).length > 0 === name.endsWith('.long.yaml'))
  expect(wrong.map(([name]) => name)).toEqual([])
})
