// The first run: a real runbook through all nine operations, on the embedded engine, against the built-in sandbox.
import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const inputs = [
  'host=web-01',
  'application_name=checkout-next',
  'card_url=https://agents.example.com/.well-known/agent-card.json',
  'session_id=sess_nested',
  'rule_id=sev_console_error',
  'post_mortem_id=00000000000000000000000000000001',
]
const dataDir = mkdtempSync(join(tmpdir(), 'opsbook-'))
const command = ['run', 'runbooks/incident-to-post-mortem.yaml', '--sandbox', '--data-dir', dataDir]
const args = [...command, ...inputs.flatMap((input) => ['--input', input]), ...process.argv.slice(2)]

const child = spawn(process.execPath, ['dist/cli/main.js', ...args], { stdio: 'inherit' })
// The child hears the terminal's signals itself; it decides how to stop.
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => signal === 'SIGTERM' && child.kill(signal))
child.on('exit', (code, signal) => {
  if (code === 0 && process.argv.length === 2) {
    console.error(`
Try next:
  node dist/cli/main.js show latest --data-dir ${dataDir}    # each step of this run, and its outputs
  node dist/cli/main.js console --read-only --data-dir ${dataDir}    # this run in a browser
  node dist/cli/main.js plan runbooks/diagnose-host.yaml --sandbox --input host=disk-01    # what a run would do
  node dist/cli/main.js run runbooks/diagnose-host.yaml --sandbox --input host=disk-01    # the first runbook to read`)
  }
  process.exit(signal ? 1 : (code ?? 1))
})
