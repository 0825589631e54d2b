import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createActions, loadRunbook, type Plan } from 'opsbook'
import { beginRun } from '../../../src/engine/temporal/index.ts'
import type { Random } from '../../fuzz/random.ts'
import type { Cluster } from './cluster.ts'

/** The runbooks, of which one run of `everything` goes on at a time: its requests do not tell whose they are. */
export type PlayedRunbook = 'everything' | 'hosts' | 'targets'

/** A run that was begun. */
export interface Begun {
  readonly runbook: PlayedRunbook
  readonly tag: string
  readonly runId: string
}

const folder = new URL('../runbooks/', import.meta.url)
const readRunbook = (name: string): string => readFileSync(new URL(name, folder), 'utf8')
const patienceMs = 120_000

function compile(runbook: PlayedRunbook): Plan {
  const file = `${runbook}.yaml`
  const { plan, diagnostics } = loadRunbook(readRunbook(file), createActions([]), { file, readRunbook })
  if (!plan) throw new Error(JSON.stringify(diagnostics))
  return plan
}

/** Begins a run, by a key and again and again until the server has said that it has it. */
export async function begin(
  { client, taskQueue, dataDir }: Cluster,
  runbook: PlayedRunbook,
  tag: string,
  random: Random,
  lostCreateWaitMs?: number,
): Promise<Begun> {
  // Some of them go on as another execution now and then.
  const mostEvents = random.pick([undefined, 40, 120])
  const endMs = Date.now() + patienceMs
  for (;;) {
    try {
      const { runId } = await beginRun({
        ...{ client, taskQueue, dataDir, plan: compile(runbook), inputs: { tag }, key: tag },
        ...(mostEvents === undefined ? {} : { mostEvents }),
        ...(lostCreateWaitMs === undefined ? {} : { lostCreateWaitMs }),
      })
      return { runbook, tag, runId }
    } catch (thrown) {
      if (Date.now() > endMs) throw thrown
      await sleep(100)
    }
  }
}
