/** The first event of docs/triggers.md, command by command, as a shell does them. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'
import { requireBuild, root } from '../cli/support/process.ts'
import { serve, stop } from '../cli/support/serve.ts'
import { secret } from './server/serve-hooks.ts'

beforeAll(requireBuild)

const page = readFileSync(join(root, 'docs/triggers.md'), 'utf8').split('\n## Hooks\n')[0] ?? ''
const [, section = ''] = page.split('\n## A first event\n')
const runbook = /```yaml\n# runbooks\/greet-host\.yaml\n([^`]*)```/.exec(section)?.[1] ?? ''
const hooks: Readonly<Record<string, object>> = Object.assign(
  {},
  ...[...page.matchAll(/```yaml\n# opsbook\.yaml\n([^`]*)```/g)].map(([, yaml = '']) => parse(yaml).hooks),
)
const sessions = [...section.matchAll(/```console\n([^`]*)```/g)].map(([, session = '']) => {
  const lines = session.trimEnd().split('\n')
  return {
    commands: lines.flatMap((line) => (line.startsWith('$ ') ? [line.slice(2)] : [])),
    answer: lines.filter((line) => !line.startsWith('$ ')).join('\n'),
  }
})

test('both senders of the page start the runbook, and the page shows what they are answered', async () => {
  const folder = await newFolder({
    'opsbook.yaml': JSON.stringify({ hooks }),
    'runbooks/greet-host.yaml': runbook,
  })
  const env = {
    OPSBOOK_DATA_DIR: join(folder, 'data'),
    OPSBOOK_WEBHOOK_SECRET: secret,
    ALERT_TOKEN: 'a long token of the sender',
  }
  const { running, origin } = await serve(folder, env, ['--sandbox'])
  expect(sessions).toHaveLength(2)
  for (const { commands, answer } of sessions) {
    const script = commands.join('\n').replace('http://127.0.0.1:8687', origin)
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      env: { PATH: process.env['PATH'], ...env },
    })
    expect(stdout.replace(/run_\d\w+/, 'run')).toBe(answer.replace(/run_\d\w+/, 'run'))
  }
  const { stdout } = await opsbook(['events', 'show', 'a-17', '-o', 'json'], { folder, env })
  expect(JSON.parse(stdout).body).toEqual({
    incident: { id: 'a-17', severity: 'CRITICAL', labels: { host: 'db-01' } },
  })
  await stop(running)
})
