import { describe, it } from 'vitest'
import type { RunCaseFile } from '../conformance/read-run-cases.ts'
import type { RunCase } from '../conformance/run-case.ts'
import { expectSameWhenStopped } from './expect-same-when-stopped.ts'

/** Describes that each case of a file ends the same when it is stopped after any outcome and resumed. */
export function describeStopped({ file, cases }: RunCaseFile): void {
  const resumed = cases.filter(isResumed)
  if (resumed.length === 0) return
  describe(`run/${file}, stopped anywhere and resumed`, () => {
    it.each(resumed)('$name', async (runCase) => {
      await expectSameWhenStopped(runCase)
    })
  })
}

/** The same, where the host remembers what had ended. */
export function describeRemembered(
  { file, cases }: RunCaseFile,
  choose: <T>(all: readonly T[]) => readonly T[] = (all) => all,
): void {
  const resumed = choose(cases.filter(isResumed))
  if (resumed.length === 0) return
  describe(`run/${file}, stopped anywhere, resumed with what had ended remembered`, () => {
    it.each(resumed)('$name', async (runCase) => {
      await expectSameWhenStopped(runCase, undefined, { remembers: true })
    })
  })
}

function isResumed(runCase: RunCase): boolean {
  return runCase.expect !== undefined && runCase.cancel === undefined && runCase['not-resumed'] === undefined
}
