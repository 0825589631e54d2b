import type { LoadedTests } from '../file/load-test-file.ts'
import type { TestCase } from '../file/test-file.ts'
import { type PlayedRun, usualStartMs } from '../host/play-run.ts'
import { createTestJournal } from '../host/test-journal.ts'
import { createVirtualClock } from '../host/virtual-clock.ts'
import { type PlayedTest, type PlayTestOptions, playTest } from '../play/play-test.ts'
import { checkFault } from './check-fault.ts'
import { type Fault, faultsOf, faultText } from './faults.ts'
import { storyOf } from './story.ts'

/** A fault that a runbook does not survive as it should. */
export interface FailedFault {
  /** In words. */
  readonly fault: string
  /** The test whose run met it. */
  readonly test: string
  readonly problems: readonly string[]
  readonly hints: readonly string[]
  /** What happened, from the fault to the end. */
  readonly story: readonly string[]
}

/** The faults that were tried, and those that fail: each with its shortest story. */
export interface FaultResults {
  readonly tried: number
  readonly failed: readonly FailedFault[]
}

/** The runs to disturb: each with its test. */
export type GoodRun = readonly [TestCase, PlayedRun]

/** Tries every fault on every run that went well. */
export async function runFaults(
  tests: LoadedTests,
  runs: readonly GoodRun[],
  onPlayed: (run: PlayedRun) => void,
): Promise<FaultResults> {
  const failed = new Map<string, FailedFault>()
  let tried = 0
  for (const [test, whole] of runs) {
    for (const fault of faultsOf(tests, whole)) {
      tried++
      const found = await tryFault(tests, test, whole, fault, onPlayed)
      const known = failed.get(faultText(fault))
      if (found && (!known || found.story.length < known.story.length)) failed.set(faultText(fault), found)
    }
  }
  return { tried, failed: [...failed.values()] }
}

async function tryFault(
  tests: LoadedTests,
  test: TestCase,
  whole: PlayedRun,
  fault: Fault,
  onPlayed: (run: PlayedRun) => void,
): Promise<FailedFault | undefined> {
  const processes: PlayedRun[] = []
  const end = await playFault(tests, test, fault, processes)
  for (const run of processes) onPlayed(run)
  const unscripted = end.kind === 'run' ? end.calls.unscripted() : undefined
  const problems = unscripted
    ? [unscripted.message]
    : end.kind === 'run'
      ? checkFault(tests, { fault, whole, processes })
      : [`the run waits for an answer that no script gives`]
  if (problems.length === 0) return undefined
  return {
    fault: faultText(fault),
    test: test.name,
    problems,
    hints: unscripted?.hints ?? [],
    story: storyOf(fault, processes),
  }
}

/** Plays the run with the fault, and adds each of its processes. */
async function playFault(
  tests: LoadedTests,
  test: TestCase,
  fault: Fault,
  processes: PlayedRun[],
): Promise<PlayedTest> {
  const play = async (options: PlayTestOptions): Promise<PlayedTest> => {
    const played = await playTest(tests, test, options)
    if (played.kind === 'run') processes.push(played.run)
    return played
  }
  switch (fault.kind) {
    case 'cancelled':
      return play({ cancel: [fault.question] })
    case 'crash': {
      const journal = createTestJournal()
      const clock = createVirtualClock(startOf(tests, test))
      const stopped = await play({ journal, clock, stop: { outcomes: fault.outcomes } })
      if (stopped.kind !== 'run' || stopped.run.seen.status !== 'interrupted') return stopped
      return play({ journal, clock, calls: stopped.calls })
    }
    default:
      return play({
        disturb(request, answer) {
          if (`${request.path}#${request.attempt}` !== fault.call) return answer(request)
          const message = fault.kind === 'lost' ? 'the answer was lost' : 'the call was refused'
          const details = fault.code === 'HttpRefused' ? { details: { status: 403 } } : {}
          return {
            result: { status: 'failed', error: { code: fault.code, message, ...details } },
            takesMs: 0,
            waitsMs: 0,
          }
        },
      })
  }
}

function startOf({ document: { defaults } }: LoadedTests, { start = defaults?.start }: TestCase): number {
  return start === undefined ? usualStartMs : Date.parse(start)
}
