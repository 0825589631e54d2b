import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { parseDuration } from '../../../src/core/duration.ts'
import { closeRun } from '../../../src/engine/embedded/index.ts'
import { openEventStore } from '../../../src/engine/embedded/received-events/event-store.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { type Decider, expected, playStory, type Story } from './play-story.ts'

const file = new URL('../../cases/triggers/decide.yaml', import.meta.url)
const stories = parse(readFileSync(file, 'utf8')) as readonly Story[]

describe('what the embedded engine decides of events', () => {
  it.each(stories)('$about', async (story) => {
    expect(await playStory(story, decideInDatabase(story))).toEqual(expected(story))
  })
})

function keepKeysMs(story: Story): number {
  return parseDuration(story['keep-keys'] ?? '7d') ?? Number.NaN
}

function decideInDatabase(story: Story): Decider {
  const dataDir = mkdtempSync(join(tmpdir(), 'opsbook-decide-'))
  let clock = 0
  const startLimits: string[] = []
  const book = openEventStore({
    dataDir,
    keepKeysMs: keepKeysMs(story),
    now: () => clock,
    notices(notice) {
      startLimits.push(notice.runbook)
      return []
    },
  })
  onTestFinished(async () => {
    await book.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return {
    async evaluation(evaluation, nowMs) {
      clock = nowMs
      const { starts } = await book.evaluation(evaluation)
      // Recorded by runbook and trigger, whatever the order of the offer.
      return evaluation.candidates.map(({ runbook, trigger }) => {
        const found = starts.find((one) => one.runbook === runbook && one.trigger === trigger)
        if (!found) throw new Error('nothing was decided')
        return found
      })
    },
    async setPause(by) {
      await book.setPause(
        by === undefined ? undefined : { by: systemUserNamed(by), since: '2026-11-21T08:00:00Z' },
      )
    },
    endRun: (runId) => closeRun({ dataDir, runId, by: systemUserNamed('alex') }),
    startLimits: async () => startLimits,
  }
}
