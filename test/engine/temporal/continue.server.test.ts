import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { defineAction, RunbookError, type TimedRunEvent } from 'opsbook'
import { beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import { callWord } from '../../../src/engine/record/index.ts'
import { decideRun } from '../../../src/engine/temporal/client/decide-run.ts'
import { resumeRun } from '../../../src/engine/temporal/client/resume-run.ts'
import { packedBytes } from '../../../src/engine/temporal/workflow/packed-size.ts'
import { systemUserNamed } from '../../support/identity.ts'
import { stageOfFile } from './support/stage-of-file.ts'

/** How often actions were called, by their argument `n`. */
const calls = new Map<string, number>()
/** What is to fail, by the same. */
const broken = new Map<string, RunbookError>()

const own = (['read', 'create'] as const).map((safety) =>
  defineAction<{ n: unknown }>({
    name: `test/${safety}`,
    summary: 'Count, or fail',
    safety,
    input: { type: 'object', properties: { n: {} }, required: ['n'] },
    output: { type: 'object', properties: { n: {} } },
    async run({ n }) {
      const key = String(n)
      calls.set(key, (calls.get(key) ?? 0) + 1)
      const error = broken.get(key)
      if (error) throw error
      return { n }
    },
  }),
)

const stage = stageOfFile(own)
beforeEach(() => {
  calls.clear()
  broken.clear()
})

const call = (n: unknown): object => ({ uses: 'test/read', with: { n } })
const read = (id: string, n: unknown): object => ({ id, ...call(n) })

describe('a run whose state is larger than a server accepts', () => {
  it('is cleaned up, and fails', async () => {
    const noise = (bytes: number): string => randomBytes(bytes).toString('base64')
    const plan = stage.compile({
      inputs: {
        type: 'object',
        properties: { one: { type: 'string' }, other: { type: 'string' }, rest: { type: 'string' } },
        required: ['one', 'other', 'rest'],
      },
      steps: [
        read('one', '${{ inputs.one }}'),
        read('other', '${{ inputs.other }}'),
        {
          id: 'each',
          'for-each': { items: Array.from({ length: 30 }, (_, n) => n), as: 'item' },
          ...call('${{ item }}'),
        },
        read('last', '${{ size(steps.one.outputs.n) + size(steps.other.outputs.n) }}'),
      ],
      finally: [read('clean', 'clean')],
    } as never)
    const inputs = { one: noise(300_000), other: noise(300_000), rest: noise(700_000) }
    const run = await stage.start(plan, { inputs, mostEvents: 60 })
    const last: TimedRunEvent[] = []
    for await (const event of run.events) last.splice(0, 1, event)
    const failed = { status: 'failed', error: { code: 'RunStateTooLarge' } }
    expect(await run.result).toMatchObject(failed)
    expect(last[0]).toMatchObject({ type: 'run_finished', ...failed })
    expect(calls.get('clean')).toBe(1)
    expect(calls.has('29')).toBe(false)
  })
})

describe('the size of what is packed', () => {
  it.each<[string, unknown]>([
    ['random', randomBytes(300_000).toString('base64')],
    ['random digits', randomBytes(200_000).toString('hex')],
    ['a log', Array.from({ length: 3000 }, (_, n) => ({ path: `each[${n}]/inner`, status: 'succeeded', n }))],
    ['other letters', '稼働中のホスト'.repeat(3000) + randomBytes(9000).toString('base64')],
    ['all the same', 'a'.repeat(100_000)],
  ])('is never less than what it takes: %s', (_, value) => {
    const packed = gzipSync(JSON.stringify({ value })).length
    expect(packedBytes({ value }) + 1024).toBeGreaterThanOrEqual(packed)
  })
})

describe('a run that has ended', () => {
  const resume = { by: systemUserNamed('somebody') }

  it.each([
    ['succeeded', { status: 'succeeded', outputs: { made: 'by hand' } }, 1],
    ['failed', { error: { code: 'DecidedFailed' } }, 1],
    ['retry', { status: 'succeeded' }, 2],
  ] as const)('continues after a decision that a create has %s', async (decision, expected, made) => {
    broken.set('c', new RunbookError('ConnectionLost', 'gone'))
    const plan = stage.compile({
      steps: [
        { id: 'make', uses: 'test/create', with: { n: 'c' } },
        read('after', 'after ${{ steps.make.outputs.n }}'),
      ],
      outputs: { made: '${{ steps.make.outputs.n }}' },
    } as never)
    const run = await stage.start(plan)
    expect(await run.result).toMatchObject({ status: 'unknown', error: { code: 'OutcomeUnknown' } })
    const options = { client: stage.client, runId: run.runId, taskQueue: stage.taskQueue, ...resume }
    await expect(resumeRun(options)).rejects.toThrow('needs a decision first: the outcome of make is unknown')
    broken.clear()
    const decide = (one: typeof decision, replaces = true) =>
      decideRun(options, run.runId, 'make', {
        decision: one,
        replaces,
        outputs: { n: 'by hand' },
        by: systemUserNamed('me'),
      })
    // The last decision counts.
    for (const one of ['retry', 'failed', decision] as const) expect(await decide(one)).toEqual([])
    await expect(decide('retry', false)).rejects.toThrow(
      `make of ${run.runId} is resolved already: as ${decision}`,
    )
    // Somebody has decided since this word was shown.
    const shown = callWord({ path: 'make', attempt: 1 }, { decisions: [], resumes: [] })
    const late = { decision, shown, replaces: true, by: systemUserNamed('me') }
    await expect(decideRun(options, run.runId, 'make', late)).rejects.toThrow(
      'has changed since it was shown',
    )
    expect(calls.get('c')).toBe(1)
    await resumeRun(options)
    const ended = await stage.client.workflow
      .getHandle(run.runId)
      .result()
      .catch((thrown: { cause: { details: object[] } }) => thrown.cause.details[0])
    expect(ended).toMatchObject(expected)
    expect(calls.get('c')).toBe(made)
  })

  describe('after a decision', () => {
    const decided = async (more: object) => {
      broken.set('c', new RunbookError('ConnectionLost', 'gone'))
      const plan = stage.compile({
        steps: [{ id: 'make', uses: 'test/create', with: { n: 'c' } }, ...Object.values(more)],
        outputs: { made: '${{ steps.make.outputs.n }}' },
      } as never)
      const run = await stage.start(plan)
      await run.result
      broken.clear()
      const options = { client: stage.client, runId: run.runId, taskQueue: stage.taskQueue, ...resume }
      const outcome = () =>
        stage.client.workflow
          .getHandle(run.runId)
          .result()
          .catch((thrown: { cause: { details: object[] } }) => thrown.cause.details[0])
      const decide = (outputs: JsonObject) =>
        decideRun(options, run.runId, 'make', {
          decision: 'succeeded',
          outputs,
          replaces: true,
          by: systemUserNamed('me'),
        })
      return { options, outcome, decide }
    }

    it('is refused once a call was begun with it', async () => {
      const { options, outcome, decide } = await decided({
        after: read('after', 'after ${{ steps.make.outputs.n }}'),
      })
      broken.set('after wrong', new RunbookError('NotFound' as never, 'there is none'))
      await decide({ n: 'wrong' })
      await resumeRun(options)
      expect(await outcome()).toMatchObject({ status: 'failed' })
      await expect(decide({ n: 'right' })).rejects.toThrow('it cannot be decided again')
    })
  })
})
