import { beforeAll, expect, test } from 'vitest'
import { requireBuild } from './support/process.ts'
import { json, project, type ServeProcess, send, serve, stop } from './support/serve.ts'
import { startService } from './support/service.ts'

beforeAll(requireBuild)

test('500 deliveries of one incident, 50 at a time, and a process that is killed in the middle: one run', async () => {
  const service = await startService()
  const { folder, env } = await project(service.env())
  /** The process that serves now, or the one that follows it. */
  let serving = serve(folder, env)
  const kill = async ({ running }: ServeProcess): Promise<ServeProcess> => {
    running.child.kill('SIGKILL')
    await running.ended
    return serve(folder, env)
  }
  let answered = 0
  let isKilled = false
  const answers = new Map<string, Set<string>>()
  const deliver = async (number: number): Promise<void> => {
    // Each event comes five times, each time it is the same incident.
    const id = `event-${number % 100}`
    for (;;) {
      const answer = await send((await serving).url, id, { id: 'inc-1', name: 'shop' }).catch(() => undefined)
      if (answer?.status === 200) {
        answers.set(id, (answers.get(id) ?? new Set()).add(answer.text))
        answered++
        return
      }
      expect([undefined, 503]).toContain(answer?.status)
    }
  }
  const numbers = Array.from({ length: 500 }, (_, number) => number)
  const sender = async (): Promise<void> => {
    for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
      await deliver(number)
      if (answered < 150 || isKilled) continue
      isKilled = true
      serving = kill(await serving)
    }
  }
  await Promise.all(Array.from({ length: 50 }, sender))

  // The same event has had the same answer each time, and all of them speak of one run.
  expect(answers.size).toBe(100)
  for (const [id, texts] of answers) expect([id, [...texts]]).toEqual([id, [expect.any(String)]])
  const starts = [...answers.values()].flatMap(([text = '']) => JSON.parse(text).starts)
  expect(starts.filter(({ run_id }) => run_id !== undefined)).toHaveLength(1)
  expect(starts.filter(({ because }) => because === 'duplicate')).toHaveLength(99)
  // Nothing that was answered is missing.
  const { events } = await json(['events', '--limit', '1000'], folder, env)
  expect(events.map(({ event_id }: { event_id: string }) => event_id).toSorted()).toEqual(
    [...answers.keys()].toSorted(),
  )
  expect(
    events.reduce((sum: number, one: { deliveries: number }) => sum + one.deliveries, 0),
  ).toBeGreaterThanOrEqual(500)
  const runs = async () => (await json(['runs'], folder, env)).runs
  expect(await runs()).toMatchObject([{ started_from: { kind: 'event', hook: 'incidents' } }])
  await expect.poll(async () => (await runs())[0].status).toMatch(/succeeded|unknown/)
  expect((await service.calls()).filter((operation) => operation === 'E2').length).toBeLessThanOrEqual(1)
  await stop((await serving).running)
})
