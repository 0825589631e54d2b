import { describe, expect, it } from 'vitest'
import { formatDuration } from '../../src/core/times/duration.ts'
import type { PlayedRun } from '../../src/testing/index.ts'
import { expectRun } from '../conformance/expect-run.ts'
import type { ExpectedRun, RunCase } from '../conformance/run-case.ts'
import { runCaseFiles } from '../conformance/run-case-files.ts'
import { describeCases } from '../support/describe-cases.ts'
import { smoke } from '../support/smoke.ts'
import { describeRemembered, describeStopped } from './describe-stopped.ts'
import { expectSafe } from './expect-same-when-stopped.ts'
import { loadCase, playCase } from './play-case.ts'

for (const { file, cases, isLong } of runCaseFiles) {
  describeCases(`run/${file}`, cases, tryCase)
  if (isLong) continue
  describeStopped(file, cases)
  describeRemembered(file, smoke(cases))
}

async function tryCase(runCase: RunCase): Promise<void> {
  const { plan, inputs, findings, problems } = loadCase(runCase)
  expect(findings).toEqual(runCase.findings ?? [])
  expect(problems).toEqual(runCase.problems ?? [])
  if (!plan || problems.length > 0) {
    expect(runCase.expect).toBeUndefined()
    return
  }
  if (!runCase.expect) throw new Error('the case states nothing')
  const played = await playCase(runCase, plan, inputs)
  expectPlayed(played, runCase.expect)
  expectSafe([played])
}

function expectPlayed({ seen, host, journal, tookMs }: PlayedRun, expected: ExpectedRun): void {
  expectRun(seen, expected)
  const { takes, artifacts, requests = {} } = expected
  if (takes !== undefined) expect(formatDuration(tookMs)).toBe(takes)
  if (artifacts) expect(Object.fromEntries(journal.artifacts)).toEqual(artifacts)
  const made = Object.fromEntries(
    host.calls.map((request) => [`${request.path}#${request.attempt}`, request]),
  )
  expect(made).toMatchObject(requests)
}

describe('the cases', () => {
  const names = runCaseFiles.flatMap(({ file, cases }) => cases.map(({ name }) => `${file} ${name}`))

  it('are many, and each has a name of its own', () => {
    expect(new Set(names).size).toBe(names.length)
    expect(names.length).toBeGreaterThanOrEqual(300)
  })
})
