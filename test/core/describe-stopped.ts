import type { RunCase } from '../conformance/run-case.ts'
import { describeCases } from '../support/describe-cases.ts'
import { expectSameWhenStopped } from './expect-same-when-stopped.ts'

/** Describes that each case of a file ends the same when it is stopped after any outcome and resumed. */
export function describeStopped(file: string, cases: readonly RunCase[]): void {
  const title = `run/${file}, stopped anywhere and resumed`
  describeCases(title, cases.filter(isResumed), (runCase) => expectSameWhenStopped(runCase))
}

/** The same, where the host remembers what had ended. */
export function describeRemembered(file: string, cases: readonly RunCase[]): void {
  const title = `run/${file}, stopped anywhere, resumed with what had ended remembered`
  describeCases(title, cases.filter(isResumed), (runCase) =>
    expectSameWhenStopped(runCase, undefined, { remembers: true }),
  )
}

function isResumed(runCase: RunCase): boolean {
  return runCase.expect !== undefined && runCase.cancel === undefined && runCase['not-resumed'] === undefined
}
