import { readFileSync } from 'node:fs'
import { sandboxKeys } from 'opsbook/sandbox'
import { describe, expect, it } from 'vitest'
import { openFileSandbox } from './open-sandbox.ts'

const page = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8')

const sandbox = await openFileSandbox()

describe('docs/sandbox.md', () => {
  it('names every key, host, session, datasource, runner, application, rule and post-mortem', async () => {
    const state = await sandbox.control('state')
    const names: readonly string[] = [
      ...sandboxKeys.map(({ key }) => key),
      ...state.hosts.map((host: { locator: string }) => host.locator),
      ...state.sessions.map((session: { session_id: string }) => session.session_id),
      ...state.datasources.map((datasource: { ds_name: string }) => datasource.ds_name),
      ...state.runners.map((runner: { environment_id: string }) => runner.environment_id),
      ...state.post_mortems.map((postMortem: { post_mortem_id: string }) => postMortem.post_mortem_id),
      ...state.applications.flatMap(
        (application: { application_id: string; severityRules: { rule_id: string }[] }) => [
          application.application_id,
          ...application.severityRules.map(({ rule_id }) => rule_id),
        ],
      ),
    ]
    expect(names.length).toBeGreaterThan(40)
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })

  it('names every endpoint, setting and fault', async () => {
    const { endpoints } = (await sandbox.send('/_sandbox', { method: 'GET' })).json
    const paths = endpoints.map((line: string) => /(\/_sandbox[^:]*):/.exec(line)?.[1])
    expect(paths.filter((path: string) => !page.includes(path))).toEqual([])
    const settings = Object.keys(await sandbox.control('config'))
    expect(settings.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
    const { problem } = await sandbox.control('faults', [{ operation: 'E1' }])
    const kinds: readonly string[] = problem.split('give one of ')[1].split(', ')
    expect(kinds.length).toBeGreaterThan(10)
    expect(kinds.filter((kind) => !page.includes(`\`${kind}`))).toEqual([])
  })

  it('shows faults that work', async () => {
    const [, example = ''] = /_sandbox\/faults -d '(\[[^']*\])'/.exec(page) ?? []
    expect((await sandbox.control('faults', JSON.parse(example))).faults).toHaveLength(4)
  })
})
