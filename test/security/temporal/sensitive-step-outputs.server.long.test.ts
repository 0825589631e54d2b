/** The attack of `sensitive-step-outputs.test.ts`, on workers: what a step marks travels through histories and events. */
import { expect, test } from 'vitest'
import { startReceiver } from '../../engine/notifications/receiver.ts'
import { enginesOfTest } from '../../engine/temporal/commands/open-engines.ts'
import { formsIn } from '../support/encoded-forms.ts'
import { hidden, runbooksOf, startVault } from '../support/marked-outputs.ts'

test('what a step marks as sensitive is masked on workers, too', async () => {
  const [url, chat] = [await startVault(), await startReceiver()]
  const engines = await enginesOfTest(
    { ...runbooksOf(url), 'chat.url': chat.url },
    { more: 'notify: [{ on: [approval_waiting, run_failed], url: "file:chat.url" }]\n' },
  )
  const command = engines.temporal
  const env = { OPSBOOK_LOG_LEVEL: 'debug' }
  const run = await command(['run', 'rotate.yaml'], { env })
  expect(run.code, run.stderr).toBe(1)
  const runId = /run_\w+/.exec(run.stdout)?.[0] ?? ''
  const resumed = await command(['resume', runId, '-i', 'ok=true'], { env })
  expect(resumed.code, resumed.stderr).toBe(0)
  await chat.has(2)
  const seen: Record<string, string> = {
    run: run.stdout + run.stderr,
    resume: resumed.stdout + resumed.stderr,
    chat: JSON.stringify(chat.received),
  }
  for (const line of ['show', 'show --full', 'show --full -o json', 'logs', 'logs -o ndjson', 'watch']) {
    const [name = '', ...flags] = line.split(' ')
    const { stdout, stderr } = await command([name, runId, ...flags], { env })
    seen[line] = stdout + stderr
  }
  for (const value of hidden)
    for (const [line, text] of Object.entries(seen))
      expect({ line, value, forms: formsIn(text, value) }).toEqual({ line, value, forms: [] })
  expect(seen['logs']).toContain('say: pw (masked) on web-01')
  const revealed = await command(['logs', runId, '--reveal'], { env })
  expect(revealed.stdout).toContain('say: pw (masked) on web-01')
})
