import { beforeAll, test } from 'vitest'
import { buildFirst } from '../cli/support/process.ts'
import { playIncident } from './play-incident.ts'

beforeAll(buildFirst, 300_000)

test('an incident, from the monitoring to the published post-mortem', () =>
  playIncident({ env: {}, hasWorker: false }))
