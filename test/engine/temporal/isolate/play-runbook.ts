import { createActions, loadRunbook } from 'opsbook'
import type { RunStart } from '../../../../src/engine/temporal/messages.ts'
import { runTypeOf } from '../../../../src/engine/temporal/run-listing.ts'
import { systemUserNamed } from '../../../support/identity.ts'
import { encode } from './payloads.ts'
import { type PlayedWorkflow, type PlayOptions, playWorkflow } from './play-workflow.ts'

/** A runbook to start now, by the clock of the workflow, as the run `run_1`. */
export interface PlayedRunbook
  extends Pick<PlayOptions, 'isolate' | 'clock' | 'runActivity'>,
    Pick<RunStart, 'mostEvents'> {
  readonly name: string
  readonly steps: readonly object[]
}

/** Starts a run of a runbook on the isolate. */
export async function playRunbook({
  name,
  steps,
  mostEvents,
  ...surroundings
}: PlayedRunbook): Promise<PlayedWorkflow> {
  const runbook = { apiVersion: 'opsbook/v1', name, steps }
  const { plan, diagnostics } = loadRunbook(JSON.stringify(runbook), createActions())
  if (!plan) throw new Error(JSON.stringify(diagnostics))
  const input: RunStart = {
    plan,
    inputs: {},
    runId: 'run_1',
    startedAtMs: surroundings.clock.now(),
    startedBy: systemUserNamed('somebody'),
    actionQueue: 'actions',
    ...(mostEvents === undefined ? {} : { mostEvents }),
  }
  return playWorkflow({
    ...surroundings,
    workflowType: runTypeOf(plan.name),
    workflowId: 'run_1',
    input,
    runLocalActivity: async () => ({ completed: { result: encode('key') } }),
  })
}
