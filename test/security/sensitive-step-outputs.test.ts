/**
 * The attack is an accident: a server answers with a password, its runbook marks it as sensitive, and later steps decode
 * it, pass it on under another name and put it into logs, questions, messages, files and reports.
 */
import { expect, test } from 'vitest'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'
import { startReceiver } from '../engine/notifications/receiver.ts'
import { serving } from '../support/listen.ts'
import { formsIn } from './support/encoded-forms.ts'
import { lookOn, views } from './support/look-on.ts'
import { hidden, password, runbooksOf, startVault } from './support/marked-outputs.ts'

test('what a step marks as sensitive is masked wherever it travels', async () => {
  const [url, chat] = [await startVault(), await startReceiver()]
  const notify = 'notify: [{ on: [approval_waiting, run_failed], url: env:CHAT, format: slack }]\n'
  const folder = await newFolder({ 'opsbook.yaml': notify, ...runbooksOf(url) })
  const surroundings = { folder, env: { CHAT: chat.url, OPSBOOK_LOG_LEVEL: 'debug' } }
  const { texts, codes, play, expectHidden } = lookOn(surroundings)
  await play('run rotate.yaml', 'show latest --full', 'resume latest -i ok=true', ...views)
  expect(codes).toMatchObject({ 'run rotate.yaml': 1, 'resume latest -i ok=true': 0 })
  expectHidden(...hidden)
  for (const value of hidden) expect(formsIn(JSON.stringify(chat.received), value)).toEqual([])
  expect(JSON.stringify(chat.received)).toContain('use (masked)?')
  expect(texts['logs latest']).toContain('say: pw (masked) on web-01')
  // Log lines and errors are recorded without them, so that no command can show them.
  const reveal = ['latest', '--reveal', '--data-dir', 'data']
  expect((await opsbook(['logs', ...reveal], surroundings)).stdout).toContain('say: pw (masked) on web-01')
  const listed = await opsbook(['runs', '-o', 'json', '--data-dir', 'data'], surroundings)
  expect(formsIn(listed.stdout, password)).toEqual([])
  const planned = await opsbook(['plan', 'rotate.yaml'], surroundings)
  expect(planned.stdout).toMatch(/masks +body\.data, body\.keys\.\*\.key\n/)
  expect(planned.stdout).not.toContain('set-cookie')
})

test('what a turn learnt is masked in the turns after it', async () => {
  const url = await startVault()
  const folder = await newFolder({
    'turns.yaml': `apiVersion: opsbook/v1
name: turns
steps:
  - id: rounds
    repeat:
      with: { n: 0, last: "" }
      next: { n: "\${{ turn.n + 1 }}", last: "\${{ default(steps.plain.outputs.value, turn.last) }}" }
      until: \${{ next.n == 2 }}
      at-most: 3
      collect: \${{ turn.last + '!' }}
    steps:
      - { id: look, if: "\${{ turn.n == 0 }}", uses: core/http, with: { url: "${url}" }, sensitive: [body.data] }
      - id: plain
        if: \${{ turn.n == 0 }}
        uses: core/set
        with: { value: "\${{ fromBase64(steps.look.outputs.body.data.coded) }}" }
        sensitive: [value]
      - { id: say, uses: core/log, with: { message: "turn \${{ turn.index }} has <\${{ turn.last }}>" } }
  - { id: after, uses: core/log, with: { message: "\${{ json(steps.rounds.outputs) }}" } }
outputs: { last: "\${{ steps.rounds.outputs.last.last }}" }
`,
  })
  const { texts, codes, play, expectHidden } = lookOn({ folder })
  await play('run turns.yaml --verbose', ...views)
  expect(codes['run turns.yaml --verbose']).toBe(0)
  expect(texts['logs latest']).toContain('turn 1 has <(masked)>')
  expectHidden(password)
})

test('what a step marks as sensitive is recorded neither as an id of a request nor with a condition', async () => {
  const vault = await startVault()
  const echo = await serving((request, response) => {
    const key = new URL(request.url ?? '/', 'http://here').searchParams.get('key') ?? ''
    response.writeHead(403, { 'x-request-id': key }).end()
  })
  const folder = await newFolder({
    'echo.yaml': `apiVersion: opsbook/v1
name: echo
steps:
  - { id: look, uses: core/http, with: { url: "${vault}" }, sensitive: [body.data] }
  - { id: never, if: "\${{ steps.look.outputs.body.data.token == 'x' }}", uses: core/log, with: { message: x } }
  - { id: echo, uses: core/http, with: { url: "${echo}", query: { key: "\${{ steps.look.outputs.body.data.token }}" } } }
`,
  })
  const { texts, codes, play, expectHidden } = lookOn({ folder })
  await play('run echo.yaml --sandbox --allow-outside', 'runs -o json', ...views)
  expect(codes['run echo.yaml --sandbox --allow-outside']).toBe(1)
  expectHidden('child-token-77-aa')
  expect(texts['runs -o json']).toContain('"request_id": "(masked)"')
  const revealed = await opsbook(['logs', 'latest', '--reveal', '-o', 'ndjson', '--data-dir', 'data'], {
    folder,
  })
  const recorded = revealed.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(recorded.filter((event) => JSON.stringify(event).includes('child-token-77-aa'))).toMatchObject([
    { type: 'step_finished', path: 'look' },
  ])
})
