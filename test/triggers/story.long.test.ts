import { beforeAll, test } from 'vitest'
import { requireBuild } from '../cli/support/process.ts'
import { playIncident } from './play-incident.ts'

beforeAll(requireBuild)

test('an incident, from the monitoring to the published post-mortem', () =>
  playIncident({ env: {}, hasWorker: false }))
