/** The attack: a secret that a child runbook gets, and that later steps of its parent show, in a later execution too. */
import { expect, test } from 'vitest'
import { startStandIn } from '../../api/stand-in.ts'
import { startReceiver } from '../../engine/notifications/receiver.ts'
import { enginesOfTest } from '../../engine/temporal/commands/open-engines.ts'

const canary = 'CHILDCANARY-9d1e-of-ada'

// No text of the runbook and no input holds the whole secret.
const parent = (url: string): string => `apiVersion: opsbook/v1
name: parent
inputs: { type: object, required: [name], properties: { name: { type: string } } }
steps:
  - { id: child, uses: core/run, with: { runbook: child.yaml, inputs: { token: "\${{ 'CHILDCANARY-9d1e-of-' + inputs.name }}" } } }
  - { id: gate, uses: core/http, with: { url: "${url}" } }
  - { id: say, uses: core/log, with: { message: "it was \${{ steps.child.outputs.token }}" } }
  - { id: set, uses: core/set, with: { token: "\${{ steps.child.outputs.token }}" } }
  - id: app
    uses: rum/application/create
    with: { application_name: "\${{ steps.set.outputs.token }}", type: browser, team_id: 1 }
  - id: check
    uses: core/assert
    with: { that: ["\${{ inputs.name == 'x' }}"], message: "not \${{ steps.child.outputs.token }}" }
`
const child = `apiVersion: opsbook/v1
name: child
inputs: { type: object, required: [token], properties: { token: { type: string, writeOnly: true } } }
steps:
  - id: app
    uses: rum/application/create
    with: { application_name: "in \${{ inputs.token }}", type: browser, team_id: 1 }
outputs: { token: "\${{ inputs.token }}" }
`

test.each(['embedded', 'temporal'] as const)(
  'a sensitive input of a child runbook is shown nowhere after a resume: %s',
  async (kind) => {
    const chat = await startReceiver()
    // It refuses the first request, and answers the others.
    const gate = await startStandIn(
      (_, response, asked) => void response.writeHead(asked === 1 ? 403 : 200).end('{}'),
    )
    const engines = await enginesOfTest(
      { 'parent.yaml': parent(gate.baseUrl), 'child.yaml': child, 'chat.url': chat.url },
      { more: 'notify: [{ on: [run_failed], url: "file:chat.url" }]\n' },
    )
    const command = engines[kind]
    const env = { OPSBOOK_LOG_LEVEL: 'debug' }
    const run = await command(['run', 'parent.yaml', '-i', 'name=ada'], { env })
    expect(run.code, run.stderr).toBe(1)
    const runId = /run_\w+/.exec(run.stdout)?.[0] ?? ''
    const outside = kind === 'embedded' ? ['--sandbox', '--allow-outside'] : []
    const resumed = await command(['resume', runId, ...outside], { env })
    expect(resumed.stdout).toContain('AssertionFailed')
    await chat.has(2)
    const seen: Record<string, string> = {
      run: run.stdout + run.stderr,
      resume: resumed.stdout + resumed.stderr,
      chat: JSON.stringify(chat.received),
    }
    const lines = [
      'show',
      'show --full',
      'show -o json --full',
      'logs',
      'logs -o ndjson',
      'watch',
      'runs -o json --runbook',
    ]
    for (const line of lines) {
      const { stdout, stderr } = await command([
        ...line.split(' '),
        line.startsWith('runs') ? 'parent' : runId,
      ])
      seen[line] = stdout + stderr
    }
    const shown = Object.entries(seen).filter(([, text]) => text.includes(canary))
    expect(shown.map(([place]) => place)).toEqual([])
    expect(seen['logs']).toContain('say: it was (masked)')
  },
  120_000,
)
