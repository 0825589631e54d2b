import type { JsonValue } from '../../../core/json.ts'

/**
 * What a server is told besides its defaults, wherever it runs: `deploy/temporal/dynamic-config.yaml` says the same.
 *
 * With the defaults each shard reads its queues 20 times a second, so that a step costs 100 ms, and a wait of less than
 * a second takes a second.
 */
export const dynamicConfig: Readonly<Record<string, JsonValue>> = {
  'history.transferProcessorMaxPollRPS': 1000,
  'history.timerProcessorMaxTimeShift': '10ms',
}
