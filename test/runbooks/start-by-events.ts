import { join } from 'node:path'
import { expect } from 'vitest'
import { opsbook, type RunningCommand } from '../cli/support/opsbook.ts'
import type { Delivery } from './runbook-case.ts'

/** What came of a run. */
export interface CarriedOut {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export type ExpectPoll = typeof expect.poll

interface Place {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  /** That of the test: others run at the same time. */
  readonly poll: ExpectPoll
}

/**
 * Sends events to the hooks of a `serve`: the first one starts the run, the others come while it waits. The result is
 * that of `run` with the same record.
 */
export async function startByEvents(
  path: string,
  deliveries: readonly Delivery[],
  { folder, env, poll }: Place,
): Promise<CarriedOut> {
  let serving: RunningCommand | undefined
  let written = ''
  const words = ['serve', path, '--data-dir', 'data', '--listen', '127.0.0.1:0']
  const served = opsbook(words, {
    folder,
    env,
    onStart: (command) => {
      serving = command
    },
    onWrite: (text) => {
      written += text
    },
  })
  const show = async (runId: string): Promise<string> => {
    const shown = await opsbook(['show', runId, '--output', 'json', '--data-dir', 'data'], { folder, env })
    return shown.stdout
  }
  const statusOf = async (runId: string): Promise<string> => JSON.parse(await show(runId)).status
  try {
    await poll(() => written).toMatch(/serve ready: \S+\n/)
    const url = /serve ready: (\S+)\n/.exec(written)?.[1] ?? ''
    let runId = ''
    for (const { hook, headers, body } of deliveries) {
      if (runId !== '') await poll(() => statusOf(runId)).toBe('waiting')
      const answer = await fetch(new URL(join('hooks', hook), `${url}/`), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      const text = await answer.text()
      expect(answer.status, text).toBe(200)
      runId ||= JSON.parse(text).starts[0]?.run_id ?? ''
      expect(runId, text).not.toBe('')
    }
    await poll(() => statusOf(runId)).toMatch(/succeeded|failed|unknown/)
    const stdout = await show(runId)
    const code = { succeeded: 0, failed: 1, unknown: 4 }[String(JSON.parse(stdout).status)] ?? -1
    return { code, stdout, stderr: written }
  } finally {
    serving?.signal('SIGTERM')
    await served
  }
}
