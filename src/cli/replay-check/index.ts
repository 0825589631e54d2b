/** `opsbook replay-check`: whether workers of this version can continue the open workflows. */

import {
  prepareRuntime,
  type ReplayedWorkflow,
  replayOpenWorkflows,
} from '../../engine/temporal/worker/index.ts'
import { readConfiguration } from '../../project/configuration/index.ts'
import { withTemporalClient } from '../../project/temporal/index.ts'
import { answer, answerJson, type CommandContext } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import type { OutputFlags } from '../shared/options.ts'

/** Replays the open workflows of the task queue, and names those that this version cannot continue. */
export async function replayCheck(context: CommandContext, { output }: OutputFlags): Promise<ExitCode> {
  const workflows: ReplayedWorkflow[] = []
  const configuration = await readConfiguration(context.io)
  const { taskQueue, namespace, address } = await withTemporalClient(
    context,
    configuration,
    async (ports, settings) => {
      // Silences the SDK, which logs at length what is printed here as one line for each workflow. Not before there is a
      // client: a process that only prepared it would not end.
      prepareRuntime(() => {})
      for await (const workflow of replayOpenWorkflows(ports)) workflows.push(workflow)
      return settings
    },
  )
  const stuck = workflows.filter(({ problem }) => problem !== undefined)
  const counts = countsOf(workflows)
  if (output === 'json') {
    answerJson(context, {
      kinds: counts,
      workflows: workflows.map(({ id, kind, problem }) => ({
        id,
        kind: kind.name,
        ...(problem === undefined ? {} : { problem, stops: kind.stops }),
      })),
    })
  } else {
    const place = `task queue "${taskQueue}" of "${namespace}" at ${address}`
    answer(context, [
      ...stuck.map(({ id, kind, problem }) => `✖ ${id}: ${problem}; it would stop ${kind.stops}`),
      workflows.length === 0
        ? `no workflow is open: ${place}`
        : `${workflows.length - stuck.length} of ${workflows.length} open workflows can continue: ${place}`,
      ...counts.map(({ kind, open, fitting }) => `  ${kind}: ${fitting} of ${open}`),
    ])
  }
  return stuck.length === 0 ? exitCodes.succeeded : exitCodes.failed
}

interface KindCount {
  readonly kind: string
  readonly open: number
  readonly fitting: number
}

function countsOf(workflows: readonly ReplayedWorkflow[]): readonly KindCount[] {
  const counts = new Map<string, KindCount>()
  for (const { kind, problem } of workflows) {
    const { open = 0, fitting = 0 } = counts.get(kind.name) ?? {}
    const isFitting = problem === undefined
    counts.set(kind.name, { kind: kind.name, open: open + 1, fitting: fitting + (isFitting ? 1 : 0) })
  }
  return [...counts.values()].toSorted((one, other) => one.kind.localeCompare(other.kind))
}
