import { request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { createRunFolder, type Viewer } from '../../src/console/server/stream/run-folder.ts'
import { createRunView, type RunView } from '../../src/view/run/index.ts'
import { loadCase } from '../core/play-case.ts'
import { badFleet } from '../view/large-fleet.ts'
import { openConsole } from './support/open-console.ts'
import { record } from './support/recorded.ts'

interface Frame {
  readonly event: string
  readonly id: string | undefined
  readonly data: RunView
}

/** Follows a stream, and keeps its frames. */
function listen(
  url: string,
  cookie: string,
): { readonly frames: Frame[]; readonly headers: Promise<object> } {
  const frames: Frame[] = []
  const headers = new Promise<object>((resolve, reject) => {
    const sent = request(url, { headers: { cookie } }, (answer) => {
      resolve({ status: answer.statusCode, ...answer.headers })
      let text = ''
      answer.on('error', () => {})
      answer.on('data', (chunk) => {
        text += String(chunk)
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const lines = text.slice(0, end).split('\n')
          text = text.slice(end + 2)
          const field = (name: string) =>
            lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
          const data = field('data')
          if (data !== undefined)
            frames.push({ event: field('event') ?? '', id: field('id'), data: JSON.parse(data) })
        }
      })
    })
    sent.on('error', reject)
    sent.end()
    onTestFinished(() => void sent.destroy())
  })
  return { frames, headers }
}

test('a stream begins with the newest state of a run, and sends what changes until its end', async () => {
  const recorded = await record()
  const { ended } = await recorded.asking()
  const console = await openConsole(recorded.dataDir)
  const stream = listen(`${console.url}/api/v1/stream?topics=run:latest,inbox,now`, console.cookie)
  expect(await stream.headers).toMatchObject({
    status: 200,
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
    'content-security-policy': expect.any(String),
  })
  const views = () => stream.frames.filter(({ event }) => event === 'view')
  await expect.poll(() => views().length).toBeGreaterThan(0)
  const [first] = views()
  expect(first?.data).toMatchObject({ is_whole: true, head: { runbook: 'ask', status: 'waiting' } })
  expect(first?.id).toBe(String(first?.data.seq))
  expect(stream.frames.map(({ event }) => event)).toEqual(expect.arrayContaining(['inbox', 'now']))
  const inboxes = () => stream.frames.filter(({ event }) => event === 'inbox').length
  const before = inboxes()
  for (const item of [0, 1]) await recorded.command('reject', 'latest', `hosts[${item}]/ok`)
  await ended
  await expect.poll(() => views().at(-1)?.data.head.status).toBe('failed')
  await expect.poll(inboxes).toBeGreaterThan(before)
  const later = views().slice(1)
  expect(later.every(({ data }) => data.nodes.length <= (first?.data.nodes.length ?? 0))).toBe(true)
  // What the frames build up is what the address of the view says.
  const nodes = new Map<string, unknown>()
  for (const { data } of views()) {
    if (data.is_whole) nodes.clear()
    for (const node of data.nodes) nodes.set(node.path, node)
  }
  const view = (await console.json('/api/v1/runs/latest/view')) as RunView
  expect([...nodes.values()]).toEqual(view.nodes)
  expect(await console.json('/api/v1/runs/latest/items?step=hosts&status=failed')).toMatchObject({
    items: expect.arrayContaining([expect.objectContaining({ status: 'failed', path: 'hosts[0]' })]),
  })
  expect((await console.get('/api/v1/runs/latest/items?step=none')).status).toBe(404)
  expect(console.defects).toEqual([])
})

test.each([
  ['run:none', 404],
  ['everything', 400],
  ['', 400],
  [Array.from({ length: 11 }, (_, at) => `run:${at}`).join(','), 400],
])('a stream of %j is refused', async (topics, status) => {
  const console = await openConsole((await record()).dataDir)
  expect((await console.get(`/api/v1/stream?topics=${topics}`)).status).toBe(status)
})

const runbook = `
steps:
  - id: hosts
    for-each: { items: "\${{ range(10) }}", max-parallel: 500, tolerate: all }
    steps: [{ id: look, uses: test/read, with: { of: 1 } }]
  - { id: report, uses: test/read, with: { of: 1 } }
`

test('ten thousand items reach a viewer in few small frames, and a slow one gets only the newest state', async () => {
  const { plan } = loadCase({ name: '', runbook })
  if (!plan) throw new Error('the runbook is wrong')
  const view = createRunView({ run_id: 'run_1', runbook: 'test', plan })
  const failures: unknown[] = []
  const events = [...badFleet(10_000)]
  const folder = createRunFolder(
    {
      view,
      mask: (document) => document,
      take: (recorded) => view.take(recorded),
      past: async () => [],
      async *follow(afterSeq, signal) {
        for (const event of events) {
          if (signal.aborted) return
          if (event.seq <= afterSeq) continue
          if (event.seq % 500 === 0) await new Promise((resolve) => setTimeout(resolve, 10))
          yield event
        }
      },
      state: async () => undefined,
    },
    (error) => failures.push(error),
  )
  onTestFinished(() => folder.close())
  await folder.ready
  const quick = { seq: undefined as number | undefined, sent: [] as string[], at: [] as number[] }
  const slow = { seq: undefined as number | undefined, sent: [] as string[], isAwake: false }
  const viewer = (to: { seq: number | undefined; sent: string[] }, more: Partial<Viewer>): Viewer =>
    Object.assign(
      to,
      { isReady: () => true, send: (frames: readonly string[]) => void to.sent.push(...frames) },
      more,
    )
  folder.watch(
    viewer(quick, {
      send(frames) {
        quick.sent.push(...frames)
        quick.at.push(performance.now())
      },
    }),
  )
  folder.watch(viewer(slow, { isReady: () => slow.isAwake }))
  await expect.poll(() => quick.seq, { timeout: 40_000 }).toBe(events.length)
  expect(failures).toEqual([])
  expect(Math.max(...quick.sent.map(({ length }) => length))).toBeLessThan(32 * 1024)
  // The first frame is sent at once. A timer that is late may be followed by one that is not.
  const seconds = ((quick.at.at(-1) ?? 0) - (quick.at[0] ?? 0)) / 1000
  expect(quick.at.length).toBeLessThanOrEqual(seconds * 4 + 2)
  expect(slow.sent).toEqual([])
  slow.isAwake = true
  await expect.poll(() => slow.sent.length).toBeGreaterThan(0)
  expect(slow.seq).toBe(events.length)
  expect(slow.sent.join('')).toContain(`"seq":${events.length}`)
}, 60_000)
