import { readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { parse } from 'yaml'
import type { RunCase } from '../../conformance/run-case.ts'
import { smoke } from '../../support/smoke.ts'
import { describeShortCases, openStageForFile, tryControlCase } from './support/cases-on-server.ts'
import type { Cues } from './support/play-on-server.ts'

openStageForFile()

await describeShortCases(smoke)

const control_requests = parse(
  readFileSync(new URL('../../cases/control-requests.yaml', import.meta.url), 'utf8'),
) as readonly (RunCase & { readonly said: Cues })[]

describe.concurrent('control-requests.yaml, on a server', () => {
  for (const runCase of control_requests) it(runCase.name, () => tryControlCase(runCase))
})
