import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { RunbookError } from '../../../src/core/run-error.ts'
import type { ScheduleTable } from '../../../src/engine/embedded/index.ts'
import { evaluateSchedule } from '../../../src/triggers/schedules/evaluate-schedule.ts'
import { schedulesOf } from '../../../src/triggers/schedules/schedule-entry.ts'
import { createTriggerScheduler } from '../../../src/triggers/schedules/scheduler.ts'
import { createHandClock, planWith, playStory, type Story } from './play-story.ts'

const file = new URL('../../cases/schedules/scheduler.yaml', import.meta.url)
const stories = parse(readFileSync(file, 'utf8')) as readonly Story[]

describe('what becomes of the times of a schedule', () => {
  it.each(stories)('$about', async (story) => {
    const { fires, cancelled, startedFrom, told } = await playStory(story)
    expect(fires).toEqual(story.fires)
    expect(cancelled).toEqual(story.cancelled ?? [])
    expect(told.length > 0).toBe(Object.values(fires).includes('missed'))
    // A run for each time that was started, and no others.
    const started = Object.keys(fires).filter((at) => fires[at] === 'started')
    expect(startedFrom).toEqual(
      started.map((at) => ({
        kind: 'schedule',
        schedule: 'scheduled',
        at: `2026-11-21T${at}:00.000Z`,
        trigger: 1,
      })),
    )
  })
})

it('people are notified of all missed times in one message', async () => {
  const { told } = await playStory({
    about: '',
    schedule: { cron: '0 * * * *' },
    story: [
      { clock: '08:30' },
      { serve: 'start' },
      { serve: 'stop' },
      { clock: '11:20' },
      { serve: 'start' },
    ],
    fires: {},
  })
  expect(told).toEqual([
    'schedule_missed: the schedule scheduled: 3 times from 2026-11-21T09:00:00.000Z to 2026-11-21T11:00:00.000Z were missed; no process was running to start it until 20m later',
  ])
})

it('a missed year of seconds has a short record, and delays no other schedule', async () => {
  const plan = planWith({ every: '1s', overlap: 'allow-all' })
  const [entry] = schedulesOf(plan)
  if (!entry) throw new Error('there is no schedule')
  const evaluatedUntilMs = Date.parse('2025-11-21T00:00:00Z')
  const nowMs = Date.parse('2026-11-21T00:00:00Z')
  const evaluation = evaluateSchedule(
    entry,
    { evaluatedUntilMs, running: [], isPaused: false, isDecided: () => false },
    nowMs,
  )
  expect(evaluation.fires.length).toBeLessThan(500)
  expect(evaluation.fires.at(-1)?.message).toContain('all later ones until 2026-11-20T23:58:59.999Z')
  // What can be caught up is looked at next, at once.
  expect([evaluation.evaluatedUntilMs, evaluation.wakeAtMs]).toEqual([nowMs - 60_001, nowMs - 60_000])
})

it('a schedule that cannot be looked after holds up no other', async () => {
  const entries = schedulesOf(planWith({ every: '1h' }))
  const clock = createHandClock(0)
  const looked: string[] = []
  const problems: string[] = []
  const scheduler = createTriggerScheduler({
    entries: ['broken', 'sound'].flatMap((id) => entries.map((entry) => ({ ...entry, id }))),
    store: {
      declare: () => {},
      take(id: string) {
        looked.push(id)
        if (id === 'broken') throw new RunbookError('DataDirUnusable', 'the disk is full')
        return undefined
      },
    } as unknown as ScheduleTable,
    clock,
    onProblem: ({ code }, { id }) => problems.push(`${id}: ${code}`),
  })
  scheduler.start()
  await clock.untilWaiting(1)
  await clock.set(1000)
  await scheduler.stop()
  expect(looked).toEqual(['broken', 'sound', 'broken', 'sound'])
  expect(problems).toEqual(['broken: DataDirUnusable'])
})
