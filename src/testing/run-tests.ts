import { posix } from 'node:path'
import type { Question } from '../core/people/index.ts'
import { readSource } from '../load/yaml/index.ts'
import { childUses, coveragePoints } from './coverage/coverage-points.ts'
import {
  type CoverageMeter,
  type CoverageWithChildren,
  createCoverageMeter,
} from './coverage/measure-coverage.ts'
import { type FaultResults, type GoodRun, runFaults } from './faults/run-faults.ts'
import type { LoadedTests } from './file/load-test-file.ts'
import type { TestCase } from './file/test-file.ts'
import { checkExpectations, type Unmet } from './play/check-expectations.ts'
import type { LiveWorld, WorldDifference } from './play/live-world.ts'
import { shown } from './play/match.ts'
import { type PlayedTest, playTest } from './play/play-test.ts'
import { changedPlans, unusedRecorded } from './recording/warn-of-recordings.ts'
import type { TestFailure } from './test-failure.ts'

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
  /** Runs only the tests whose names hold this text, and no faults. */
  readonly only?: string
  /**
   * Opens a world for each test, which answers some calls in place of their scripts. Answers that differ from the scripts
   * are warnings. Only `took.least` counts then, and no faults are tried.
   * @default scripts answer all calls
   */
  readonly openWorld?: () => Promise<LiveWorld>
}

/** The results of a test file. */
export interface TestFileResults {
  readonly tests: readonly TestResult[]
  /** Left out where the file asks for none. */
  readonly faults?: FaultResults
  /** Of the runbook itself, and of each one that it runs. */
  readonly coverage: CoverageWithChildren
  /** Scripts and recorded calls that no test uses, recordings of another plan, and answers that differ from scripts. */
  readonly warnings: readonly TestFailure[]
}

/** Runs the tests of a file, one after another, in virtual time; then its faults. */
export async function runTests(
  tests: LoadedTests,
  { only, openWorld }: RunTestsOptions = {},
): Promise<TestFileResults> {
  const { document, plan, source, runbookSource } = tests
  const results: TestResult[] = []
  const goodRuns: GoodRun[] = []
  const meter = createCoverageMeter()
  const usedDefaults = new Set<string>()
  const warnings: TestFailure[] = [...changedPlans(tests)]
  const usedRecorded = new Set<string>()
  for (const [index, test] of document.tests.entries()) {
    if (only !== undefined && !test.name.includes(only)) continue
    const live = await openWorld?.()
    const onDifference = ({ name, message }: WorldDifference): void =>
      void warnings.push({
        message,
        hints: [],
        range: source.rangeOf({ key: scriptPath(test, index, name) }),
      })
    const played = await playTest(tests, test, live ? { live, onDifference } : {}).finally(live?.close)
    const failures = judge(played, live ? withoutMost(test) : test).map(
      ({ path, message, hints = [], actual }): TestFailure => ({
        message,
        hints,
        range: source.rangeOf(['tests', index, ...path]),
        ...(actual === undefined ? {} : { update: { path: ['tests', index, ...path], value: actual } }),
      }),
    )
    const status = failures.length === 0 ? 'passed' : 'failed'
    const tookMs = played.kind === 'run' ? played.run.tookMs : 0
    results.push({ name: test.name, status, failures, tookMs })
    if (played.kind === 'refused') continue
    for (const name of played.calls.used) usedDefaults.add(name)
    for (const entry of played.calls.usedRecorded) usedRecorded.add(entry)
    const own = Object.keys(test.calls ?? {}).filter((name) => !played.calls.used.has(name))
    warnings.push(...own.map((name) => unusedScript(tests, ['tests', index, 'calls', name])))
    if (played.kind !== 'run') continue
    meter.add(played.run.host.events)
    if (status === 'passed' && played.run.seen.status === 'succeeded') goodRuns.push([test, played.run])
  }
  const isWhole = only === undefined
  const faults =
    document.faults === 'each' && isWhole && !openWorld
      ? await runFaults(tests, goodRuns, (run) => meter.add(run.host.events))
      : undefined
  if (isWhole && faults === undefined) {
    const left = Object.keys(document.defaults?.calls ?? {}).filter((name) => !usedDefaults.has(name))
    warnings.push(...left.map((name) => unusedScript(tests, ['defaults', 'calls', name])))
    // A test that fails may not have come to all of its calls.
    if (results.every(({ status }) => status === 'passed'))
      warnings.push(...unusedRecorded(tests, usedRecorded))
  }
  const coverage = {
    ...meter.result(coveragePoints(plan, runbookSource)),
    children: coverageOfChildren(tests, meter),
  }
  return { tests: results, ...(faults ? { faults } : {}), coverage, warnings }
}

