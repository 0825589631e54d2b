import { RunbookError } from 'opsbook'
import { expect, it } from 'vitest'
import { createStage, type Stage } from './support/stage.ts'

const child = `apiVersion: opsbook/v1
name: child
steps:
  - { id: work, uses: note/read, with: { name: work } }
`
const caught = `
    catch:
      - errors: [all]
        steps:
          - { id: ticket, uses: note/make, with: { name: ticket } }
          - { id: tell, uses: note/read, with: { name: "tell \${{ error.message }}" } }
`
const kinds = [
  ['a step', `  - id: main\n    uses: note/read\n    with: { name: work }${caught}`, 'main'],
  [
    'a step that runs another runbook',
    `  - id: main\n    uses: core/run\n    with: { runbook: child.yaml }${caught}`,
    'main/on-failure',
  ],
  [
    'a block in a runbook that a step runs',
    '  - { id: main, uses: core/run, with: { runbook: careful.yaml } }\n',
    'main/all',
  ],
  [
    'a block',
    `  - id: all\n    steps: [{ id: main, uses: note/read, with: { name: work } }]${caught}`,
    'all',
  ],
] as const

const kindsInChild = `apiVersion: opsbook/v1\nname: child\nsteps:\n  - id: all\n    steps: [{ id: work, uses: note/read, with: { name: work } }]${caught}`

/** The work fails each time in another way. Its notification fails, too, until it is mended. */
function breakWork(stage: Stage): { mendTelling(): void } {
  let failures = 0
  let isTellingBroken = true
  stage.children['child.yaml'] = child
  stage.children['careful.yaml'] = kindsInChild
  stage.answer = ({ name }) => {
    if (name === 'work') throw new RunbookError('ResourceNotFound', `failure ${++failures}`)
    if (name.startsWith('tell') && isTellingBroken) throw new RunbookError('AccessDenied', 'not told')
    return { name }
  }
  return {
    mendTelling() {
      isTellingBroken = false
    },
  }
}

it.each(kinds)('begins the catch of %s anew, and creates nothing in it twice', async (_, steps, place) => {
  const stage = createStage()
  const trouble = breakWork(stage)
  const failed = await stage.run(steps)
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'AccessDenied' } })
  expect(stage.calls).toEqual(['read work', 'create ticket', 'read tell failure 1'])
  stage.calls.splice(0)
  trouble.mendTelling()
  expect(await stage.resume(failed.run_id)).toMatchObject({ status: 'succeeded' })
  expect(stage.calls).toEqual(['read work', 'read tell failure 2'])
  const tickets = stage
    .rows(`SELECT path, superseded FROM attempts WHERE path LIKE '%ticket'`)
    .map(({ path, superseded }) => `${path} ${superseded}`)
  expect(tickets).toEqual([`${place}/ticket 0`])
})
