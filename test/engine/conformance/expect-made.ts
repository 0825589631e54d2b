import { expect } from 'vitest'
import type { CallRequest } from '../../../src/core/host.ts'
import type { ExpectedRun } from '../../conformance/run-case.ts'

/** What actions were asked for and what they wrote, as far as a case states it. */
export function expectMade(
  { sent, artifacts: files }: { sent: readonly CallRequest[]; artifacts: Readonly<Record<string, string>> },
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
