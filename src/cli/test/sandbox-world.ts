import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Action, createRunSecrets, type SecretStore } from '../../actions/index.ts'
import { createClient } from '../../api/index.ts'
import { reachesOutside, safetyOf } from '../../core/action.ts'
import { type CallRequest, createCancellation } from '../../core/host/index.ts'
import { fileIn, makeAttempt, systemClock } from '../../engine/attempt/index.ts'
import { sandboxKey } from '../../project/clients/index.ts'
import { startSandbox } from '../../sandbox/index.ts'
import type { LiveWorld } from '../../testing/index.ts'

type LiveAnswer = Awaited<NonNullable<ReturnType<LiveWorld['answer']>>>

/** A sandbox of its own, with its own limits. It answers the calls of the service over HTTP. */
export async function openSandboxWorld(actions: readonly Action[]): Promise<LiveWorld> {
  const sandbox = await startSandbox()
  const client = createClient({ baseUrl: sandbox.url, appKey: sandboxKey, proxy: 'none' })
  const folder = await mkdtemp(join(tmpdir(), 'opsbook-test-'))
  const ofService = new Map(
    actions
      .filter((action) => !action.isLocal && !reachesOutside(action))
      .map((action) => [action.name, action]),
  )
  const ports = {
    secrets: createRunSecrets(madeUpSecrets, []),
    connect: async () => client,
    report: () => {},
    clock: systemClock,
    interrupt: createCancellation(),
  }
  const artifacts = { folder, fileFor: (name: string) => fileIn(folder, name), release: () => {} }
  const clock = createClockOf(sandbox.url)
  const make = async (action: Action, request: CallRequest, nowMs: number): Promise<LiveAnswer> => {
    await clock.passUntil(nowMs)
    // The output of other actions becomes a file where scripted ones do.
    const { saveAs, ...more } = request
    const isFile = saveAs !== undefined && action.savesFile === 'always'
    const began = performance.now()
    const { result } = await makeAttempt(
      { request: isFile ? request : more, action, safety: safetyOf(action, request.input) },
      artifacts,
      { cancellation: createCancellation(), onWaiting: () => {}, past: () => {} },
      ports,
    )
    const takesMs = Math.round(performance.now() - began)
    const file =
      isFile && result.status === 'succeeded' ? await readFile(join(folder, saveAs), 'utf8') : undefined
    return { result, takesMs, waitsMs: 0, ...(file === undefined ? {} : { file }) }
  }
  return {
    name: 'the sandbox',
    answer(request, nowMs) {
      const action = ofService.get(request.action)
      return action && make(action, request, nowMs)
    },
    async close() {
      await client.close()
      await sandbox.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Tests have no secrets. A call that takes one gets a text that says so. */
const madeUpSecrets: SecretStore = { resolve: async (name) => `made up for ${name}` }

/** The clock of a sandbox, which follows the virtual time of a test. */
function createClockOf(url: string): { passUntil(timeMs: number): Promise<void> } {
  let aheadMs: number | undefined
  let set = Promise.resolve()
  const send = async (timeMs: number): Promise<void> => {
    const response = await fetch(`${url}/_sandbox/clock`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ now: timeMs, run: true }),
    })
    if (!response.ok) throw new Error(`the clock of the sandbox cannot be set: ${await response.text()}`)
  }
  return {
    passUntil(timeMs) {
      const wantedMs = timeMs - systemClock.now()
      if (aheadMs === undefined || wantedMs > aheadMs) {
        aheadMs = wantedMs
        set = set.then(() => send(timeMs))
      }
      return set
    },
  }
}
