import { beforeAll, inject, test } from 'vitest'
import { requireBuild } from '../../../cli/support/process.ts'
import { playIncident } from '../../../triggers/play-incident.ts'

beforeAll(requireBuild)

test(
  'an incident, from the monitoring to the published post-mortem',
  () =>
    playIncident({
      env: {
        OPSBOOK_ENGINE: 'temporal',
        OPSBOOK_TASK_QUEUE: `story-${process.pid}`,
        TEMPORAL_ADDRESS: inject('temporalAddress'),
      },
      hasWorker: true,
    }),
  120_000,
)
