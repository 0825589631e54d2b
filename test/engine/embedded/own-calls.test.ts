import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineAction, RunbookError, type Safety } from 'opsbook'
import { expect, it } from 'vitest'
import { createStage } from './support/stage.ts'

/** A stage with batches of two, one that reads and one that creates; groups with one of the wrong names are refused. */
function createBatchStage(...wrong: readonly string[]) {
  const groups: string[] = []
  const broken = new Set(wrong)
  const define = (name: string, safety: Safety) =>
    defineAction<{ names: readonly string[] }>({
      name,
      summary: 'Takes two names a call',
      safety,
      batch: { argument: 'names', size: 2, results: 'results', isPositional: true },
      input: {
        type: 'object',
        required: ['names'],
        additionalProperties: false,
        properties: { names: { type: 'array', items: { type: 'string' } } },
      },
      output: { type: 'object', properties: { results: { type: 'array' } } },
      async run({ names }) {
        const refused = names.find((name) => broken.has(name))
        if (refused !== undefined) throw new RunbookError('RequestLocked', `${refused} is locked`)
        groups.push(names.join('+'))
        const more = '.'.repeat(100 * groups.length)
        return { results: names.map((name) => ({ made: `${name}${groups.length}`, more })) }
      },
    })
  return {
    stage: createStage([define('batch/read', 'read'), define('batch/make', 'create')]),
    /** The groups that were executed. */
    groups,
    mend: () => broken.clear(),
  }
}

const many = (action: string, more = ''): string =>
  `  - { id: many, uses: ${action}, with: { names: [a, b, c] }, save-as: many.json, retry: { attempts: 1 }${more} }\n`

function madeIn(folder: string): readonly string[] {
  const { results } = JSON.parse(readFileSync(join(folder, 'many.json'), 'utf8')) as {
    readonly results: readonly ({ readonly made: string } | null)[]
  }
  return results.map((result) => result?.made ?? 'nothing')
}

/** Three polls, of two groups each. */
const poll = ', repeat: { until: "${{ outputs.bytes > 1500 }}", interval: 1ms, max-wait: 1h }'

it('writes the file of a batch at every poll, as the file of one step', async () => {
  const { stage, groups } = createBatchStage()
  const report = await stage.run(many('batch/read', poll))
  expect(report).toMatchObject({ status: 'succeeded' })
  expect(groups).toHaveLength(6)
  expect(madeIn(report.artifacts_dir)).toEqual(['a5', 'b5', 'c6'])
  expect(stage.reader().readRun(report.run_id)?.artifacts).toEqual([
    { file: 'many.json', path: 'many', bytes: expect.any(Number) },
  ])
})

it('polls anew, and writes the file anew, when the failed run is resumed', async () => {
  const { stage, groups } = createBatchStage()
  const failed = await stage.run(many('batch/read', `${poll}, expect: ["\${{ outputs.bytes == 0 }}"]`))
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'ExpectationFailed' } })
  groups.splice(0)
  expect(await stage.resume(failed.run_id)).toMatchObject({ error: { code: 'ExpectationFailed' } })
  expect(groups).toHaveLength(6)
  expect(madeIn(failed.artifacts_dir)).toEqual(['a5', 'b5', 'c6'])
})

it.each(['read', 'make'])(
  'does what a batch that is saved failed at (%s), and saves the whole',
  async (kind) => {
    const { stage, groups, mend } = createBatchStage('c')
    const failed = await stage.run(many(`batch/${kind}`))
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'TooManyFailures' } })
    expect(madeIn(failed.artifacts_dir)).toEqual(['a1', 'b1', 'nothing'])
    mend()
    expect(await stage.resume(failed.run_id)).toMatchObject({ status: 'succeeded' })
    const isCreate = kind === 'make'
    expect(groups).toEqual(isCreate ? ['a+b', 'c'] : ['a+b', 'a+b', 'c'])
    expect(madeIn(failed.artifacts_dir)).toEqual(isCreate ? ['a1', 'b1', 'c2'] : ['a2', 'b2', 'c3'])
  },
)
