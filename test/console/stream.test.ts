import { request } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { WatchedRun } from '../../src/acts/reads/run/index.ts'
import type { ConsoleReads } from '../../src/console/server/index.ts'
import { createFolds } from '../../src/console/server/stream/folds.ts'
import type { Viewer } from '../../src/console/server/stream/frames.ts'
import { createRunFold } from '../../src/console/server/stream/run-fold.ts'
import type { RecordedEvent } from '../../src/core/record/index.ts'
import { createRunView, type LiveRunView, type LoopFacts, type RunView } from '../../src/view/run/index.ts'
import { newFolder } from '../cli/support/opsbook.ts'
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
  const others = () => stream.frames.flatMap(({ event }) => (event === 'view' ? [] : [event])).toSorted()
  await expect.poll(others).toEqual(['inbox', 'now'])
  const [first] = views()
  expect(first?.data).toMatchObject({ is_whole: true, head: { runbook: 'ask', status: 'waiting' } })
  expect(first?.id).toBe(String(first?.data.seq))
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

/** A run that has no past. Its next event is there once `released` resolves. */
function watched(
  events: readonly RecordedEvent[],
  released: (seq: number) => Promise<unknown>,
): { readonly run: WatchedRun; readonly view: LiveRunView } {
  const { plan } = loadCase({ name: '', runbook })
  if (!plan) throw new Error('the runbook is wrong')
  const view = createRunView({ run_id: 'run_1', runbook: 'test', plan })
  const run: WatchedRun = {
    view,
    mask: (document) => document,
    take: (recorded) => view.take(recorded),
    past: async () => [],
    async *follow(afterSeq, signal) {
      for (const event of events) {
        if (event.seq <= afterSeq) continue
        await released(event.seq)
        if (signal.aborted) return
        yield event
      }
    },
    state: async () => undefined,
    journal: async () => ({ events: [] }),
  }
  return { run, view }
}

/** Intervals pass when the test says so. */
function stopClock(...more: readonly 'Date'[]): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', ...more] })
  onTestFinished(() => void vi.useRealTimers())
}

/** Follows a run until the test ends, and has taken these events. */
async function folded(run: WatchedRun, view: LiveRunView, events: readonly RecordedEvent[]) {
  const fold = createRunFold(run, () => {})
  onTestFinished(() => fold.close())
  await fold.catchUp()
  while (view.seq < events.length) await setImmediate()
  const viewer = createViewer()
  fold.watch(viewer)
  return viewer
}

/** Keeps what it is sent, one entry for each time. */
function createViewer(): Viewer & { readonly sent: string[]; isAwake: boolean } {
  const sent: string[] = []
  return {
    seq: undefined,
    sent,
    isAwake: true,
    isReady() {
      return this.isAwake
    },
    send: (frames) => void sent.push(...frames),
    end: () => void sent.push('end'),
  }
}

test('ten thousand items reach a viewer in few small frames, and a slow one gets only the newest state', async () => {
  stopClock()
  const events = [...badFleet(10_000)]
  let end = 0
  const { run, view } = watched(events, async (seq) => {
    while (seq > end) await setImmediate()
  })
  const failures: unknown[] = []
  const fold = createRunFold(run, (error) => failures.push(error))
  onTestFinished(() => {
    end = Number.POSITIVE_INFINITY
    fold.close()
  })
  await fold.catchUp()
  const [quick, slow] = [createViewer(), createViewer()]
  slow.isAwake = false
  for (const viewer of [quick, slow]) fold.watch(viewer)
  expect(quick.sent).toHaveLength(1)
  while (end < events.length) {
    end = Math.min(end + 2000, events.length)
    while (view.seq < end) await setImmediate()
    quick.sent.splice(0)
    // At most four times a second, whatever has happened in between.
    vi.advanceTimersByTime(249)
    expect(quick.sent).toEqual([])
    vi.advanceTimersByTime(1)
    expect(quick.sent.map((frame) => [frame.match(/^id: (\d+)$/m)?.[1], frame.length < 32 * 1024])).toEqual([
      [String(end), true],
    ])
  }
  expect([failures, slow.sent]).toEqual([[], []])
  slow.isAwake = true
  vi.advanceTimersByTime(250)
  expect(slow.seq).toBe(events.length)
  expect(slow.sent.join('')).toContain(`"seq":${events.length}`)
})

