import type { Range } from '../core/diagnostic.ts'
import type { LoadedTests } from './file/load-test-file.ts'
import type { TestCase } from './file/test-file.ts'
import { checkExpectations, type Unmet } from './play/check-expectations.ts'
import { shown } from './play/match.ts'
import { type PlayedTest, playTest } from './play/play-test.ts'
import { type ReadRecording, waysToScript } from './play/scripted-calls.ts'

/** Why a test fails, and where the test file says otherwise. */
export interface TestFailure {
  readonly message: string
  /** Further lines: what to write. */
  readonly hints: readonly string[]
  /** The expectation, or the test. */
  readonly range: Range
}

/** The result of one test. */
export interface TestResult {
  readonly name: string
  readonly status: 'passed' | 'failed'
  readonly failures: readonly TestFailure[]
  /** Virtual time of the run, in milliseconds. */
  readonly tookMs: number
}

/** What running tests takes into account. */
export interface RunTestsOptions {
  /** Runs only the tests whose names hold this text. */
  readonly only?: string
  readonly readRecording?: ReadRecording
  /** Receives each test as it was played. */
  readonly onPlayed?: (test: TestCase, played: PlayedTest) => void
}

/** Runs the tests of a file, one after another, in virtual time. */
export async function runTests(
  tests: LoadedTests,
  options: RunTestsOptions = {},
): Promise<readonly TestResult[]> {
  const { only = '', readRecording, onPlayed } = options
  const results: TestResult[] = []
  for (const [index, test] of tests.document.tests.entries()) {
    if (!test.name.includes(only)) continue
    const played = await playTest(tests, test, readRecording ? { readRecording } : {})
    onPlayed?.(test, played)
    const failures = judge(played, test).map(
      ({ path, message, hints = [] }): TestFailure => ({
        message,
        hints,
        range: tests.source.rangeOf(['tests', index, ...path]),
      }),
    )
    const tookMs = played.kind === 'run' ? played.run.tookMs : 0
    results.push({ name: test.name, status: failures.length === 0 ? 'passed' : 'failed', failures, tookMs })
  }
  return results
}

interface Judged extends Unmet {
  readonly hints?: readonly string[]
}

/** What is wrong with a test as it was played. */
function judge(played: PlayedTest, { expect }: TestCase): readonly Judged[] {
  if (played.kind === 'stuck') {
    return played.questions.map((path) => ({
      path: ['name'],
      message: `UnscriptedAnswer: the run waits at ${path} for an answer that no script gives`,
      hints: [`answers: { ${path}: { approved: true, after: 1h } }`],
    }))
  }
  if (played.kind === 'refused') {
    const message = `the run was refused: ${played.problems.join('; ')}`
    if (expect.status !== 'refused') return [{ path: ['expect'], message }]
    const part = expect.error?.message
    return part === undefined || message.includes(part)
      ? []
      : [{ path: ['expect', 'error', 'message'], message: `${message}; expected to hold ${shown(part)}` }]
  }
  const { unscripted } = played.calls
  if (unscripted) {
    const { path, attempt, action, input } = unscripted
    return [
      {
        path: ['name'],
        message: `UnscriptedCall: ${path}#${attempt} (${action}) was sent ${shown(input)}`,
        hints: waysToScript(unscripted),
      },
    ]
  }
  const unmet = checkExpectations(played.run, expect)
  return unmet.map(({ path, message }) => ({ path: ['expect', ...path], message }))
}
