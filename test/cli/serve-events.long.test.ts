import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { createRandom } from '../../src/sandbox/ids.ts'
import { newFolder } from './support/opsbook.ts'
import { requireBuild } from './support/process.ts'
import { json, type ServeProcess, serve, stop } from './support/serve.ts'

beforeAll(requireBuild)

const count = 24
const runbook = `apiVersion: opsbook/v1
name: listens
steps:
  - { id: hand, uses: core/write, with: { content: "\${{ run.callbacks.done }}" }, save-as: address.txt }
  - id: each
    for-each: { items: "\${{ range(${count}) }}", max-parallel: 4 }
    uses: core/listen
    with: { hook: ci, where: "\${{ event.n == item }}" }
  - id: turns
    for-each: { items: "\${{ range(${count / 4}) }}", max-parallel: 1 }
    uses: core/listen
    with: { callback: done, where: "\${{ event.n == item }}" }
outputs: { hook: "\${{ steps.each.outputs.items.map(i, i.outputs.event_id) }}", callback: "\${{ steps.turns.outputs.items.map(i, i.outputs.event.n) }}" }
`
// The hook has no "auth": it is on this machine.
const configuration = `hooks: { ci: { id: "\${{ body.id }}" } }
serve: { public-url: "http://ops.test" }
`

it.each(['a', 'b', 'c'])(
  'each accepted event is taken once, however often serve is killed: seed %s',
  async (seed) => {
    const random = createRandom(seed)
    const folder = await newFolder({ 'opsbook.yaml': configuration, 'runbooks/listens.yaml': runbook })
    const dataDir = join(folder, 'data')
    const env = { OPSBOOK_DATA_DIR: dataDir }
    /** The process that serves now, or the one that follows it. */
    let serving = serve(folder, env)
    await serving
    const { run_id: runId } = await json(['start', 'listens'], folder, env)
    const addressFile = join(dataDir, 'runs', runId, 'address.txt')
    await expect.poll(() => readdir(join(dataDir, 'runs', runId)).catch(() => [])).toContain('address.txt')
    const callback = new URL((await readFile(addressFile, 'utf8')).trim()).pathname

    /** Repeats a request until it is accepted, as senders do. */
    const deliver = async (path: string, body: object): Promise<void> => {
      const request = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }
      for (;;) {
        const answer = await fetch((await serving).origin + path, request).catch(() => undefined)
        await answer?.text().catch(() => undefined)
        if (answer?.status === 200) return
        expect([undefined, 503]).toContain(answer?.status)
      }
    }
    const deliveries = [
      ...Array.from({ length: count }, (_, n) => () => deliver('/hooks/ci', { id: `e${n}`, n })),
      ...Array.from({ length: count / 4 }, (_, n) => () => deliver(callback, { n })),
    ].toSorted(() => random() - 0.5)
    const kill = async ({ running }: ServeProcess): Promise<ServeProcess> => {
      running.child.kill('SIGKILL')
      await running.ended
      return serve(folder, env)
    }
    let kills = 0
    for (const send of deliveries) {
      const sending = send()
      if (random() < 0.25) {
        // Before the delivery is on record, or between its record and the result of the step.
        if (random() < 0.5) await sending
        serving = kill(await serving)
        kills++
      }
      await sending
    }
    expect(kills).toBeGreaterThan(0)
    const show = () => json(['show', runId], folder, env)
    await expect.poll(async () => (await show()).status).toBe('succeeded')
    expect((await show()).outputs).toEqual({
      hook: Array.from({ length: count }, (_, n) => `e${n}`),
      callback: Array.from({ length: count / 4 }, (_, n) => n),
    })
    const { events } = await json(['events', '--limit', '1000'], folder, env)
    expect(events).toHaveLength(deliveries.length)
    for (const { taken } of events) expect(taken).toMatchObject([{ run_id: runId }])
    const paths = events.flatMap(({ taken }: { taken: { path: string }[] }) => taken.map(({ path }) => path))
    expect(new Set(paths).size).toBe(deliveries.length)
    await stop((await serving).running)
  },
  300_000,
)