test('rates stay true while nothing happens: viewers get the loops under way every five seconds', async () => {
  stopClock('Date')
  const events = [...badFleet(600)]
  vi.setSystemTime(Date.parse(events.at(-1)?.event.at ?? ''))
  const { run, view } = watched(events, async (seq) => {
    while (seq > events.length) await setImmediate()
  })
  const viewer = await folded(run, view, events)
  const loopOf = (frame = ''): LoopFacts | undefined =>
    (JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? '') as RunView).nodes.find(({ loop }) => loop)?.loop
  const [first] = viewer.sent.splice(0)
  expect(loopOf(first)?.per_minute).toBeGreaterThan(0)
  vi.advanceTimersByTime(5000)
  expect(viewer.sent.map((frame) => [frame.match(/^id: (\d+)$/m)?.[1], frame.includes('is_whole')])).toEqual([
    [String(events.length), false],
  ])
  expect(loopOf(viewer.sent[0])?.per_minute).toBeLessThan(loopOf(first)?.per_minute ?? 0)
  // Nothing has ended for a minute: what changes is how long items are in flight.
  vi.advanceTimersByTime(60_000)
  expect(loopOf(viewer.sent.at(-1))).not.toHaveProperty('per_minute')
  viewer.sent.splice(0)
  vi.advanceTimersByTime(60_000)
  const inFlight = viewer.sent.map((frame) => loopOf(frame)?.time?.in_flight_ms ?? 0)
  expect(inFlight).toHaveLength(12)
  expect(inFlight).toEqual([...new Set(inFlight)].toSorted((one, other) => one - other))
})

test('of a loop whose items are steps of their own nothing is sent while nothing happens', async () => {
  stopClock('Date')
  const events = [...badFleet(10)]
  const { run, view } = watched(events, async () => {})
  const viewer = await folded(run, view, events)
  vi.advanceTimersByTime(60_000)
  viewer.sent.splice(0)
  vi.advanceTimersByTime(60_000)
  expect(viewer.sent).toEqual([])
})

test('a run is forgotten a minute after its last viewer, and the oldest of many that nobody watches before', async () => {
  stopClock()
  let nowMs = 0
  const opened: string[] = []
  const closed: string[] = []
  const reads: Pick<ConsoleReads, 'runId' | 'watch'> = {
    runId: async (given) => given,
    async watch(runId) {
      opened.push(runId)
      const { run } = watched([], async () => {})
      return {
        ...run,
        async *follow(_after, signal) {
          signal.addEventListener('abort', () => closed.push(runId))
          while (!signal.aborted) await setImmediate()
        },
      }
    },
  }
  const folds = createFolds(
    reads,
    () => {},
    () => nowMs,
  )
  onTestFinished(() => folds.close())
  const pass = async (ms: number): Promise<void> => {
    nowMs += ms
    vi.advanceTimersByTime(5000)
    await setImmediate()
  }
  const fold = await folds.open('a')
  expect(await folds.open('a')).toBe(fold)
  const leave = fold.watch(createViewer())
  await pass(600_000)
  expect(closed).toEqual([])
  leave()
  await pass(59_000)
  expect(closed).toEqual([])
  await pass(2000)
  expect(closed).toEqual(['a'])
  expect(await folds.open('a')).not.toBe(fold)
  expect(opened).toEqual(['a', 'a'])
  ;(await folds.open('b')).watch(createViewer())
  for (let number = 0; number < 30; number++) {
    nowMs += 1
    await folds.open(`run_${number}`)
  }
  await setImmediate()
  expect(closed.slice(1)).toEqual(['a', ...Array.from({ length: 10 }, (_, number) => `run_${number}`)])
})

