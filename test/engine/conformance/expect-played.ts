import { expect } from 'vitest'
import type { CallRequest } from '../../../src/core/host/host.ts'
import { formatDuration } from '../../../src/core/times/duration.ts'
import type { ObservedRun } from '../../../src/testing/index.ts'
import { expectRun } from '../../conformance/expect-run.ts'
import type { ExpectedRun } from '../../conformance/run-case.ts'

/** What actions were asked for, and what they wrote. */
interface Made {
  readonly sent: readonly CallRequest[]
  /** Contents by name. */
  readonly artifacts: Readonly<Record<string, string>>
}

/** A case as an engine has executed it on its own clock. */
export interface Played extends Made {
  readonly seen: ObservedRun
  readonly tookMs: number
}

/** Compares what a case states with a run on an engine, whose report has this status. */
export function expectPlayed(played: Played, status: string, expected: ExpectedRun): void {
  expectRun(played.seen, expected)
  expect(status).toBe(played.seen.status)
  if (expected.takes !== undefined) expect(formatDuration(played.tookMs)).toBe(expected.takes)
  expectMade(played, expected)
}

/** Compares what actions were asked for and what they wrote, as far as a case states it. */
export function expectMade(
  { sent, artifacts: files }: Made,
  { artifacts = {}, requests = {} }: ExpectedRun,
): void {
  for (const [name, text] of Object.entries(artifacts)) expect(readJson(files[name])).toEqual(readJson(text))
  const made = Object.fromEntries(sent.map((request) => [`${request.path}#${request.attempt}`, request]))
  for (const [call, { input = {} }] of Object.entries(requests)) {
    // What writes a file is not scripted here: it is done.
    if (made[call]) expect(made[call]).toMatchObject({ input })
  }
}

/** JSON is compared as what it says, however it is written. */
function readJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return text
  }
}
