import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createActions } from '../../src/actions/index.ts'
import { loadRunbook } from '../../src/load/index.ts'

const actions = createActions([], { commands: { local: true, ssh: ['*.prod.example'] } })

function yamlBlocks(page: string): readonly string[] {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8')
  return [...text.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, block = '']) => block)
}

/** The codes of everything that is found, and where. */
function findingsOf(runbook: string): readonly string[] {
  const child =
    'apiVersion: opsbook/v1\nname: child\nsteps: [{ id: a, uses: core/log, with: { message: a } }]\n'
  const { diagnostics } = loadRunbook(runbook, actions, { file: 'main.yaml', readRunbook: () => child })
  return diagnostics.map(({ code, message, path }) => `${code} ${path}: ${message}`)
}

/** What examples of steps refer to. */
const surroundings = `apiVersion: opsbook/v1
name: examples
secrets: [tickets_token, ops_key, db_password]
inputs:
  type: object
  required: [count, table]
  properties: { count: { type: integer }, table: { type: string } }
steps:
  - { id: checks, uses: monit/tools/invoke, with: { target_locator: web-01, tools: [{ tool: os.overview }] } }
`

describe('examples of events', () => {
  const steps = yamlBlocks('triggers.md').filter((block) => block.startsWith('steps:\n'))
  it.each(steps)('say whether a POST may be repeated: %s', (block) => {
    expect(findingsOf(`apiVersion: opsbook/v1\nname: events\n${block}`).join('\n')).not.toContain(
      'SAFETY_NOT_STATED',
    )
  })
})

describe('examples of actions', () => {
  const steps = yamlBlocks('actions.md')
  it.each(steps.map((step) => [/uses: (\S+)/.exec(step)?.[1], step] as const))('%s', (_, step) => {
    expect(findingsOf(surroundings + step.replaceAll(/^(?=.)/gm, '  '))).toEqual([])
  })
  it('there is one for each', () => {
    expect(steps.length).toBeGreaterThanOrEqual(actions.length)
  })
})

describe.each(['language.md'])('runbooks in %s', (page) => {
  const runbooks = yamlBlocks(page).filter((block) => block.includes('apiVersion:'))
  it.each(runbooks.map((runbook) => [/name: (\S+)/.exec(runbook)?.[1], runbook] as const))(
    '%s',
    (_, runbook) => {
      expect(findingsOf(runbook)).toEqual([])
    },
  )
})