test('who opens a run sees what is on record then, also what is not followed yet, and each event counts once', async () => {
  const events = [...badFleet(20)]
  let onRecord = 10
  let isFollowed = false
  const { run, view } = watched(events, async () => {
    while (!isFollowed) await setImmediate()
  })
  const taken: number[] = []
  const take = (recorded: RecordedEvent): void => {
    taken.push(recorded.seq)
    run.take(recorded)
  }
  const past = async (afterSeq: number) => events.slice(afterSeq, onRecord)
  const folds = createFolds(
    { runId: async (id) => id, watch: async () => ({ ...run, take, past }) },
    () => {},
  )
  onTestFinished(() => {
    isFollowed = true
    folds.close()
  })
  await folds.open('a')
  expect(view.seq).toBe(10)
  onRecord = events.length
  await Promise.all([folds.open('a'), folds.open('a')])
  expect(view.seq).toBe(events.length)
  isFollowed = true
  for (let passes = 0; passes < events.length * 5; passes++) await setImmediate()
  expect(taken).toEqual(events.map(({ seq }) => seq))
})

test('a page whose run cannot be read for a while leaves the viewers of the run as they are', async () => {
  const events = [...badFleet(5)]
  const { run, view } = watched([], async () => {})
  let isReadable = true
  const past = async (afterSeq: number) => {
    if (!isReadable) throw new Error('the server is away')
    return events.slice(afterSeq)
  }
  const failures: unknown[] = []
  const folds = createFolds({ runId: async (id) => id, watch: async () => ({ ...run, past }) }, (error) =>
    failures.push(error),
  )
  onTestFinished(folds.close)
  const watchedFold = await folds.open('a')
  isReadable = false
  await expect(folds.open('a')).rejects.toThrow('the server is away')
  isReadable = true
  events.push(...[...badFleet(6)].slice(events.length))
  expect(await folds.open('a')).toBe(watchedFold)
  expect(view.seq).toBe(events.length)
  expect(failures).toEqual([])
})

test('a run that cannot be followed any more ends its streams, so that their pages ask again', async () => {
  let fail = (): void => {}
  const failed = new Promise<never>((_, reject) => {
    fail = () => reject(new Error('the record is damaged'))
  })
  failed.catch(() => {})
  const { run } = watched([...badFleet(5)], () => failed)
  const failures: unknown[] = []
  const folds = createFolds({ runId: async (id) => id, watch: async () => run }, (error) =>
    failures.push(error),
  )
  onTestFinished(folds.close)
  const fold = await folds.open('a')
  const viewers = [createViewer(), createViewer()]
  for (const viewer of viewers) fold.watch(viewer)
  fail()
  await expect.poll(() => viewers.map(({ sent }) => sent.at(-1))).toEqual(['end', 'end'])
  expect(failures).toHaveLength(1)
  expect(await folds.open('a')).not.toBe(fold)
})

test('a viewer that leaves while its run is read takes no stream from others', async () => {
  const { run } = watched([], async () => {})
  let letIn = (): void => {}
  const gate = new Promise<void>((resolve) => {
    letIn = resolve
  })
  const reads = { runId: async () => 'run_1', watch: () => gate.then(() => run) } as unknown as ConsoleReads
  const console = await openConsole(await newFolder(), { reads })
  const connections = () => promisify(console.app.server.getConnections).call(console.app.server)
  const address = `${console.url}/api/v1/stream?topics=run:run_1`
  const left = Array.from({ length: 200 }, () => request(address, { headers: { cookie: console.cookie } }))
  for (const one of left) one.on('error', () => {}).end()
  await expect.poll(connections).toBe(200)
  for (const one of left) one.destroy()
  await expect.poll(connections).toBe(0)
  letIn()
  expect((await console.get('/api/v1/runs/run_1/view')).status).toBe(200)
  expect(await listen(address, console.cookie).headers).toMatchObject({ status: 200 })
})