function coverageOfChildren(
  { plan, runbookFile }: LoadedTests,
  meter: CoverageMeter,
): CoverageWithChildren['children'] {
  const folder = posix.dirname(runbookFile)
  return childUses(plan).flatMap(({ key, plan: child, prefixes }) => {
    // Without its text nothing is known of its lines.
    if (child.text === undefined) return []
    const points = coveragePoints(child, readSource(child.text))
    return [{ file: posix.join(folder, key), ...meter.result(points, prefixes) }]
  })
}

/** Where a script of a test is written. */
function scriptPath({ calls = {} }: TestCase, index: number, name: string): readonly (string | number)[] {
  return [...(Object.hasOwn(calls, name) ? ['tests', index] : ['defaults']), 'calls', name]
}

/** Real calls take as long as they do. */
function withoutMost(test: TestCase): TestCase {
  const { took, ...expect } = test.expect
  const least = typeof took === 'string' ? took : took?.least
  return { ...test, expect: { ...expect, ...(least === undefined ? {} : { took: { least } }) } }
}

function unusedScript({ source }: LoadedTests, path: readonly (string | number)[]): TestFailure {
  const message = `no call uses the script "${path.at(-1)}"`
  return { message, hints: [], range: source.rangeOf({ key: path }) }
}

interface Judged extends Unmet {
  readonly hints?: readonly string[]
}

/** What is wrong with a test as it was played. */
function judge(played: PlayedTest, test: TestCase): readonly Judged[] {
  const { expect } = test
  if (played.kind !== 'refused' && played.refusals.size > 0) {
    return [...played.refusals].map(([name, { question, message }]) => ({
      path: Object.hasOwn(test.answers ?? {}, name) ? ['answers', name] : ['name'],
      message: `UnscriptedAnswer: the run waits at ${question.path} for an answer that counts; the last one does not: ${message}`,
      hints: [answerHint(name, question)],
    }))
  }
  if (played.kind === 'stuck') {
    return played.waits.map(({ path, question }) => ({
      path: ['name'],
      ...(question
        ? {
            message: `UnscriptedAnswer: the run waits at ${path} for an answer that no script gives`,
            hints: [answerHint(path, question)],
          }
        : {
            message: `UnscriptedEvent: the run waits at ${path} for an event that no script sends`,
            hints: ['events: [{ hook: … or callback: …, after: 1h, body: { … } }]'],
          }),
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
  const unscripted = played.calls.unscripted()
  if (unscripted) return [{ path: ['name'], ...unscripted }]
  const { error } = played.run.seen
  // Whatever is expected: an expectation of a failure means one of the runbook.
  if (error?.code === 'InternalDefect')
    return [{ path: ['name'], message: `${error.code}: ${error.message}` }]
  const unmet = checkExpectations(played.run, expect)
  return unmet.map((one) => ({ ...one, path: ['expect', ...one.path] }))
}

/** The script of an answer that counts. */
function answerHint(name: string, { schema, from }: Question): string {
  const answer = schema ? 'value: { … }' : 'approved: true'
  const groups = from?.groups ? `, groups: [${from.groups.join(', ')}]` : ''
  const person = from ? `, by: NAME, verified: true${groups}` : ''
  return `answers: { ${name}: { ${answer}${person}, after: 1h } }`
}
